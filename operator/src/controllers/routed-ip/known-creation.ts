/** A RoutedIP with the end of its creation that the status may lack. Pure. */

import { canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import { type CreatedFacts, type CreationResult, openIntent } from "../../addresses/creation/creation-result.js";
import type { RoutedRead } from "./resource.js";

/** The RoutedIP with the facts about its creation that the status lacks. */
export function withResult(read: RoutedRead, result: CreationResult | undefined): RoutedRead {
  const { metadata, status } = read.routed;
  const { pendingCreation, ...rest } = status;
  // It creates nothing more while it has an address that it created.
  const createdTimes = status.created === true ? [LAST] : [];
  const intent = openIntent(metadata, { pendingCreation, createdTimes }, result);
  const added = result?.created === undefined ? undefined : addedBy(status, result.created);
  if (intent === pendingCreation && added === undefined) return read;
  const folded = { ...rest, ...added, ...(intent === undefined ? {} : { pendingCreation: intent }) };
  return { ...read, routed: { ...read.routed, status: folded } };
}

const LAST = "9999-12-31T23:59:59Z";

export function addedBy(status: RoutedIPStatus, created: CreatedFacts): Partial<RoutedIPStatus> | undefined {
  if (isOnRecord(status, created)) return undefined;
  const { nodeName, ...rest } = created.status;
  const same = status.routedIP !== undefined && canonicalIp(status.routedIP) === created.ip;
  const placed = same ? {} : { ...rest, ...(nodeName === undefined ? {} : { assignedNode: nodeName }) };
  return { ...placed, routedIP: created.ip, created: true, ...(created.inferred === true ? { inferred: true } : {}) };
}

export function isOnRecord({ created, inferred, routedIP }: RoutedIPStatus, facts: CreatedFacts): boolean {
  if (created !== true || routedIP === undefined || canonicalIp(routedIP) !== facts.ip) return false;
  return facts.inferred !== true || inferred === true;
}
