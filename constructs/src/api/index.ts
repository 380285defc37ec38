/**
 * The type model of flipop: its custom resources, the operator's permissions and its configuration. The construct
 * library uses it to write resources, and the operator to read them. It imports nothing, so that both can use it.
 */
export * from "./address-status";
export * from "./cluster-routed-ip-class";
export { type PortNumbers, parsePortRange } from "./cluster-routed-ip-class-rules";
export * from "./common-fields";
export * from "./condition";
export * from "./conditions";
export * from "./config";
export * from "./crd";
export * from "./dns-record-set";
export * from "./events";
export * from "./firewall-rule";
export * from "./flag-value";
export * from "./floating-ip-pool";
export * from "./floating-ip-pool-status";
export { canonicalIp, familyOf, type IpFamily, isIp } from "./ip-address";
export * from "./job-limits";
export * from "./kinds";
export {
  type ParsedSelector,
  parseLabelSelector,
  type SelectorOperator,
  type SelectorRequirement,
  selectorMatches,
} from "./label-selector";
export type { SelectorSyntaxError } from "./label-selector-tokens";
export * from "./match";
export * from "./metrics";
export * from "./names";
export * from "./nearest";
export * from "./node-dns-record-set";
export * from "./openapi";
export * from "./permissions";
export * from "./providers";
export * from "./reason-places";
export * from "./refusals";
export { RELEASE } from "./release";
export * from "./resource-kind";
export * from "./routed-ip";
export * from "./routed-ip-issuer";
export * from "./schema";
export * from "./toleration";
export * from "./validate";
