/** A RoutedIP takes over the address that its spec names, from the resource that the operator created it for. */

import { type CreatedAddress, canonicalIp, Finalizer } from "cdk8s-flipop/api";
import { DONE, type Outcome, skipped } from "../../../addresses/call-outcomes.js";
import type { TakeOver } from "../../../addresses/releases/heirs.js";
import { finalizerPatch } from "../../../kube/write/patch.js";
import type { RoutedIP, RoutedObject } from "../../../routing/read-resources.js";
import { resolveClass } from "../../../routing/resolved-class.js";
import type { RoutingCaches } from "../../../routing/shared-caches.js";
import { isUnserved } from "../claim-permissions.js";
import { type RoutedState, readOf } from "../memory.js";
import { createdIp } from "./address-set.js";

/** @param claim works out again what the RoutedIP claims and has. */
export function takeOverFor(routing: RoutingCaches, state: RoutedState, claim: () => void): TakeOver {
  return async ({ entry, retained }) => {
    const read = readOf(state);
    if (read === undefined || state.isDeleting()) return skipped("the RoutedIP that names the address goes");
    const { routed } = read;
    const ip = canonicalIp(entry.ip);
    if (leaves(routing, routed, ip) || (retained && releases(routing, routed))) return DONE;
    if (isUnserved(routing, state, read)) {
      claim();
      return skipped("the RoutedIP that names the address may not use it now");
    }
    // It takes room from here on: the maximum holds for all that arrives at once.
    const giveBack = routing.context.created.reserve(state.ref, ip);
    return write(state, entry).finally(giveBack);
  };
}

/** A Job would have to release what the operator created. And the status is about a former address until that is forgotten. */
function leaves(routing: RoutingCaches, routed: RoutedIP, ip: string): boolean {
  return routing.worksByJobs(routed) || canonicalIp(routed.status.routedIP ?? ip) !== ip;
}

function releases({ context: { tenants }, lookUp }: RoutingCaches, routed: RoutedIP): boolean {
  const { resolvedClass } = resolveClass(routed, lookUp);
  const isDelete = resolvedClass?.by === "issuer" && resolvedClass.reclaimPolicy === "Delete";
  return isDelete && !tenants.counts(routed.metadata.namespace ?? "");
}

async function write(state: RoutedState, { ip }: CreatedAddress): Promise<Outcome> {
  await state.keep(() => ({ created: true, routedIP: ip }));
  // Before the other resource forgets it: who deletes the RoutedIP right now must not leave an address that no resource releases.
  await state.write({ patch: (object: RoutedObject) => finalizerPatch(object, Finalizer.cleanup, true) });
  const routed = readOf(state)?.routed;
  const isKept = routed !== undefined && createdIp(routed) === canonicalIp(ip) && state.hasFinalizer(Finalizer.cleanup);
  return isKept && !state.isDeleting() ? DONE : skipped("the RoutedIP that names the address has changed meanwhile");
}
