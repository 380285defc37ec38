/**
 * The type model of flipop: its custom resources, the operator's permissions and its configuration. The construct
 * library uses it to write resources, and the operator to read them. It imports nothing, so that both can use it.
 */
export * from "./access/access-limits";
export { type AddressRange, CREATED_ADDRESSES, parseAddressRange } from "./access/address-range";
export { matchesNamePattern, namePatternText } from "./access/name-pattern";
export * from "./access/port-rule";
export * from "./access/retained";
export * from "./access/tenant-limits";
export * from "./condition";
export * from "./condition-types";
export * from "./config";
export * from "./events";
export { canonicalIp, familyOf, IP_FAMILIES, type IpFamily, isIp } from "./ip-address";
export * from "./kinds/address-status";
export * from "./kinds/cluster-routed-ip-class";
export { type PortNumbers, parsePortRange } from "./kinds/cluster-routed-ip-class-rules";
export * from "./kinds/dns-record-set";
export * from "./kinds/firewall-rule";
export * from "./kinds/floating-ip-pool";
export * from "./kinds/floating-ip-pool-status";
export * from "./kinds/health-check";
export * from "./kinds/job-contract";
export * from "./kinds/kinds";
export * from "./kinds/node-dns-record-set";
export * from "./kinds/record-name";
export * from "./kinds/resource-kind";
export * from "./kinds/routed-ip";
export * from "./kinds/routed-ip-issuer";
export * from "./kinds/routed-ip-status";
export {
  type ParsedSelector,
  parseLabelSelector,
  type SelectorOperator,
  type SelectorRequirement,
  selectorMatches,
} from "./labels/label-selector";
export type { SelectorSyntaxError } from "./labels/label-selector-tokens";
export * from "./labels/match";
export * from "./labels/node-mark-keys";
export * from "./metrics";
export * from "./names";
export * from "./node-refusals";
export * from "./parse-flag";
export { PASSING_REASONS } from "./passing-reasons";
export * from "./permissions";
export * from "./providers";
export * from "./publication";
export * from "./reason-facts";
export * from "./reason-places";
export * from "./reasons";
export { RELEASE } from "./release";
export * from "./schema/common-fields";
export * from "./schema/crd";
export * from "./schema/nearest";
export * from "./schema/openapi";
export * from "./schema/schema";
export * from "./schema/strip-newer-fields";
export * from "./schema/validate";
export * from "./setting-problems";
