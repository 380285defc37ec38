/** The list of an account after a creation whose answer was lost, with which of its newcomers have never been on a machine. */

import type { Clock } from "../../clock.js";
import type { CallContext } from "../../providers/call.js";
import { type AddressAccount, ALONE } from "../accounts/address-account.js";
import type { ListObservations } from "./creation-registry.js";

interface Tools {
  readonly clock: Pick<Clock, "monotonic">;
  readonly why: (text: string) => CallContext;
}

/** An address that was created on a machine has been assigned; a person's new one may never have been. Never rejects. */
export async function noteList(
  { history, inventory, failure }: Pick<AddressAccount, "history" | "inventory" | "failure">,
  observations: ListObservations,
  { clock, why }: Tools,
): Promise<void> {
  const newcomers = observations.note(inventory?.view(), clock.monotonic());
  // Of many, a person has to choose anyway.
  if (failure !== undefined || newcomers.length > ALONE) return;
  const answers = newcomers.map((ip) => history.has(why("a creation may have made it"), ip));
  for (const [index, was] of (await Promise.all(answers)).entries())
    observations.noteAssigned(newcomers[index] ?? "", was);
}
