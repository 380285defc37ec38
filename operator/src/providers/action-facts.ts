/** An action that a cloud carries out on an address. */

export interface RunningAction {
  readonly id?: string;
}

export type ActionState = "in-progress" | "completed" | "errored";

/** What came of an assign or unassign. */
export interface ActionFacts {
  /** For `AddressProvider.action`; kept in a status, so that a restart goes on asking. Empty where it is over already. */
  readonly id: string;
  readonly ip: string;
  readonly state: ActionState;
  /** With `errored`: what the API said, if anything. */
  readonly message?: string;
}

/** The newest action on an address. The API does not name the node that it is for. */
export interface LatestAction extends ActionFacts {
  readonly verb: "assign" | "unassign" | "other";
  /** ms since the epoch by the provider's clock, rounded down to its precision. */
  readonly startedAt: number;
}

export interface ActionRef {
  readonly id: string;
  readonly ip: string;
}
