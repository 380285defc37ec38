/** Which of the addresses that a resource claims its account has. */

import { familyOf, type IpFamily } from "cdk8s-flipop/api";
import type { Claimant, ClaimedAddress, InAccount } from "../../claims/claimant.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { AddressAccount } from "./address-account.js";

/** `undefined`: which account it is is not known. */
type AccountOf = (family: IpFamily) => AddressAccount | Problem | undefined;

export function withAccounts(claimant: Claimant, accountOf: AccountOf): Claimant {
  const addresses = claimant.addresses.map((each): ClaimedAddress => ({ ...each, ...placeOf(each, accountOf) }));
  return { ...claimant, addresses };
}

function placeOf({ ip }: ClaimedAddress, accountOf: AccountOf): InAccount {
  const account = accountOf(familyOf(ip));
  // A provider that is not set up, or has no such addresses.
  if (account !== undefined && !(account instanceof AddressAccount)) return { account: "", isThere: false };
  if (account === undefined) return { account: "" };
  return inAccount(account, ip);
}

function inAccount({ inventory, failsForLong }: AddressAccount, ip: string): InAccount {
  const view = inventory?.view() ?? NOTHING_SEEN;
  const isThere = view.get(ip) !== undefined;
  // A token that is refused must not keep others from what their account has.
  const isKnown = isThere || view.complete || failsForLong;
  return { account: String(inventory?.account ?? ""), ...(isKnown && { isThere }) };
}
