import { Annotation } from "./names";
import type { ReasonFacts } from "./reason-facts";
import { REMARKS } from "./remark-reasons";

/** Reasons of conditions and addresses. The operator writes no others. */
export const REASONS = {
  Observed: { meaning: "The operator observed the state that the condition reports.", remedy: "" },
  NotObserved: {
    meaning: "Not observed yet; or the spec asks for nothing of this kind.",
    remedy: "Nothing, if the message says so. Otherwise wait a minute, then read the operator's log.",
  },
  Stopped: {
    meaning: `The operator's Lease has annotation ${Annotation.stop}: the operator changes no cloud and no DNS, for any resource. It still observes, and writes status.`,
    remedy: "Run flipop resume, or remove the annotation from the Lease.",
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
    remedy:
      "Check the token in the place that the message names (wrong, expired, cut short or in base64 twice), or give it the scope that the message names. If it is the operator's own token and comes from an environment variable, restart the operator, which reads it only when it starts.",
  },
  ProviderUnavailable: {
    meaning: "The provider does not answer within 15 s, or answers with errors.",
    remedy: "Nothing: the operator tries again. If it persists, check the provider's status page.",
  },
  RateLimited: {
    meaning: "The token, or at Cloudflare the user, has used up its rate limit.",
    remedy:
      "Nothing: the operator waits. If it happens often, give other programs tokens of their own (at Cloudflare, of another user), or ask the provider for a higher limit.",
  },
  QuotaExceeded: {
    meaning: "The account has reached its quota of addresses.",
    remedy:
      "Use or release addresses that no resource uses (`flipop orphans` lists them), or ask the provider for a higher quota.",
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
    meaning: "The address is in another region than the node, or no node is in the region of the resource or issuer.",
    remedy: "Use an address of the nodes' region, or correct the field region.",
  },
  ZoneNotFound: {
    meaning: "The DNS provider does not have this zone. Addresses move all the same.",
    remedy: "Correct the field zone, or create the zone at the provider.",
  },
  CreationUnsettled: {
    meaning:
      "The response to an address creation was lost, for this resource or for one that it waits for. The message names the resource, and how long the operator waits.",
    remedy: `If the message names addresses, list the right one in ips (for a RoutedIP: set routedIP), or, if the account has no new address, set annotation ${Annotation.forgetCreation} to "true" on the resource that the message names. Otherwise wait.`,
  },
  OwnershipInferred: {
    meaning:
      "The resource no longer needs an address, but the operator only inferred that it created this address, because the response to the creation, or the status, was lost. It does not release the address.",
    remedy: "Check at the provider whether anything else uses the address. If not, release it there.",
  },
  APIServerUnavailable: {
    meaning: "The Kubernetes API server does not answer, or answers with an error of its own.",
    remedy: "Nothing: the operator tries again. If it persists, check the API server.",
  },
  APIServerRefused: {
    meaning: "The Kubernetes API server, or an admission policy or webhook, refuses a write of the operator.",
    remedy: "Give the operator the right in the message (flipop doctor lists missing ones), or change the policy.",
  },
  CRDTooOld: {
    meaning: "The API server drops fields that the operator needs: the installed CRDs are older.",
    remedy: "Apply the CRDs of this release.",
  },
  UnderWay: { meaning: "A change is under way or waits for its turn, or the resource is being deleted.", remedy: "" },
  AddressLocked: {
    meaning: "The provider has kept an address locked for 2 minutes or more, and so nothing can move it.",
    remedy: "Ask the provider's support to end the action on the address.",
  },
  InGrace: {
    meaning: "The holder does not match at the moment. It keeps its address until the grace period ends.",
    remedy: "",
  },
  CoolingOff: { meaning: "The pool waits assignmentCoolOffSeconds between two assignments.", remedy: "" },
  MassFailure: {
    meaning:
      "More than half of the holders of the cluster or of a zone, and at least 3, failed within 5 minutes, and nothing confirms some of these failures: the cause may be the control plane or its network. The addresses stay on their holders, and in the DNS names, until the message's time.",
    remedy: `Check the API server and its network to the nodes. If the nodes are really down, set annotation ${Annotation.ignoreMassFailure} to "true" on the resource, and remove it afterwards.`,
  },
  MoveLimit: {
    meaning: "The limit of moves per minute, of the pool or of the whole operator, is used up.",
    remedy:
      "Nothing: the operator continues at the time in the message. To move faster, raise maxMovesPerMinute of the pool, or flag --max-moves-per-minute.",
  },
  NoCandidate: {
    meaning: "No node matches; the addresses stay where they are.",
    remedy: "Read the refusals in the message, then correct match or the nodes.",
  },
  TooFewCandidates: {
    meaning: "Fewer nodes match than addresses are desired.",
    remedy: "Add nodes, or lower desiredIPs.",
  },
  KeptLastKnown: {
    meaning: "No node matches; the record set keeps the last published addresses, or has those of cordoned nodes.",
    remedy:
      "Fix match, or repair or uncordon the nodes. With emptyPolicy Delete, a NodeDNSRecordSet deletes its records 5 minutes after the last node has lost the labels of nodeLabel.",
  },
  ClaimedByOther: {
    meaning: "Another resource has claimed the address or DNS name; the message names the resource and the reason.",
    remedy: "Remove the address or name from one of the two resources.",
  },
  HeldElsewhere: {
    meaning: "The address is on a machine that is not a node of this cluster.",
    remedy: "Unassign the address there, or use another one. A pool takes it if ips lists it (Event TakenOver).",
  },
  ForeignWriter: {
    meaning: "A foreign writer keeps undoing the operator's changes.",
    remedy: "Stop the foreign writer; the operator tries again every 10 minutes.",
  },
  ...REMARKS,
  ServiceNotFound: { meaning: "The Service does not exist.", remedy: "Create it, or correct serviceRef or publishTo." },
  ServiceUnsuitable: {
    meaning:
      "The Service of serviceRef has no pod selector, is headless or is an ExternalName; or the Service of publishTo is not of type LoadBalancer with the required loadBalancerClass.",
    remedy: "Change the Service as the message says.",
  },
  GatewayNotFound: { meaning: "The Gateway does not exist.", remedy: "Create it, or correct publishTo." },
  GatewayNotAllowed: {
    meaning: "The Gateway has no annotation that lets resources of its namespace show their addresses.",
    remedy: `Set annotation ${Annotation.publishAddresses} of the Gateway to "true", or correct publishTo.`,
  },
  KindNotInstalled: {
    meaning: "The API server does not serve the kind of an object of publishTo, or does not let the operator read it.",
    remedy: "Follow the message; the operator notices the kind within a minute.",
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
  PortNotAllowed: {
    meaning: "The class or issuer does not allow some ports of the Service; the operator opens only the others.",
    remedy: "Use another hostPort, or ask the author of the class or issuer to list the port in allowedPorts.",
  },
  AddressNotAllowed: {
    meaning:
      "The class, the issuer or the limits of the namespace do not allow an address that the resource names; the operator does not touch it, unless it already served it.",
    remedy: "Remove the address from the spec, or ask the administrator in the message to list it in allowedAddresses.",
  },
  CreationNotAllowed: {
    meaning: "The limits of the namespace do not allow the operator to create an address for the resource.",
    remedy: "Follow the message, or ask the operator's administrator to change tenantLimits.",
  },
  NameNotAllowed: {
    meaning: "The class, the issuer or the namespace's limits do not allow the DNS name; the operator writes none.",
    remedy: "Use another name, or ask the administrator that the message names to allow it.",
  },
  RecordExists: {
    meaning:
      "The name has a CNAME; or, for a RoutedIP without adoptRecords, A or AAAA records that the operator did not write for it. These stay. A FloatingIPPool or NodeDNSRecordSet replaces A and AAAA records of others, with the Event RecordsReplaced.",
    remedy: "Delete the records, use another name, or, for a RoutedIP, ask the issuer's author to set adoptRecords.",
  },
  IssuerNotFound: {
    meaning: "The RoutedIPIssuer does not exist, or it is being deleted and the RoutedIP is newer than that.",
    remedy: "Create it. If the name is wrong, correct issuerRef of the class, or create the RoutedIP again.",
  },
  ClassNotFound: { meaning: "The class does not exist, or is being deleted.", remedy: "Create it, or use another." },
  ClassNameTaken: {
    meaning: "An older ClusterRoutedIPClass has the same name for RoutedIPs and serves them.",
    remedy: "Give the class another spec.className, or delete one of the two.",
  },
  SecretNotFound: {
    meaning: "The Secret or its key does not exist, or the key is empty.",
    remedy: "Create it, or correct credentialsSecretRef.",
  },
  NoFirewall: {
    meaning: "The issuer names no firewall, so the operator opens no port. The condition is True all the same.",
    remedy: "Set routedIPFirewallName of the issuer, or open the ports in a firewall of your own.",
  },
  AssumedOpen: {
    meaning:
      "A hostPort, or a NodePort for UDP, is in nodePortRange: the operator adds no rule for it and takes it for open. The condition is True all the same.",
    remedy: "If no other firewall lets it through, open it in one, or narrow nodePortRange of the class.",
  },
  RestrictedSources: {
    meaning:
      "The firewall lets only clients through that loadBalancerSourceRanges of the Service lists, or those of other rules at the same port.",
    remedy:
      "Nothing, if that is meant. If others are to get through, change or remove loadBalancerSourceRanges of the Service.",
  },
  FirewallRenamed: {
    meaning:
      "Somebody has renamed the firewall at the provider: the operator uses another one of the issuer's name, and the renamed one keeps the rules and nodes that it had. The condition is True all the same.",
    remedy:
      "Set routedIPFirewallName of the issuer to the new name, or delete the renamed firewall if nothing needs it.",
  },
  UnrestrictedSources: {
    meaning:
      "The firewall lets everybody through, although the Service limits its clients: by an annotation for load balancers, which the operator does not read, or by loadBalancerSourceRanges, while another rule of the firewall opens the same port.",
    remedy:
      "Set loadBalancerSourceRanges of the Service, or remove the annotation; or use a firewall that no other RoutedIP shares.",
  },
  FirewallNotFound: {
    meaning:
      "The firewall does not exist yet; the operator creates it when a RoutedIP needs a rule there and a node may join it.",
    remedy: "",
  },
  FirewallForbidden: {
    meaning: "The firewall belongs to the platform, which overwrites foreign rules.",
    remedy: "Name a firewall of your own.",
  },
  FirewallFull: {
    meaning:
      "The firewall has reached its limit of rules; or it has reached its limit of nodes, and the operator cannot create an additional firewall.",
    remedy:
      "Give the token the right to create firewalls, raise the account's limit, or use a second issuer with another firewall.",
  },
  FirewallNotEmpty: {
    meaning: "A firewall that is to go with its deleted issuer has rules or machines that others added.",
    remedy: "Remove them or the firewall at the provider, or set routedIPReclaimPolicy to Retain.",
  },
  WouldIsolateNode: {
    meaning:
      "The node has no other firewall: this one would close all ports that it does not open, such as those of SSH and the kubelet.",
    remedy: "First add the nodes to a firewall of your own that opens what they need.",
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
  PublishingDisabled: { meaning: "The operator runs without feature publish.", remedy: "Enable feature publish." },
  PublishFailed: { meaning: "The API server rejects the status with the addresses.", remedy: "Follow the message." },
  TooManyAddresses: {
    meaning: "More addresses are active than the status of a Gateway can show; it shows as many as fit.",
    remedy: "Publish to a Service, or divide the addresses between several resources and Gateways.",
  },
  NoneActive: { meaning: "No address of the resource is active.", remedy: "Read the other conditions." },
  LeaseRenewed: {
    meaning:
      "Probes of a holder fail, but its kubelet renews its Lease, and no standby replica confirms the failure: the node is alive.",
    remedy:
      "Check the port and the address of healthCheck, the service on the node, and NetworkPolicies and firewalls between the operator and the node.",
  },
  StandbyReached: {
    meaning:
      "The leading replica's probes of a holder fail, but the standby replica reaches the holder, and its kubelet is not silent: the fault is in the leading replica's network path.",
    remedy: "Check the network of the node on which the leading replica runs.",
  },
  NoWitness: {
    meaning:
      "Probes of a holder fail, but the operator cannot read the Lease of its kubelet, and no standby replica confirms the failure.",
    remedy: "Apply the roles of this release with feature healthchecks: they let the operator read these Leases.",
  },
  NoNodePasses: { meaning: "All probed nodes fail.", remedy: "Check healthCheck and the service on the nodes." },
  ControlProbeFailed: {
    meaning:
      "Probes of nodes fail, and the operator does not reach the API server or its own node either: the fault may be in its own network path.",
    remedy: "Check the network of the operator's node.",
  },
  NotProbed: { meaning: "A holder lacks the address to probe.", remedy: "Choose another healthCheck.address." },
  MachineNotFound: { meaning: "The provider has no machine of a node's providerID.", remedy: "Delete the Node." },
  InUse: {
    meaning: "It is deleted, but RoutedIPs still use it. Those that are not being deleted keep working.",
    remedy: "Do what the message says: it keeps the addresses.",
  },
  LimitUnsupported: {
    meaning: "perNodeIPLimit exceeds the provider's limit; the provider's limit applies.",
    remedy: "Lower perNodeIPLimit.",
  },
} as const satisfies Readonly<Record<string, ReasonFacts>>;

/** Reason of a condition or an address. */
export type Reason = keyof typeof REASONS;
