/** What the actions of one turn are carried out with. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { AccountInventory } from "../../inventory/account-inventory.js";
import type { CallContext } from "../../providers/call.js";
import type { AddressAccount } from "../address-accounts.js";
import type { ControllerContext } from "../context.js";
import type { DnsDesk, DnsLook } from "../records/dns-desk.js";
import type { Snapshot } from "./snapshot.js";
import type { PoolUnit } from "./unit.js";

export interface Tools {
  readonly context: ControllerContext;
  readonly desk: DnsDesk;
  readonly unit: PoolUnit;
  /** That the plan was made of. */
  readonly snapshot: Snapshot;
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly dns: DnsLook | undefined;
  /** Aborts when this process has to end. A call that was sent is waited for, though the pool may be gone. */
  readonly signal: AbortSignal;
}

/** Of a call that an action asks for. */
export function callContext({ unit: { ref }, signal }: Pick<Tools, "unit" | "signal">, why: string): CallContext {
  const { kind, namespace, name } = ref;
  return { asker: { kind, namespace, name }, why, priority: "assignment", signal };
}

export interface OpenAccount {
  readonly account: AddressAccount;
  readonly inventory: AccountInventory;
}

/** The account of a plan that asks for a call to it: it has been read, or the plan would not. */
export function openAccount({ account, unit }: Pick<Tools, "account" | "unit">): OpenAccount {
  const inventory = account?.inventory;
  if (account === undefined || inventory === undefined) {
    throw new Error(`pool ${unit.key}: its plan asks for a call to an account that was not read`);
  }
  return { account, inventory };
}
