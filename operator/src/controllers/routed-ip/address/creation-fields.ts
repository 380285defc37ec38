/** Where the status of a RoutedIP keeps the address that was created for it. Pure. */

import { canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { CreationResult } from "../../../addresses/creation/creation-result.js";
import { type CreationFields, knownStatus } from "../../../addresses/creation/record-creation.js";
import { omitUndefined } from "../../../omit-undefined.js";
import type { RoutedRead } from "../../../routing/resource.js";

export const CREATION_FIELDS: CreationFields<RoutedIPStatus> = {
  // It creates nothing more while it has an address that it created.
  createdTimes: ({ created }) => (created === true ? [LAST] : []),
  isOnRecord: ({ created, inferred, routedIP }, facts) => {
    if (created !== true || routedIP === undefined || canonicalIp(routedIP) !== facts.ip) return false;
    return facts.inferred !== true || inferred === true;
  },
  added: ({ routedIP }, { ip, inferred, status: { nodeName: assignedNode, ...entry } }) => {
    const same = routedIP !== undefined && canonicalIp(routedIP) === ip;
    const placed = same ? {} : { ...entry, ...omitUndefined({ assignedNode }) };
    return { ...placed, routedIP: ip, created: true, ...(inferred === true ? { inferred } : {}) };
  },
  removed: () => ({ created: undefined, routedIP: undefined }),
  mark: "status.inferred",
};

const LAST = "9999-12-31T23:59:59Z";

/** The RoutedIP with the facts about its creation that the status lacks. */
export function withResult(read: RoutedRead, result: CreationResult | undefined): RoutedRead {
  const { routed } = read;
  const status = knownStatus(CREATION_FIELDS, routed, result);
  return status === routed.status ? read : { ...read, routed: { ...routed, status } };
}
