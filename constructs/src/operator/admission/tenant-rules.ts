import { CREATED_ADDRESSES } from "../../api/access/address-range";
import { NAMESPACE_PLACEHOLDER } from "../../api/access/name-pattern";

/** A rule for pools and record sets, in CEL. */
interface TenantRule {
  readonly expression: string;
  readonly messageExpression: string;
}

/** The values that the rules compare. An update is checked only if it changes what a rule is about. */
export function tenantVariables(limits: string): readonly { readonly name: string; readonly expression: string }[] {
  const values: Readonly<Record<string, string>> = {
    limits,
    matching: `variables.limits.filter(limit, limit.names.exists(name, request.namespace.matches('^' + name.replace('*', '.*') + '$')))`,
    limit: "variables.matching.size() > 0 ? variables.matching[0] : {}",
    // The two kinds have different fields, so the API server cannot check their types.
    spec: "dyn(object.spec)",
    oldSpec: "oldObject == null ? dyn({}) : dyn(oldObject.spec)",
    isNewName: `has(variables.spec.dnsRecordSet) && (${["provider", "zone", "recordName"].map(differs).join(" || ")})`,
    writtenZone: lowered("zone"),
    zone: withoutDot("variables.writtenZone"),
    writtenLabel: lowered("recordName"),
    label: withoutDot("variables.writtenLabel"),
    // An id of a zone has no dot. Only the operator finds out the zone's domain.
    isDomain: "variables.zone.contains('.')",
    name: "variables.label in ['@', '', variables.zone] ? variables.zone : (variables.label.endsWith('.' + variables.zone) ? variables.label : variables.label + '.' + variables.zone)",
    // In the order that costs the API server least: it limits the cost of each expression.
    ranges: `'allowedAddresses' in variables.limit ? variables.limit.allowedAddresses.filter(range, isCIDR(range)).map(range, cidr(range)) : []`,
    outerAddresses: `!('allowedAddresses' in variables.limit) || '${CREATED_ADDRESSES}' in variables.limit.allowedAddresses || variables.spec.?ips == variables.oldSpec.?ips ? [] : variables.spec.?ips.orValue([]).filter(ip, isIP(ip) && !variables.ranges.exists(range, range.containsIP(ip)))`,
    refusedAddresses: "variables.outerAddresses.filter(ip, !(ip in variables.oldSpec.?ips.orValue([])))",
  };
  return Object.entries(values).map(([name, expression]) => ({ name, expression }));
}

/** Every rule must hold. */
export const TENANT_RULES: readonly TenantRule[] = [
  {
    expression: `!variables.isNewName || !variables.isDomain || !('allowedZones' in variables.limit) || variables.limit.allowedZones.exists(zone, zone.lowerAscii() in [variables.zone, variables.zone + '.'])`,
    messageExpression: message("'zone ' + variables.zone", "allowedZones"),
  },
  {
    expression: `!variables.isNewName || !variables.isDomain || !('allowedNames' in variables.limit) || variables.limit.allowedNames.exists(pattern, variables.name.matches(${patternText("pattern")}))`,
    messageExpression: message("'the DNS name ' + variables.name", "allowedNames"),
  },
  {
    expression: "variables.refusedAddresses.size() == 0",
    messageExpression: message("variables.refusedAddresses.join(', ')", "allowedAddresses"),
  },
  {
    expression:
      "!('capped' in variables.limit) || (variables.spec.?desiredIPs.orValue(0) == 0 && (oldObject == null || (dyn(oldObject).?status.?createdIPs.orValue([]).size() == 0 && !dyn(oldObject).?status.?pendingCreation.hasValue()))) || variables.spec.?reclaimPolicy.orValue('Retain') == 'Delete' || (oldObject != null && variables.oldSpec.?reclaimPolicy.orValue('Retain') != 'Delete')",
    messageExpression:
      "variables.limit.capped[0] == '0' ? 'the limits of namespace ' + request.namespace + ' let the operator create no address: leave out spec.desiredIPs (spec.ips may list what allowedAddresses of tenantLimits allows), or ask the administrator of flipop to raise maxCreatedAddresses of tenantLimits' : 'the limits of namespace ' + request.namespace + ' have a maximum of created addresses, which an address that outlives its pool would escape: set spec.reclaimPolicy to Delete'",
  },
];

function message(what: string, field: string): string {
  return `'the limits of namespace ' + request.namespace + ' do not allow ' + ${what} + ': use another one, or ask the administrator of flipop to add it to ${field} of tenantLimits'`;
}

function differs(field: string): string {
  return `variables.oldSpec.?dnsRecordSet.?${field} != variables.spec.?dnsRecordSet.?${field}`;
}

/** As the operator's `normalRecordName` writes zones and names. */
function lowered(field: string): string {
  return `variables.spec.?dnsRecordSet.?${field}.orValue('').trim().lowerAscii()`;
}

function withoutDot(text: string): string {
  return `${text}.endsWith('.') ? ${text}.substring(0, ${text}.size() - 1) : ${text}`;
}

/** As `namePatternText` writes it. */
function patternText(pattern: string): string {
  return `'^' + ${pattern}.replace('.', '[.]').replace('*', '[^.]+').replace('${NAMESPACE_PLACEHOLDER}', request.namespace) + '$'`;
}
