/** The address that a RoutedIP had before its spec named another one: it serves until that one can be used. Pure. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AddressSnapshot } from "../../../addresses/address-set.js";
import { goneFrom } from "../../../addresses/unavailable-nodes.js";
import { addressMessages } from "../../../messages/addresses.js";
import { claimMessages } from "../../../messages/claims.js";
import type { Problem } from "../../../messages/message.js";
import type { ProviderId } from "../../../providers/types.js";
import type { RoutedIP } from "../../../routing/read-resources.js";
import { omitUndefined } from "../../../values.js";
import type { Former } from "../snapshot.js";
import { supersededIp } from "./address-set.js";

/** What is known of the address that the spec names. */
interface Scene extends Pick<AddressSnapshot, "inventory" | "claims" | "clusterNodes"> {
  /** The class or issuer does not allow it. */
  readonly refusal: Problem | undefined;
  /** A read of it fails. */
  readonly failure: Problem | undefined;
  readonly isNode: (machine: ProviderId) => boolean;
}

/** `undefined`: there is none, or the new address can be used. */
export function servingFormer(routed: RoutedIP, scene: Scene): Former | undefined {
  const former = routed.metadata.deletionTimestamp === undefined ? supersededIp(routed) : undefined;
  const obstacle = former === undefined ? undefined : obstacleOf(canonicalIp(routed.spec.routedIP ?? ""), scene);
  if (former === undefined || obstacle === undefined) return undefined;
  const { routedIP: _replaced, ...spec } = routed.spec;
  const named = routed.status.created === true ? {} : { routedIP: former };
  const { cause, isConflict = false } = obstacle;
  const problem = cause && claimMessages.keepsFormer({ ip: former, cause });
  return { routed: { ...routed, spec: { ...spec, ...named } }, isConflict, ...omitUndefined({ problem }) };
}

interface Obstacle {
  readonly cause?: Problem | undefined;
  readonly isConflict?: boolean;
}

function obstacleOf(ip: string, scene: Scene): Obstacle | undefined {
  const { inventory, claims, refusal, failure, isNode } = scene;
  if (refusal !== undefined) return { cause: refusal };
  const claim = claims.addresses.get(ip);
  if (claim?.ours === false) return { cause: claimMessages.address({ ip, ...claim.owned }), isConflict: true };
  const facts = inventory.get(ip);
  if (facts === undefined) return { cause: inventory.isGone(ip) ? goneFrom(scene, ip) : failure };
  if (facts.holder !== undefined && !isNode(facts.holder)) {
    return { cause: addressMessages.heldElsewhere({ ip, machine: facts.holder }), isConflict: true };
  }
  return claim === undefined ? {} : undefined;
}
