/** Calls about addresses: through the inventory of their account, so that what it believes follows at once. */

import type { AccountInventory } from "../../inventory/account-inventory.js";
import type { ActionFacts } from "../../providers/types.js";
import type { AddressAccount } from "../address-accounts.js";
import { DONE, type Outcome } from "./outcomes.js";

export interface OpenAccount {
  readonly account: AddressAccount;
  readonly inventory: AccountInventory;
}

/** The account of a plan that asks for a call to it: it has been read, or the plan would not. @param who has the plan */
export function openAccount(account: AddressAccount | undefined, who: string): OpenAccount {
  const inventory = account?.inventory;
  if (account === undefined || inventory === undefined) {
    throw new Error(`${who}: its plan asks for a call to an account that was not read`);
  }
  return { account, inventory };
}

/** What the account's calls say about the account is known to all who use it. */
export async function noting<T>(account: AddressAccount, call: () => Promise<T>): Promise<T> {
  try {
    const result = await call();
    account.answered();
    return result;
  } catch (error) {
    account.note(error);
    throw error;
  }
}

/** What the provider says of an action. */
export function outcomeOfAction({ state, id, message }: ActionFacts): Outcome {
  if (state === "in-progress") return { is: "started", id };
  if (state === "completed") return DONE;
  return { is: "refused", failure: erroredFailure(message) };
}

function erroredFailure(message: string | undefined) {
  const said = message === undefined || message === "" ? "no reason given" : message;
  const problem = { reason: "ProviderUnavailable", message: `the provider's action failed: ${said}` } as const;
  return { kind: "Unavailable", problem } as const;
}
