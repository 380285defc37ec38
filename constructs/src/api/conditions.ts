import { Annotation } from "./names";

/** Condition types. The value of each entry is the meaning of True. */
export const CONDITION_TYPES = {
  Ready: "The operator observed the resource without errors, and the provider is reachable.",
  Fulfilled: "The number of active addresses equals the number of desired ones.",
  DNSReady: "The record set has the desired content.",
  Conflict: "Bad: another resource claims an address or DNS name of this resource, or a foreign writer changes it.",
  ProviderReachable: "The provider answered the last call.",
  Assigned: "The address is on a node that serves the Service.",
  FirewallReady: "The firewall allows traffic to the Service's ports on the node.",
} as const;

/** Type of a condition. */
export type ConditionType = keyof typeof CONDITION_TYPES;

/** Condition types whose bad status is True. The bad status of all others is False. */
export const BAD_WHEN_TRUE: readonly ConditionType[] = ["Conflict"];

/** Meaning of a reason, and what to do about it. */
export interface ReasonFacts {
  readonly meaning: string;
  /** Empty if there is nothing to do. */
  readonly remedy: string;
}

/** Reasons of conditions and addresses. The operator writes no others. */
export const REASONS = {
  Observed: { meaning: "The operator observed the state that the condition reports.", remedy: "" },
  NotObserved: {
    meaning: "The operator has not observed this resource and its provider yet.",
    remedy: "Wait a minute, then read the operator's log.",
  },
  Paused: { meaning: "spec.paused is true: the operator writes only status.", remedy: "Set paused to false." },
  Invalid: {
    meaning: "The operator cannot act on the spec; the message names the field and its value.",
    remedy: "Fix the field that the message names.",
  },
  DuplicateAddress: {
    meaning: "ips lists an address twice; the operator counts it once.",
    remedy: "Remove the duplicate.",
  },
  UnknownProvider: {
    meaning: "The operator has no provider with this name.",
    remedy: "Correct the field provider, or give the operator a token for this provider.",
  },
  Unsupported: {
    meaning: "The provider does not support something that the spec requires, such as DNS or IPv6.",
    remedy: "Use another provider, or remove the field.",
  },
  Unauthorized: {
    meaning: "The provider rejects the token, or the token lacks a scope.",
    remedy: "Replace the token, or give it the scope that the message names.",
  },
  ProviderUnavailable: {
    meaning: "The provider does not answer or answers with errors.",
    remedy: "Nothing: the operator tries again. If it persists, check the provider's status page.",
  },
  RateLimited: {
    meaning: "The account has used up its rate limit.",
    remedy: "Nothing: the operator waits. If it happens often, ask the provider for a higher limit.",
  },
  QuotaExceeded: {
    meaning: "The account has reached its quota of addresses.",
    remedy: "Release unused addresses, or ask the provider for a higher quota.",
  },
  AddressNotFound: {
    meaning: "The account does not have this address.",
    remedy: "Correct ips or routedIP, or use the token of the account that owns the address.",
  },
  AddressUnknown: {
    meaning: "A Job completed but did not report the address that it created.",
    remedy: "Set spec.routedIP to the address, or fix the Job and create a new RoutedIP.",
  },
  WrongRegion: {
    meaning: "The address is in another region than the node, or no node is in the issuer's region.",
    remedy: "Use an address of the nodes' region, or correct the field region.",
  },
  ZoneNotFound: {
    meaning: "The DNS provider does not have this zone.",
    remedy: "Correct the field zone, or create the zone at the provider.",
  },
  CreationUnsettled: {
    meaning:
      "The response to an address creation was lost, for this resource or for one that it waits for. The message names the resource, and how long the operator waits.",
    remedy: `If the message names addresses, list the right one in ips (for a RoutedIP: set routedIP), or set annotation ${Annotation.forgetCreation} on the resource that the message names.`,
  },
  OwnershipInferred: {
    meaning:
      "The resource no longer needs an address, but the operator only inferred that it created this address, because the response to the creation was lost. It does not release the address.",
    remedy: "Check at the provider whether anything else uses the address. If not, release it there.",
  },
  CRDTooOld: {
    meaning:
      "The API server drops fields that the operator needs, because the installed CRDs are older than the operator.",
    remedy: "Apply the CRDs of this release.",
  },
  UnderWay: { meaning: "A call for this resource is still in progress.", remedy: "" },
  InGrace: {
    meaning: "The holder does not match at the moment. It keeps its address until the grace period ends.",
    remedy: "",
  },
  CoolingOff: { meaning: "The pool waits assignmentCoolOffSeconds between two assignments.", remedy: "" },
  NoCandidate: {
    meaning: "No node matches; the addresses stay where they are.",
    remedy: "Read the refusals in the message, then correct match or the nodes.",
  },
  TooFewCandidates: {
    meaning: "Fewer nodes match than addresses are desired.",
    remedy: "Add nodes, or lower desiredIPs.",
  },
  KeptLastKnown: {
    meaning: "No node matches; the record set keeps the last published addresses.",
    remedy: "Fix match or the nodes, or set emptyPolicy to Delete.",
  },
  ClaimedByOther: {
    meaning: "Another resource has claimed the address or DNS name; the message names the resource and the reason.",
    remedy: "Remove the address or name from one of the two resources.",
  },
  HeldElsewhere: {
    meaning: "The address is on a machine that is not a node of this cluster.",
    remedy: "Unassign the address there, or use another address.",
  },
  ForeignWriter: {
    meaning: "A foreign writer keeps undoing the operator's changes.",
    remedy: "Stop the foreign writer; the operator tries again every 10 minutes.",
  },
  TTLRaised: {
    meaning: "The provider does not support a TTL this short; the operator uses the shortest supported one.",
    remedy: "Set ttl to 60 or more.",
  },
  ServiceNotFound: { meaning: "The Service does not exist.", remedy: "Create it, or correct serviceRef." },
  ServiceUnsuitable: {
    meaning: "The Service has no pod selector, is headless or is an ExternalName.",
    remedy: "Use a ClusterIP Service with a selector.",
  },
  NamespaceNotAllowed: {
    meaning:
      "The Service, the class or the pods' namespace does not allow this use, or the operator may not read in the namespace.",
    remedy: "Allow it in the place that the message names.",
  },
  PortClash: {
    meaning: "Two ports of the Service conflict: one node cannot serve both.",
    remedy: "Change one of the ports that the message names.",
  },
  IssuerNotFound: { meaning: "The RoutedIPIssuer does not exist.", remedy: "Create it, or correct issuerRef." },
  ClassNotFound: { meaning: "The ClusterRoutedIPClass does not exist.", remedy: "Create it, or correct className." },
  SecretNotFound: {
    meaning: "The Secret or its key does not exist, or the key is empty.",
    remedy: "Create it, or correct credentialsSecretRef.",
  },
  FirewallNotFound: {
    meaning: "The firewall does not exist yet; the operator creates it when a node may join it.",
    remedy: "",
  },
  FirewallForbidden: {
    meaning: "The firewall belongs to the platform, which overwrites foreign rules.",
    remedy: "Name a firewall of your own.",
  },
  FirewallFull: {
    meaning: "The firewall has reached its limit of rules or nodes.",
    remedy: "Use a second issuer with another firewall.",
  },
  WouldIsolateNode: {
    meaning: "The node has no other firewall: joining this one would close all its ports.",
    remedy: "Put the nodes behind a firewall of your own first.",
  },
  JobFailed: {
    meaning: "A Job of the class failed; the message contains the termination message of its pod.",
    remedy: "Fix the cause that the message names; the operator tries again.",
  },
  JobRefused: {
    meaning: "The API server rejects the Job or its pod.",
    remedy: "Fix the Job spec; the message names the mistake.",
  },
  JobsDisabled: {
    meaning: "The class uses Jobs, but the operator runs without feature jobs.",
    remedy: "Enable feature jobs.",
  },
  LimitUnsupported: {
    meaning: "perNodeIPLimit exceeds the provider's limit; the provider's limit applies.",
    remedy: "Lower perNodeIPLimit.",
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;

/** Reason of a condition or an address. */
export type Reason = keyof typeof REASONS;
