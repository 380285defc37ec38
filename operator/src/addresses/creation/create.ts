/** Creates an address, and sees to it that its resource knows how that ended. */

import type { AddressStatus } from "cdk8s-flipop/api";
import type { CallContext } from "../../providers/call.js";
import { isProviderError } from "../../providers/errors.js";
import type { ActionFacts, CreateAddress, CreateOutcome } from "../../providers/types.js";
import { isWithheld } from "../../reconcile/retries/run-failure.js";
import { noting, type OpenAccount } from "../calls/call.js";
import { type Outcome, providerFailure } from "../calls/outcomes.js";

/** What a status says of an address that was just created. */
export type StateOfNew = Pick<AddressStatus, "state" | "actionID">;

/** The resource that it is created for. Neither rejects: what can't be written yet is remembered. */
export interface CreationRecords {
  /** Nothing was created, and nothing is to be looked for. */
  readonly refused: () => Promise<void>;
  /** The address is ours, and the intent has ended. */
  readonly created: (ip: string, state: StateOfNew) => Promise<void>;
}

export async function createAddress(
  { account, inventory }: OpenAccount,
  context: CallContext,
  request: CreateAddress,
  records: CreationRecords,
): Promise<Outcome> {
  let outcome: CreateOutcome;
  try {
    outcome = await noting(account, () => inventory.create(account.provider, context, request));
  } catch (error) {
    if (isProviderError(error) || isWithheld(error)) await records.refused();
    throw error;
  }
  if (outcome.kind === "unknown") return { is: "unknown", failure: providerFailure(outcome.error) };
  const { address, action } = outcome;
  await records.created(address.ip, stateOf(action));
  return action === undefined ? { is: "done", ip: address.ip } : { is: "started", id: action.id, ip: address.ip };
}

function stateOf(action: ActionFacts | undefined): StateOfNew {
  return action === undefined ? { state: "unassigned" } : { state: "in-progress", actionID: action.id };
}
