/** Where the status of a pool keeps the addresses that were created for it. Pure. */

import { type CreatedAddress, canonicalIp, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import type { CreatedFacts } from "../../addresses/creation/creation-result.js";
import type { CreationFields } from "../../addresses/creation/record-creation.js";

export const CREATION_FIELDS: CreationFields<FloatingIPPoolStatus> = {
  createdTimes: ({ createdIPs = [] }) => createdIPs.map(({ createdTime }) => createdTime),
  isOnRecord: ({ createdIPs = [] }, { ip, inferred }) => {
    const entry = createdIPs.find((each) => isOf(each, ip));
    return entry !== undefined && (inferred !== true || entry.inferred === true);
  },
  added: (status, created) => ({
    createdIPs: [...without(status, created), entryOf(created)],
    ips: { [created.ip]: created.status, ...status.ips },
  }),
  removed: (status, created) => ({ createdIPs: without(status, created) }),
  mark: "status.createdIPs[].inferred",
};

function entryOf({ ip, createdTime, inferred }: CreatedFacts): CreatedAddress {
  return { ip, createdTime, ...(inferred === true ? { inferred } : {}) };
}

function without({ createdIPs = [] }: FloatingIPPoolStatus, { ip }: CreatedFacts): readonly CreatedAddress[] {
  return createdIPs.filter((entry) => !isOf(entry, ip));
}

export function isOf(entry: CreatedAddress, ip: string): boolean {
  return canonicalIp(entry.ip) === canonicalIp(ip);
}
