/** What the actions of one turn are carried out with. */

import type { AddressAccount } from "../../addresses/address-accounts.js";
import type { Recheck } from "../../providers/call.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import type { ControllerContext } from "../context.js";
import type { Action } from "./actions.js";
import type { PoolState } from "./resource-state.js";
import type { Snapshot } from "./snapshot.js";

export interface Tools {
  readonly context: ControllerContext;
  readonly dnsService: DnsService;
  readonly resourceState: PoolState;
  /** That the plan was made of. */
  readonly snapshot: Snapshot;
  readonly account: AddressAccount | undefined;
  readonly dns: DnsView | undefined;
  /** Of an action that changes a cloud. */
  readonly recheckOf: (action: Action) => Recheck | undefined;
  /** Aborts when this process has to end. A call that was sent is waited for, though the pool may be gone. */
  readonly signal: AbortSignal;
}
