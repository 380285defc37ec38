import type { ConditionType, Reason } from "./conditions";
import type { KindName } from "./kinds";
import type { MetricName } from "./metrics";

/** Where a reason can appear. */
export interface ReasonPlace {
  readonly kinds: readonly KindName[];
  readonly conditions: readonly ConditionType[];
  /**
   * Whether it can also be the reason of a single address: `status.ips.KEY.reason` of a pool, `status.reason` of a
   * RoutedIP.
   */
  readonly ofAddress?: true;
}

const ALL: readonly KindName[] = [
  "FloatingIPPool",
  "NodeDNSRecordSet",
  "RoutedIP",
  "RoutedIPIssuer",
  "ClusterRoutedIPClass",
];
const SERVED: readonly KindName[] = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"];
const WITH_PROVIDER: readonly KindName[] = [...SERVED, "RoutedIPIssuer"];
const WITH_ADDRESS: readonly KindName[] = ["FloatingIPPool", "RoutedIP"];
const FAILED_CALL: readonly ConditionType[] = [
  "Ready",
  "Fulfilled",
  "ProviderReachable",
  "DNSReady",
  "Assigned",
  "FirewallReady",
];
/** Conditions of a RoutedIP on which the operator cannot act at all. */
const UNSERVED: readonly ConditionType[] = ["Ready", "Assigned", "FirewallReady"];
const SERVICE: ReasonPlace = { kinds: ["RoutedIP"], conditions: UNSERVED };
const FIREWALL: ReasonPlace = { kinds: ["RoutedIP", "RoutedIPIssuer"], conditions: ["Ready", "FirewallReady"] };
const ISSUER: ReasonPlace = { kinds: ["RoutedIP", "ClusterRoutedIPClass"], conditions: UNSERVED };
const JOB: ReasonPlace = { kinds: ["RoutedIP", "ClusterRoutedIPClass"], conditions: UNSERVED };

/** The kinds and conditions in which each reason can appear. */
export const REASON_PLACES = {
  Observed: {
    kinds: ALL,
    conditions: ["Ready", "Fulfilled", "DNSReady", "Conflict", "ProviderReachable", "Assigned", "FirewallReady"],
  },
  NotObserved: {
    kinds: ALL,
    conditions: ["Ready", "Fulfilled", "DNSReady", "ProviderReachable", "Assigned", "FirewallReady"],
  },
  Paused: { kinds: SERVED, conditions: ["Ready"] },
  Invalid: { kinds: ALL, conditions: ["Fulfilled", "DNSReady", ...UNSERVED], ofAddress: true },
  DuplicateAddress: { kinds: ["FloatingIPPool"], conditions: ["Ready"] },
  UnknownProvider: { kinds: WITH_PROVIDER, conditions: ["Fulfilled", "DNSReady", "ProviderReachable", ...UNSERVED] },
  Unsupported: { kinds: WITH_PROVIDER, conditions: ["Fulfilled", "DNSReady", ...UNSERVED] },
  Unauthorized: { kinds: WITH_PROVIDER, conditions: FAILED_CALL, ofAddress: true },
  ProviderUnavailable: { kinds: WITH_PROVIDER, conditions: FAILED_CALL, ofAddress: true },
  RateLimited: { kinds: WITH_PROVIDER, conditions: FAILED_CALL, ofAddress: true },
  QuotaExceeded: { kinds: WITH_ADDRESS, conditions: ["Fulfilled", "Assigned"], ofAddress: true },
  AddressNotFound: { kinds: WITH_ADDRESS, conditions: ["Ready", "Fulfilled", "Assigned"], ofAddress: true },
  AddressUnknown: { kinds: ["RoutedIP"], conditions: UNSERVED, ofAddress: true },
  WrongRegion: {
    kinds: [...WITH_ADDRESS, "RoutedIPIssuer"],
    conditions: ["Ready", "Fulfilled", "Assigned"],
    ofAddress: true,
  },
  ZoneNotFound: { kinds: SERVED, conditions: ["Ready", "DNSReady"] },
  CreationUnsettled: { kinds: WITH_ADDRESS, conditions: ["Ready", "Fulfilled", "Assigned"] },
  OwnershipInferred: { kinds: WITH_ADDRESS, conditions: ["Ready"], ofAddress: true },
  CRDTooOld: { kinds: WITH_ADDRESS, conditions: ["Ready", "Fulfilled", "Assigned"] },
  UnderWay: { kinds: WITH_ADDRESS, conditions: ["Fulfilled", "Assigned"] },
  InGrace: { kinds: WITH_ADDRESS, conditions: ["Assigned"], ofAddress: true },
  CoolingOff: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  NoCandidate: { kinds: SERVED, conditions: ["Ready", "Fulfilled", "DNSReady", "Assigned"], ofAddress: true },
  TooFewCandidates: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  KeptLastKnown: { kinds: SERVED, conditions: ["DNSReady"] },
  ClaimedByOther: {
    kinds: SERVED,
    conditions: ["Conflict", "Ready", "Fulfilled", "DNSReady", "Assigned"],
    ofAddress: true,
  },
  HeldElsewhere: { kinds: WITH_ADDRESS, conditions: ["Conflict", "Ready", "Fulfilled", "Assigned"], ofAddress: true },
  ForeignWriter: {
    kinds: SERVED,
    conditions: ["Conflict", "Ready", "Fulfilled", "DNSReady", "Assigned"],
    ofAddress: true,
  },
  TTLRaised: { kinds: SERVED, conditions: ["DNSReady"] },
  ServiceNotFound: SERVICE,
  ServiceUnsuitable: SERVICE,
  NamespaceNotAllowed: { kinds: ALL, conditions: ["Ready", "DNSReady", "Assigned", "FirewallReady"] },
  PortClash: SERVICE,
  IssuerNotFound: ISSUER,
  ClassNotFound: { kinds: ["RoutedIP"], conditions: UNSERVED },
  SecretNotFound: { kinds: ["RoutedIP", "RoutedIPIssuer"], conditions: UNSERVED },
  FirewallNotFound: FIREWALL,
  FirewallForbidden: FIREWALL,
  FirewallFull: FIREWALL,
  WouldIsolateNode: FIREWALL,
  JobFailed: { ...JOB, ofAddress: true },
  JobRefused: { ...JOB, ofAddress: true },
  JobsDisabled: JOB,
  LimitUnsupported: { kinds: ["RoutedIP", "ClusterRoutedIPClass"], conditions: UNSERVED },
} as const satisfies Readonly<Record<Reason, ReasonPlace>>;

/** The metrics that help to explain a bad condition, or to alert on it. */
export const CONDITION_METRICS: Readonly<Record<ConditionType, readonly MetricName[]>> = {
  Ready: ["flipop_floatingippoolcontroller_ip_state", "flipop_providers_calls_total"],
  Fulfilled: [
    "flipop_floatingippoolcontroller_inactive_ips",
    "flipop_floatingippoolcontroller_unfulfilled_ips",
    "flipop_floatingippoolcontroller_node_status",
  ],
  DNSReady: ["flipop_nodednsrecordset_records", "flipop_providers_calls_total"],
  Conflict: ["flipop_floatingippoolcontroller_ip_state"],
  ProviderReachable: ["flipop_providers_calls_total", "flipop_providers_call_duration_seconds"],
  Assigned: ["flipop_providers_calls_total"],
  FirewallReady: ["flipop_providers_calls_total"],
};
