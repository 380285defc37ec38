import { CREATED_ADDRESSES } from "../../api/access/address-range";
import { matchesNamePattern } from "../../api/access/name-pattern";
import {
  limitsOfNamespace,
  type NamespaceLimits,
  type TenantLimits,
  tenantLimitsProblems,
} from "../../api/access/tenant-limits";
import { isIp } from "../../api/ip-address";
import { normalRecordName } from "../../api/kinds/record-name";
import type { JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import { listOf } from "./claims";
import type { NeedyResource } from "./needs";
import type { OperatorConstruct, TenantGap } from "./operator-construct";
import { isInRange } from "./special-ranges";

interface Limited {
  readonly spec: JsonObject;
  readonly namespace: string;
  readonly limits: NamespaceLimits;
  /** The operator's prop with the limits, for messages. */
  readonly prop: string;
}

/**
 * What a new pool or record set asks for and `tenantLimits` of the operator do not allow, by the rules of the tenant policy
 * (`operator/admission/tenant-rules.ts`), which does not check RoutedIPs: their class and issuer limit their names.
 */
export function tenantGaps(
  { kind, spec, namespace }: NeedyResource,
  operator: OperatorConstruct,
): readonly TenantGap[] {
  if (namespace === undefined || (kind !== "FloatingIPPool" && kind !== "NodeDNSRecordSet")) return [];
  const { tenantLimits } = operator._reach;
  const found = areValid(tenantLimits) ? limitsOfNamespace(tenantLimits, namespace) : undefined;
  if (!found) return [];
  const prop = `tenantLimits.namespaces[${found.index}] of operator ${operator.node.path}`;
  const limited = { spec, namespace, limits: found.limits, prop };
  return [...nameGaps(limited), ...addressGaps(limited), ...creationGaps(limited)];
}

/** Synthesis does not know what exists. */
const REFUSED = "the API server refuses it if it is new";

const VALID = new WeakMap<TenantLimits, boolean>();

/** The operator reports limits that are not valid. Each is checked once, not for each resource. */
function areValid(limits: TenantLimits): boolean {
  const known = VALID.get(limits) ?? tenantLimitsProblems(limits, "").length === 0;
  VALID.set(limits, known);
  return known;
}

function nameGaps(limited: Limited): readonly TenantGap[] {
  const { allowedZones, allowedNames } = limited.limits;
  const { zone: written, recordName } = objectAt(limited.spec, "dnsRecordSet");
  // Only the operator finds out the domain of a zone's id.
  if (typeof written !== "string" || typeof recordName !== "string" || !written.includes(".")) return [];
  const { zone, fqdn } = normalRecordName({ zone: written, recordName });
  const isZone = (allowed: string): boolean => [zone, `${zone}.`].includes(allowed.toLowerCase());
  const isName = (pattern: string): boolean => matchesNamePattern(fqdn, pattern, limited.namespace);
  const path = "spec.dnsRecordSet";
  return [
    ...(allowedZones?.some(isZone) === false
      ? [refused(limited, { path, what: `zone "${zone}"`, list: "allowedZones" })]
      : []),
    ...(allowedNames?.some(isName) === false
      ? [refused(limited, { path, what: `the DNS name "${fqdn}"`, list: "allowedNames" })]
      : []),
  ];
}

function addressGaps(limited: Limited): readonly TenantGap[] {
  const { allowedAddresses: ranges } = limited.limits;
  // Only the operator knows which addresses it created.
  if (ranges === undefined || ranges.includes(CREATED_ADDRESSES)) return [];
  return listOf(limited.spec.ips).flatMap((ip, index) => {
    if (typeof ip !== "string" || !isIp(ip) || ranges.some((range) => isInRange(ip, range))) return [];
    return [refused(limited, { path: `spec.ips[${index}]`, what: `"${ip}"`, list: "allowedAddresses" })];
  });
}

function creationGaps({ spec, namespace, limits, prop }: Limited): readonly TenantGap[] {
  const { maxCreatedAddresses: most } = limits;
  if (most === undefined || !spec.desiredIPs || spec.reclaimPolicy === "Delete") return [];
  if (most === 0) {
    const text = `namespace "${namespace}" may have no created address (maxCreatedAddresses of ${prop} is 0), so ${REFUSED}: list addresses instead and leave out desiredIPs, or raise it`;
    return [{ path: "spec.desiredIPs", text }];
  }
  const text = `namespace "${namespace}" has a maximum of created addresses (maxCreatedAddresses of ${prop}), which an address that outlives its pool would escape, so ${REFUSED}: set ReclaimPolicy.DELETE`;
  return [{ path: "spec.reclaimPolicy", text }];
}

function refused(
  { namespace, prop }: Limited,
  { path, what, list }: { path: string; what: string; list: string },
): TenantGap {
  return {
    path,
    text: `${what} is not allowed in namespace "${namespace}", so ${REFUSED}: use another one, or add it to ${list} of ${prop}`,
  };
}
