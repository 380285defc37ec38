/** The addresses that the names of a NodeDNSRecordSet lead to: who created one of them does not release it meanwhile. */

import type { ResourceRef } from "../../inventory/view.js";
import { actionsOf } from "../../reconcile/plan.js";
import { ttlOf } from "../../records/record-plan.js";
import { omitUndefined } from "../../values.js";
import type { ControllerContext } from "../context.js";
import type { Plan } from "./plan.js";
import { desiredOf } from "./publication.js";
import type { NodeRecordSet } from "./resource.js";

type Context = Pick<ControllerContext, "nodeNames" | "providers">;

/** By the status: what its records hold, or may hold after a change that has begun. */
export function putNames({ nodeNames, providers }: Context, ref: ResourceRef, { spec, status }: NodeRecordSet): void {
  const { dns, begunRecords = [] } = status;
  const values = [...(dns === undefined ? [] : [dns]), ...begunRecords].flatMap((written) => written.values);
  const provider = desiredOf(spec)?.provider ?? dns?.provider ?? "";
  const set = providers.names.includes(provider) ? providers.get(provider, "dns") : undefined;
  const capabilities = set?.dns?.capabilities;
  nodeNames.put(ref, { values, ttl: ttlOf(omitUndefined({ capabilities }), spec.dnsRecordSet) });
}

/** The status shows it only after the change. */
export function planNames({ nodeNames }: Context, ref: ResourceRef, { sequences }: Plan): void {
  const changes = sequences.flatMap(actionsOf).flatMap((action) => (action.do === "apply-records" ? [action] : []));
  nodeNames.plan(
    ref,
    changes.flatMap(({ changes: { after } }) => after),
  );
}
