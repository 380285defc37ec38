/** Creates an address, and sees to it that the status says so. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { errorText } from "../../logging.js";
import type { CallContext } from "../../providers/call.js";
import { isProviderError } from "../../providers/errors.js";
import type { ActionFacts, CreateAddress, CreateOutcome } from "../../providers/types.js";
import { noting, type OpenAccount } from "./call.js";
import { type Outcome, providerFailure } from "./outcomes.js";

/** What a status says of an address that was just created. */
export type StateOfNew = Pick<AddressStatus, "state" | "actionID">;

/** The status of the resource that it is created for. */
export interface CreationRecords {
  /** Nothing was created, and nothing is to be looked for. */
  readonly end: () => Promise<unknown>;
  /** In one patch: the address is ours, and the intent has ended. */
  readonly keep: (ip: string, state: StateOfNew) => Promise<unknown>;
  /** For the log: the address is there, and no status says so. */
  readonly lost: (ip: string, error: unknown) => void;
}

export async function createAddress(
  { account, inventory }: OpenAccount,
  context: CallContext,
  wish: CreateAddress,
  records: CreationRecords,
): Promise<Outcome> {
  let outcome: CreateOutcome;
  try {
    outcome = await noting(account, () => inventory.create(account.provider, context, wish));
  } catch (error) {
    // Refused or never sent: there is nothing to look for.
    if (isProviderError(error)) await records.end();
    throw error;
  }
  if (outcome.kind === "unknown") return { is: "unknown", failure: providerFailure(outcome.error) };
  const { address, action } = outcome;
  return record(address.ip, action, records);
}

async function record(ip: string, action: ActionFacts | undefined, records: CreationRecords): Promise<Outcome> {
  try {
    await records.keep(ip, stateOf(action));
  } catch (error) {
    // The intent is still there: the lists will show that the address is ours.
    records.lost(ip, error);
    const message = `${ip} was created and could not be recorded: ${errorText(error)}`;
    return { is: "unknown", failure: { kind: "Unavailable", problem: { reason: "CreationUnsettled", message } } };
  }
  return action === undefined ? { is: "done", ip } : { is: "started", id: action.id, ip };
}

function stateOf(action: ActionFacts | undefined): StateOfNew {
  return action === undefined ? { state: "unassigned" } : { state: "in-progress", actionID: action.id };
}
