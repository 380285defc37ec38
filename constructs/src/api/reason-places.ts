import { type ConditionType, SUMMARY_TYPES } from "./condition-types";
import type { KindName } from "./kinds/kinds";
import type { MetricName } from "./metrics";
import { PASSING_REASONS } from "./passing-reasons";
import type { Reason } from "./reasons";

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
/** A class shows the problem of its issuer. */
const ISSUERS: readonly KindName[] = ["RoutedIPIssuer", "ClusterRoutedIPClass"];
const WITH_PROVIDER: readonly KindName[] = [...SERVED, ...ISSUERS];
const WITH_ADDRESS: readonly KindName[] = ["FloatingIPPool", "RoutedIP"];
const FAILED_CALL: readonly ConditionType[] = [
  "Accepted",
  "Fulfilled",
  "ProviderReachable",
  "DNSReady",
  "Assigned",
  "FirewallReady",
];
/** Conditions of a RoutedIP on which the operator cannot act at all. */
const UNSERVED: readonly ConditionType[] = ["Accepted", "Assigned", "FirewallReady"];
const SERVICE: ReasonPlace = { kinds: ["RoutedIP"], conditions: UNSERVED };
const NAMED_SERVICE: ReasonPlace = { kinds: WITH_ADDRESS, conditions: [...UNSERVED, "Published"] };
const PUBLICATION: ReasonPlace = { kinds: WITH_ADDRESS, conditions: ["Published"] };
const FIREWALL: ReasonPlace = { kinds: ["RoutedIP", ...ISSUERS], conditions: UNSERVED };
const ISSUER: ReasonPlace = { kinds: ["RoutedIP", "ClusterRoutedIPClass"], conditions: UNSERVED };
const JOB: ReasonPlace = { kinds: ["RoutedIP", "ClusterRoutedIPClass"], conditions: UNSERVED };
const API_SERVER: ReasonPlace = { kinds: SERVED, conditions: ["Fulfilled", "DNSReady", ...UNSERVED], ofAddress: true };
const DOUBT: ReasonPlace = { kinds: SERVED, conditions: ["ProbesDoubted"] };

/** Beside the conditions that `withSummary` adds. */
const OWN_PLACES = {
  Observed: {
    kinds: ALL,
    conditions: [
      ...SUMMARY_TYPES,
      "Accepted",
      "Fulfilled",
      "DNSReady",
      "Published",
      "Conflict",
      "ProviderReachable",
      "Assigned",
      "FirewallReady",
      "ProbesDoubted",
      "MassFailure",
    ],
  },
  NotObserved: {
    kinds: ALL,
    conditions: ["Accepted", "Fulfilled", "DNSReady", "Published", "ProviderReachable", "Assigned", "FirewallReady"],
  },
  Stopped: {
    kinds: ALL,
    conditions: ["Ready", "Fulfilled", "DNSReady", "Published", ...UNSERVED],
    ofAddress: true,
  },
  Paused: { kinds: SERVED, conditions: ["Fulfilled", "DNSReady", "Published", ...UNSERVED], ofAddress: true },
  Invalid: { kinds: ALL, conditions: ["Fulfilled", "DNSReady", ...UNSERVED], ofAddress: true },
  DuplicateAddress: { kinds: ["FloatingIPPool"], conditions: ["Accepted"] },
  UnknownProvider: { kinds: WITH_PROVIDER, conditions: ["Fulfilled", "DNSReady", "ProviderReachable", ...UNSERVED] },
  Unsupported: { kinds: WITH_PROVIDER, conditions: ["Fulfilled", "DNSReady", ...UNSERVED] },
  Unauthorized: { kinds: WITH_PROVIDER, conditions: FAILED_CALL, ofAddress: true },
  ProviderUnavailable: { kinds: WITH_PROVIDER, conditions: FAILED_CALL, ofAddress: true },
  RateLimited: { kinds: WITH_PROVIDER, conditions: FAILED_CALL, ofAddress: true },
  QuotaExceeded: {
    kinds: WITH_ADDRESS,
    conditions: ["Accepted", "Fulfilled", "Assigned", "FirewallReady"],
    ofAddress: true,
  },
  AddressNotFound: { kinds: WITH_ADDRESS, conditions: ["Accepted", "Fulfilled", "Assigned"], ofAddress: true },
  AddressUnknown: { kinds: ["RoutedIP"], conditions: UNSERVED, ofAddress: true },
  WrongRegion: {
    kinds: [...WITH_ADDRESS, ...ISSUERS],
    conditions: ["Accepted", "Fulfilled", "Assigned"],
    ofAddress: true,
  },
  ZoneNotFound: { kinds: SERVED, conditions: ["Accepted", "DNSReady"] },
  // The operator settles most lost answers by itself; the others need a person.
  CreationUnsettled: { kinds: WITH_ADDRESS, conditions: ["Stalled", "Accepted", "Fulfilled", "Assigned"] },
  OwnershipInferred: { kinds: WITH_ADDRESS, conditions: ["Accepted"], ofAddress: true },
  APIServerUnavailable: API_SERVER,
  APIServerRefused: API_SERVER,
  CRDTooOld: { kinds: WITH_ADDRESS, conditions: ["Accepted", "Fulfilled", "Assigned"] },
  UnderWay: {
    kinds: ALL,
    conditions: ["Accepted", "Fulfilled", "DNSReady", "Assigned", "FirewallReady", "Published"],
    ofAddress: true,
  },
  AddressLocked: { kinds: WITH_ADDRESS, conditions: ["Fulfilled", "Assigned"], ofAddress: true },
  InGrace: { kinds: WITH_ADDRESS, conditions: ["Ready", "Assigned"], ofAddress: true },
  CoolingOff: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  MassFailure: { kinds: SERVED, conditions: ["MassFailure", "Fulfilled", "Assigned"], ofAddress: true },
  MoveLimit: { kinds: WITH_ADDRESS, conditions: ["Fulfilled", "Assigned"], ofAddress: true },
  NoCandidate: { kinds: SERVED, conditions: ["Accepted", "Fulfilled", "DNSReady", "Assigned"], ofAddress: true },
  TooFewCandidates: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  KeptLastKnown: { kinds: SERVED, conditions: ["DNSReady"] },
  ClaimedByOther: {
    kinds: SERVED,
    conditions: ["Conflict", "Accepted", "Fulfilled", "DNSReady", "Published", "Assigned"],
    ofAddress: true,
  },
  HeldElsewhere: {
    kinds: WITH_ADDRESS,
    conditions: ["Conflict", "Accepted", "Fulfilled", "Assigned"],
    ofAddress: true,
  },
  ForeignWriter: {
    kinds: SERVED,
    conditions: ["Conflict", "Accepted", "Fulfilled", "DNSReady", "Published", "Assigned"],
    ofAddress: true,
  },
  HolderCordoned: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  NoOpenPort: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  UnlistedAddresses: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  NoNodeInRegion: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  SeveralNamespaces: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  SeveralWorkloads: { kinds: ["FloatingIPPool"], conditions: ["Fulfilled"] },
  EndpointWithoutPod: { kinds: ["RoutedIP"], conditions: ["Assigned"] },
  TTLRaised: { kinds: SERVED, conditions: ["DNSReady"] },
  DelegatedName: { kinds: SERVED, conditions: ["DNSReady"] },
  LongTTL: { kinds: ["NodeDNSRecordSet"], conditions: ["DNSReady"] },
  Proxied: { kinds: SERVED, conditions: ["DNSReady"] },
  UnmanagedRecords: { kinds: SERVED, conditions: ["DNSReady"] },
  UnreadyPods: { kinds: ["NodeDNSRecordSet"], conditions: ["DNSReady"] },
  TaintedNodes: { kinds: ["NodeDNSRecordSet"], conditions: ["DNSReady"] },
  SharedAddress: { kinds: ["NodeDNSRecordSet"], conditions: ["DNSReady"] },
  MissingFamily: { kinds: ["NodeDNSRecordSet"], conditions: ["DNSReady"] },
  PrivateAddresses: { kinds: ["NodeDNSRecordSet"], conditions: ["DNSReady"] },
  UnlistedPorts: { kinds: ["RoutedIP"], conditions: ["FirewallReady"] },
  ServiceNotFound: NAMED_SERVICE,
  ServiceUnsuitable: NAMED_SERVICE,
  GatewayNotFound: PUBLICATION,
  GatewayNotAllowed: PUBLICATION,
  KindNotInstalled: PUBLICATION,
  NamespaceNotAllowed: { kinds: ALL, conditions: ["Accepted", "Fulfilled", "DNSReady", "Assigned", "FirewallReady"] },
  PortClash: SERVICE,
  PortNotAllowed: SERVICE,
  AddressNotAllowed: {
    kinds: WITH_ADDRESS,
    conditions: ["Fulfilled", ...UNSERVED],
    ofAddress: true,
  },
  CreationNotAllowed: { kinds: WITH_ADDRESS, conditions: ["Fulfilled", "Assigned"] },
  NameNotAllowed: { kinds: SERVED, conditions: ["DNSReady"] },
  RecordExists: { kinds: SERVED, conditions: ["Accepted", "DNSReady"] },
  IssuerNotFound: ISSUER,
  ClassNotFound: { kinds: ["RoutedIP"], conditions: UNSERVED },
  ClassNameTaken: { kinds: ["ClusterRoutedIPClass"], conditions: ["Accepted"] },
  SecretNotFound: { kinds: ["RoutedIP", ...ISSUERS], conditions: UNSERVED },
  NoFirewall: { kinds: ["RoutedIP"], conditions: ["FirewallReady"] },
  AssumedOpen: { kinds: ["RoutedIP"], conditions: ["FirewallReady"] },
  RestrictedSources: { kinds: ["RoutedIP"], conditions: ["FirewallReady"] },
  FirewallRenamed: { kinds: ["RoutedIP"], conditions: ["FirewallReady"] },
  UnrestrictedSources: { kinds: ["RoutedIP"], conditions: ["FirewallReady"] },
  FirewallNotFound: FIREWALL,
  FirewallForbidden: FIREWALL,
  FirewallFull: FIREWALL,
  WouldIsolateNode: FIREWALL,
  JobFailed: { ...JOB, ofAddress: true },
  JobRefused: { ...JOB, ofAddress: true },
  JobsDisabled: JOB,
  PublishingDisabled: PUBLICATION,
  PublishFailed: PUBLICATION,
  TooManyAddresses: PUBLICATION,
  NoneActive: { kinds: WITH_ADDRESS, conditions: ["DNSReady", "Published"] },
  LeaseRenewed: DOUBT,
  StandbyReached: DOUBT,
  NoWitness: DOUBT,
  NoNodePasses: DOUBT,
  ControlProbeFailed: DOUBT,
  NotProbed: DOUBT,
  MachineNotFound: { kinds: ["RoutedIP"], conditions: UNSERVED },
  InUse: { kinds: ISSUERS, conditions: [] },
  FirewallNotEmpty: { kinds: ["RoutedIPIssuer"], conditions: [] },
  LimitUnsupported: { kinds: ["RoutedIP", "ClusterRoutedIPClass"], conditions: UNSERVED },
} as const satisfies Readonly<Record<Reason, ReasonPlace>>;

/** The kinds and conditions in which each reason can appear. */
export const REASON_PLACES = Object.fromEntries(
  (Object.keys(OWN_PLACES) as Reason[]).map((reason) => [reason, withSummary(reason, OWN_PLACES[reason])]),
) as Readonly<Record<Reason, ReasonPlace>>;

/** The summary repeats the reason of the condition that it is about. */
function withSummary(reason: Reason, place: ReasonPlace): ReasonPlace {
  const unmet = PASSING_REASONS.includes(reason) ? "Reconciling" : "Stalled";
  return { ...place, conditions: [...new Set<ConditionType>(["Ready", unmet, ...place.conditions])] };
}

/** The metrics that help to explain a bad condition, or to alert on it. */
export const CONDITION_METRICS: Readonly<Record<ConditionType, readonly MetricName[]>> = {
  Ready: ["flipop_floatingippoolcontroller_ip_state", "flipop_providers_calls_total"],
  Reconciling: ["flipop_floatingippoolcontroller_ip_state"],
  Stalled: ["flipop_floatingippoolcontroller_ip_state"],
  Accepted: ["flipop_floatingippoolcontroller_ip_state", "flipop_providers_calls_total"],
  Fulfilled: [
    "flipop_floatingippoolcontroller_inactive_ips",
    "flipop_floatingippoolcontroller_unfulfilled_ips",
    "flipop_floatingippoolcontroller_node_status",
  ],
  DNSReady: ["flipop_nodednsrecordset_records", "flipop_providers_calls_total"],
  Published: ["flipop_floatingippoolcontroller_ip_state"],
  Conflict: ["flipop_floatingippoolcontroller_ip_state"],
  ProviderReachable: ["flipop_providers_calls_total", "flipop_providers_call_duration_seconds"],
  Assigned: ["flipop_providers_calls_total"],
  FirewallReady: ["flipop_providers_calls_total"],
  ProbesDoubted: ["flipop_health_probes_total"],
  MassFailure: ["flipop_mass_failure"],
};
