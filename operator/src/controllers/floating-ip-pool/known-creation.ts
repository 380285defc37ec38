/** A pool with the end of its creation that the status may lack. Pure. */

import { type CreatedAddress, canonicalIp, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { type CreatedFacts, type CreationResult, openIntent } from "../../addresses/creation/creation-result.js";
import type { PoolRead } from "./read-pool.js";

/** The pool with the facts about its creation that the status lacks. */
export function withResult(read: PoolRead, result: CreationResult | undefined): PoolRead {
  const { metadata, status } = read.pool;
  const { pendingCreation, ...rest } = status;
  const createdTimes = (status.createdIPs ?? []).map(({ createdTime }) => createdTime);
  const intent = openIntent(metadata, { pendingCreation, createdTimes }, result);
  const added = addedBy(status, result);
  if (intent === pendingCreation && added === undefined) return read;
  const folded = { ...rest, ...added, ...(intent === undefined ? {} : { pendingCreation: intent }) };
  return { ...read, pool: { ...read.pool, status: folded } };
}

function addedBy(status: FloatingIPPoolStatus, result: CreationResult | undefined) {
  const created = result?.created;
  if (created === undefined || isOnRecord(status, created)) return undefined;
  return { ...withCreated(status, created), ips: { [created.ip]: created.status, ...status.ips } };
}

export function isOnRecord({ createdIPs = [] }: FloatingIPPoolStatus, { ip, inferred }: CreatedFacts): boolean {
  const entry = createdIPs.find((each) => isOf(each, ip));
  return entry !== undefined && (inferred !== true || entry.inferred === true);
}

/** `createdIPs` with one more. */
export function withCreated(status: FloatingIPPoolStatus | undefined, { ip, createdTime, inferred }: CreatedFacts) {
  const others = (status?.createdIPs ?? []).filter((entry) => !isOf(entry, ip));
  return { createdIPs: [...others, { ip, createdTime, ...(inferred === true ? { inferred } : {}) }] };
}

export function isOf(entry: CreatedAddress, ip: string): boolean {
  return canonicalIp(entry.ip) === canonicalIp(ip);
}
