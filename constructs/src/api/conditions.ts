import { Annotation } from "./names";

/** Types of conditions; the value of each entry says what True means. */
export const CONDITION_TYPES = {
  Ready: "Observed, without error, and the provider reachable.",
  Fulfilled: "As many addresses are active as are desired.",
  DNSReady: "The record set holds what it should.",
  Conflict: "Bad: another resource claims, or a foreign writer changes, what this one asks for.",
  ProviderReachable: "The last call to the provider was answered.",
  Assigned: "The address is on a node that serves the Service.",
  FirewallReady: "The firewall lets the Service's ports through to the node.",
} as const;

/** Type of a condition. */
export type ConditionType = keyof typeof CONDITION_TYPES;

/** Types of which True is bad; of all others False is. */
export const BAD_WHEN_TRUE: readonly ConditionType[] = ["Conflict"];

/** What a reason means and what to do about it. */
export interface ReasonFacts {
  readonly meaning: string;
  /** Empty where nothing needs doing. */
  readonly remedy: string;
}

/** Reasons of conditions and addresses. Every reason that the operator writes stands here. */
export const REASONS = {
  Observed: { meaning: "It was seen to be as the condition says.", remedy: "" },
  NotObserved: {
    meaning: "The operator has not seen this resource and its provider yet.",
    remedy: "Wait a minute, then look at the operator's log.",
  },
  Paused: { meaning: "spec.paused is true: nothing but status is written.", remedy: "Set paused to false." },
  Invalid: {
    meaning: "The spec can't be served as it is; the message names field and value.",
    remedy: "Fix the field that the message names.",
  },
  DuplicateAddress: { meaning: "ips lists an address twice; it counts once.", remedy: "Remove the duplicate." },
  UnknownProvider: {
    meaning: "No provider of that name is set up in the operator.",
    remedy: "Correct provider, or give the operator a token for it.",
  },
  Unsupported: {
    meaning: "The provider can't do what the spec asks, such as DNS or IPv6.",
    remedy: "Use another provider, or leave the field out.",
  },
  Unauthorized: {
    meaning: "The provider refuses the token, or the token lacks a scope.",
    remedy: "Renew the token, or give it the scope that the message names.",
  },
  ProviderUnavailable: {
    meaning: "The provider does not answer or answers with errors.",
    remedy: "Nothing: the operator tries again. Look at the provider's status page.",
  },
  RateLimited: {
    meaning: "The account's rate limit is used up.",
    remedy: "Nothing: the operator waits. Ask the provider for a higher limit if it happens often.",
  },
  QuotaExceeded: {
    meaning: "The account may not have more addresses.",
    remedy: "Release unused addresses, or ask the provider for a higher quota.",
  },
  AddressNotFound: {
    meaning: "The account does not have this address.",
    remedy: "Correct ips or routedIP, or use the token of the account that owns it.",
  },
  AddressUnknown: {
    meaning: "A Job completed but did not report the address that it created.",
    remedy: "Set spec.routedIP to the address, or fix the Job and make a new RoutedIP.",
  },
  WrongRegion: {
    meaning: "The address is in another region than the node, or the issuer in another than all nodes.",
    remedy: "Use an address of the nodes' region, or correct region.",
  },
  ZoneNotFound: {
    meaning: "The DNS provider does not have this zone.",
    remedy: "Correct zone, or create it at the provider.",
  },
  CreationUnsettled: {
    meaning:
      "The answer to a creation was lost, of this resource or of one that it waits for; the message says which, and until when.",
    remedy: `Where the message names addresses: list the right one in ips (a RoutedIP: set routedIP), or set annotation ${Annotation.forgetCreation} on the resource that the message names.`,
  },
  OwnershipInferred: {
    meaning:
      "An address is no longer wanted, but the operator only inferred that it created it (the answer to the creation was lost): it is not released.",
    remedy: "Check at the provider whether anybody else uses the address; if not, release it there.",
  },
  CRDTooOld: {
    meaning: "The API server drops fields that the operator needs: the installed CRDs are older ones.",
    remedy: "Apply the CRDs of this release.",
  },
  UnderWay: { meaning: "A call that serves this resource is still on its way.", remedy: "" },
  InGrace: {
    meaning: "The holder does not match for the moment; it keeps its address until the grace period is over.",
    remedy: "",
  },
  CoolingOff: { meaning: "Assignments wait for assignmentCoolOffSeconds.", remedy: "" },
  NoCandidate: {
    meaning: "No node matches; addresses stay where they are.",
    remedy: "Look at the refusals in the message; correct match or the nodes.",
  },
  TooFewCandidates: {
    meaning: "Fewer nodes match than addresses are desired.",
    remedy: "Add nodes, or lower desiredIPs.",
  },
  KeptLastKnown: {
    meaning: "No node matches; the last published addresses stay.",
    remedy: "Fix match or the nodes, or set emptyPolicy to Delete.",
  },
  ClaimedByOther: {
    meaning: "Another resource has the address or DNS name; the message names it, and why.",
    remedy: "Remove it from one of the two.",
  },
  HeldElsewhere: {
    meaning: "The address is on a machine that is not a node of this cluster.",
    remedy: "Unassign it there, or use another address.",
  },
  ForeignWriter: {
    meaning: "A foreign writer keeps undoing what the operator writes.",
    remedy: "Stop the foreign writer; the operator tries every 10 minutes.",
  },
  TTLRaised: {
    meaning: "The provider takes no TTL this short; the shortest one is used.",
    remedy: "Set ttl to 60 or more.",
  },
  ServiceNotFound: { meaning: "The Service does not exist.", remedy: "Create it, or correct serviceRef." },
  ServiceUnsuitable: {
    meaning: "The Service has no pod selector, is headless or is an ExternalName.",
    remedy: "Use a ClusterIP Service with a selector.",
  },
  NamespaceNotAllowed: {
    meaning: "The Service's, class's or pods' namespace does not allow this use, or the operator may not read there.",
    remedy: "Allow it where the message says.",
  },
  PortClash: {
    meaning: "Two ports of the Service can't both be reached on one node.",
    remedy: "Change one of the ports that the message names.",
  },
  IssuerNotFound: { meaning: "The RoutedIPIssuer does not exist.", remedy: "Create it, or correct issuerRef." },
  ClassNotFound: { meaning: "The ClusterRoutedIPClass does not exist.", remedy: "Create it, or correct className." },
  SecretNotFound: {
    meaning: "The Secret or its key does not exist, or the key is empty.",
    remedy: "Create it, or correct credentialsSecretRef.",
  },
  FirewallNotFound: { meaning: "The firewall does not exist yet; it is created once a node may join it.", remedy: "" },
  FirewallForbidden: {
    meaning: "The firewall belongs to the platform, which overwrites foreign rules.",
    remedy: "Name a firewall of your own.",
  },
  FirewallFull: {
    meaning: "The firewall has no room for more rules or nodes.",
    remedy: "Use a second issuer with another firewall.",
  },
  WouldIsolateNode: {
    meaning: "The node has no other firewall: joining this one would close all its ports.",
    remedy: "Put the nodes behind a firewall of your own first.",
  },
  JobFailed: {
    meaning: "A Job of the class failed; the message holds its last words.",
    remedy: "Fix what the message says; the operator tries again.",
  },
  JobRefused: {
    meaning: "The API server refuses the Job or its pod.",
    remedy: "Fix the Job spec as the message says.",
  },
  JobsDisabled: {
    meaning: "The class uses Jobs, and the operator runs without feature jobs.",
    remedy: "Enable feature jobs.",
  },
  LimitUnsupported: {
    meaning: "perNodeIPLimit is above what the provider allows; the provider's limit holds.",
    remedy: "Lower perNodeIPLimit.",
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;

/** Reason of a condition or an address. */
export type Reason = keyof typeof REASONS;
