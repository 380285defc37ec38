/** Actions on the spec and the metadata of the pool. */

import { Annotation, canonicalIp, Finalizer } from "cdk8s-flipop/api";
import { DONE, type Outcome } from "../../addresses/calls/outcomes.js";
import { finalizerPatch, ownAnnotationPatch, type Patch, specPatch } from "../../kube/patch.js";
import type { RecordAction } from "./actions.js";
import { recordInStatus } from "./execute-status.js";
import type { PoolObject } from "./read-pool.js";
import type { Tools } from "./tools.js";

type ObjectAction = Extract<
  RecordAction,
  {
    readonly do:
      | "append-to-spec"
      | "drop-from-spec"
      | "annotate-pool"
      | "clear-forget-creation"
      | "add-finalizer"
      | "remove-finalizer";
  }
>;

export async function changeObject(tools: Tools, action: ObjectAction): Promise<Outcome> {
  await tools.resourceState.writer.write({ patch: (pool) => patchOf(pool, action), signal: tools.signal });
  if (action.do !== "append-to-spec") return DONE;
  return recordInStatus(tools, { do: "mark-in-spec", ip: action.ip, why: action.why });
}

function patchOf(pool: PoolObject, action: ObjectAction): Patch | undefined {
  switch (action.do) {
    case "append-to-spec":
      return appended(pool, action.ip);
    case "drop-from-spec":
      return specPatch(pool, { ips: listOf(pool).filter((ip) => canonicalIp(ip) !== action.ip) });
    case "annotate-pool":
      return ownAnnotationPatch(pool, { [Annotation.createdIps]: action.value });
    case "clear-forget-creation":
      return ownAnnotationPatch(pool, { [Annotation.forgetCreation]: undefined });
    case "add-finalizer":
      return finalizerPatch(pool, Finalizer.cleanup, true);
    case "remove-finalizer":
      return finalizerPatch(pool, Finalizer.cleanup, false);
  }
}

function appended(pool: PoolObject, ip: string): Patch | undefined {
  const ips = listOf(pool);
  return ips.some((known) => canonicalIp(known) === ip) ? undefined : specPatch(pool, { ips: [...ips, ip] });
}

/** As it is written: nobody else's spelling is changed. */
function listOf({ spec }: PoolObject): readonly string[] {
  const ips = typeof spec === "object" && spec !== null && "ips" in spec ? spec.ips : undefined;
  return Array.isArray(ips) ? ips.filter((ip): ip is string => typeof ip === "string") : [];
}
