/** How each action of a pool is carried out. */

import type { PlannedAction } from "../../addresses/actions.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import type { CallPriority } from "../../providers/urgency.js";
import type { ActionCall, ActionTable } from "../../reconcile/kind.js";
import type { RecoveringAccount } from "../../reconcile/retries/retries.js";
import type { DnsAction } from "../../records/actions.js";
import type { DnsService } from "../../records/dns-service.js";
import type { ControllerContext } from "../context.js";
import { addressCalls } from "./address-calls.js";
import type { Gathered } from "./gather.js";
import { nodeAnnotations } from "./node-annotations.js";
import { ownWrites } from "./own-writes.js";
import type { Pools } from "./resource.js";

export function actions(context: ControllerContext, dnsService: DnsService): ActionTable<Pools> {
  const changeRecords = (call: ActionCall<Pools>, action: DnsAction) => callDns(dnsService, call, action);
  return {
    ...addressCalls(context),
    ...nodeAnnotations(context),
    ...ownWrites(context),
    "read-records": changeRecords,
    "apply-records": changeRecords,
  };
}

async function callDns(
  dnsService: DnsService,
  { snapshot: { dns }, context }: ActionCall<Pools>,
  action: DnsAction,
): Promise<Outcome> {
  if (dns === undefined) return skipped("there is no record set any more");
  await dnsService.carryOut(dns, action, context);
  return DONE;
}

/** A creation, a release or a record serves no node that waits for its address to move. */
export function priorityOf(action: PlannedAction): CallPriority {
  return RECORDS.has(action.do) ? "records" : "assignment";
}

const RECORDS: ReadonlySet<PlannedAction["do"]> = new Set([
  "create-address",
  "release",
  "read-records",
  "apply-records",
]);

/** The record set has an account of its own. */
export function accountOf(
  { records }: Pick<ControllerContext, "records">,
  { account, dns }: Gathered,
  action: PlannedAction,
): RecoveringAccount | undefined {
  if (action.do !== "read-records" && action.do !== "apply-records") return account;
  const provider = dns?.sets[action.which]?.provider;
  return provider && records.recoveryOf(provider);
}
