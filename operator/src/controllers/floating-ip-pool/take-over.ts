/** A pool takes over an address that it lists, from the resource that the operator created it for. */

import { type CreatedAddress, canonicalIp, Finalizer } from "cdk8s-flipop/api";
import { isDeleting } from "../../addresses/address-set.js";
import { DONE, type Outcome, skipped } from "../../addresses/call-outcomes.js";
import type { TakeOver } from "../../addresses/releases/heirs.js";
import { finalizerPatch } from "../../kube/write/patch.js";
import type { ControllerContext } from "../context.js";
import { claimsOf, refusedAddresses } from "./namespace-limits.js";
import { latestPool, type PoolObject, type PoolState } from "./resource.js";
import { isOf } from "./snapshot.js";

export function takeOverFor(context: ControllerContext, state: PoolState): TakeOver {
  return async ({ entry, retained }) => {
    const pool = latestPool(state)?.pool;
    if (pool === undefined || isDeleting(pool)) return skipped("the pool that lists the address goes");
    const ip = canonicalIp(entry.ip);
    if (retained && pool.spec.reclaimPolicy === "Delete" && !context.tenants.counts(state.ref.namespace)) return DONE;
    if (refusedAddresses(context, pool).has(ip)) {
      // Other addresses have arrived meanwhile: it is no heir any more.
      context.claims.put(claimsOf(context, pool));
      return skipped("the limits of the other namespace do not allow it now");
    }
    // It takes room from here on: the maximum holds for all that arrives at once.
    const giveBack = context.created.reserve(state.ref, ip);
    return write(state, entry).finally(giveBack);
  };
}

async function write(state: PoolState, entry: CreatedAddress): Promise<Outcome> {
  await state.keep(({ status: { createdIPs = [] } = {} }) => ({ createdIPs: withEntry(createdIPs, entry) }));
  // Before the other resource forgets it: who deletes the pool right now must not leave an address that no resource releases.
  const goes = latestPool(state)?.pool.spec.reclaimPolicy === "Delete";
  if (goes) await state.write({ patch: (object: PoolObject) => finalizerPatch(object, Finalizer.cleanup, true) });
  const isKept = !goes || state.hasFinalizer(Finalizer.cleanup);
  return isKept && !state.isDeleting() ? DONE : skipped("the pool that lists the address has changed meanwhile");
}

/** The pool marks it once it finds the address in its list. */
function withEntry(
  createdIPs: readonly CreatedAddress[],
  { ip, createdTime }: CreatedAddress,
): readonly CreatedAddress[] {
  return createdIPs.some((each) => isOf(each, ip)) ? createdIPs : [...createdIPs, { ip, createdTime }];
}
