/** What the summary of a resource says when no other condition says it, and what a deletion waits for. */

import type { ConditionType, Reason } from "cdk8s-flipop/api";
import { secondsText, timeText } from "../clock.js";
import { finalizersText } from "../match/node-workload.js";
import { listed, listedClauses } from "../values.js";
import { annotationOf, type Owned, refText } from "./claims.js";
import {
  classInUse,
  type Held,
  issuerInUse,
  keptByInstallation,
  othersOf,
  removalRemedy,
} from "./deletion/kept-resource.js";
import { note, type Problem, partsOf, problem, topic } from "./message.js";

const EXAMPLE_CAUSE: Problem = {
  reason: "Unauthorized",
  message:
    "digitalocean: list reserved IPs: answer 401; fix: check the token that the operator reads from entry token of Secret web/cloud",
};

const EXAMPLE_ZONE: Problem = { reason: "ZoneNotFound", message: "the account has no zone example.com" };

export const summaryMessages = topic("summary", {
  serves: note({ reason: "Observed", text: () => "the resource serves as requested" }),
  nothingToDo: note({ reason: "Observed", text: () => "the resource serves as requested; nothing is left to do" }),
  nothingMoreToDo: note({
    reason: "Observed",
    text: () => "the operator has nothing left to do; condition Ready says what it does not do",
  }),
  waits: note({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    text: () => "condition Ready shows what the operator does or waits for, and who can help",
    example: { cause: EXAMPLE_CAUSE },
  }),
  stalled: problem({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    by: "cause",
    text: () => "the operator cannot proceed until a person removes the obstacle that condition Ready names",
    example: { cause: EXAMPLE_CAUSE },
  }),
  waitsForPerson: note({
    reason: "Observed",
    text: () => "the operator waits for a person; condition Ready says for what",
  }),
  partOfMatchIgnored: problem({
    reason: "Invalid",
    by: "author",
    text: ({ ignored, cause }: { readonly ignored: readonly string[]; readonly cause: Problem }) =>
      `the operator ignores a part of the spec, which may be what keeps nodes away: ${listedClauses(ignored)}; meanwhile, ${partsOf(cause.message)[0]}`,
    remedy: ({ cause }) => ["correct or remove this part first", ...partsOf(cause.message).slice(1)],
    example: {
      ignored: ['spec.match.tolerations[1]: operator is "exists", not Exists or Equal'],
      cause: { reason: "NoCandidate", message: "0 of 9 nodes match, 9 are tainted" },
    },
  }),
  remedyElsewhere: problem({
    ...{ reason: reasonOf, by: "cause", remedyInText: true },
    text: ({ causes, types }: Causes) => {
      const seen = causes.map(({ message }) => partsOf(message)[0]);
      const [first, second] = types;
      const where = second === undefined ? ` ${first} has the remedy` : `s ${first} and ${second} have the remedies`;
      return `${besides(seen, types)}; condition${where}`;
    },
    example: { causes: [EXAMPLE_CAUSE], types: ["Accepted"] },
  }),
  twoCauses: problem({
    ...{ reason: reasonOf, by: "cause", remedyInText: true },
    text: ({ causes, types }: Causes) =>
      besides(
        causes.map(({ message }) => message),
        types,
      ),
    example: {
      causes: [{ reason: "NoCandidate", message: "0 of 3 nodes match" }, EXAMPLE_ZONE],
      types: ["Fulfilled", "DNSReady"],
    },
  }),
  notStalled: note({
    reason: "Observed",
    text: () => "the operator proceeds as soon as it can; condition Ready shows what it waits for, and who can help",
  }),
});

interface Causes {
  /** A second one needs a person. */
  readonly causes: readonly [Problem, ...Problem[]];
  /** Of the conditions that say them. */
  readonly types: readonly ConditionType[];
}

function reasonOf({ causes: [{ reason }] }: Causes): Reason {
  return reason;
}

function besides([first = "", second]: readonly string[], [, type]: Causes["types"]): string {
  return second === undefined ? first : `${first}; besides, condition ${type} is False: ${second}`;
}

interface Waiting {
  /** What the operator still has to remove, in words. */
  readonly left: readonly string[];
  /** Why the operator cannot remove it. */
  readonly cause: Problem;
  readonly finalizer: string;
}

interface KeptFirewalls extends Pick<Waiting, "left"> {
  /** Whether they stay under routedIPReclaimPolicy Retain. */
  readonly retainable: boolean;
}

interface Removing {
  readonly kind: string;
  /** What the operator still has to remove, in words; empty: nothing. */
  readonly left: readonly string[];
  /** ms since the epoch: addresses stay until then. */
  readonly until?: number;
  /** Of their records, in seconds. */
  readonly ttl?: number;
}

function waitsFor(left: readonly string[]): string {
  return `the deletion waits until the operator has removed ${listed(left)}`;
}

function removingText({ kind, left, until, ttl }: Removing): string {
  if (left.length === 0) return "the operator has nothing left to clean up, and the deletion ends with its finalizer";
  const { kept, shorter } = kind === "RoutedIP" ? DRAIN_OF_ROUTED : DRAIN_OF_POOL;
  // A TTL of a day looks like a deletion that hangs.
  const end = ttl === undefined ? "" : ` (their TTL is ${secondsText(ttl)}); to end the wait, ${shorter}`;
  const drains =
    until === undefined ? "" : `; ${kept} until ${timeText(until)}, when resolvers no longer have its records${end}`;
  return `${waitsFor(left)}${drains}`;
}

const DRAIN_OF_POOL = {
  kept: "the operator releases no address",
  shorter:
    "and to keep the addresses in the account, set reclaimPolicy to Retain, unless the namespace has a maximum of created addresses",
};
const DRAIN_OF_ROUTED = {
  kept: "the address and its ports stay as they are",
  shorter: "set dnsRecordSet.deletionPolicy to Retain: the records are gone already",
};

interface StillPublished {
  readonly ips: readonly string[];
  readonly resource: Parameters<typeof refText>[0];
}

interface Marked extends Owned {
  readonly ip: string;
}

interface OnFormerName {
  readonly ips: readonly string[];
  /** Full. */
  readonly name: string;
}

interface WaitingForUsers {
  /** RoutedIPs, as `namespace/name`. */
  readonly users: readonly string[];
  readonly cause: Problem;
}

function seenIn({ message }: Problem): string {
  return partsOf(message)[0];
}

/** Its other remedies are for a resource that stays. */
function mildestOf({ message }: Problem): string {
  const [, mildest] = partsOf(message);
  return mildest === undefined ? "" : `${mildest}; `;
}

/** What new RoutedIPs may not use any more. */
interface Leaving {
  readonly kind: "RoutedIPIssuer" | "ClusterRoutedIPClass";
  readonly name: string;
}

export const deletionMessages = topic("deletion", {
  issuerInUse: problem(issuerInUse),
  classInUse: problem(classInUse),
  keptByInstallation: problem(keptByInstallation),
  keptByOthers: problem({
    reason: "UnderWay",
    by: "author",
    text: ({ finalizers }: Held) =>
      `the resource is being deleted, and the operator has nothing left to clean up; ${finalizersText(othersOf(finalizers))} of ${othersOf(finalizers).length === 1 ? "another program keeps" : "other programs keep"} it`,
    remedy: removalRemedy,
    example: { plural: "routedips", namespace: "web", name: "shop", finalizers: ["example.com/gitops"] },
  }),
  underWay: note({
    reason: "UnderWay",
    text: (removing: Removing) => `the resource is being deleted: ${removingText(removing)}`,
    example: {
      kind: "FloatingIPPool",
      left: ["address 203.0.113.7"],
      until: Date.parse("2026-01-01T10:02:11Z"),
      ttl: 60,
    },
  }),
  releasedAfterDns: problem({
    reason: "UnderWay",
    by: "author",
    text: ({ ips, resource }: StillPublished) =>
      `${refText(resource)} publishes ${listed(ips)}, so the operator releases ${ips.length > 1 ? "them" : "it"} only after the TTL of the records, once ${ips.length > 1 ? "they have" : "it has"} left the name`,
    remedy:
      "if it stays in the name because no other node has an address, give the nodes addresses again, or delete that NodeDNSRecordSet",
    example: {
      ips: ["203.0.113.7"],
      resource: { kind: "NodeDNSRecordSet", namespace: "ingress", name: "web" },
    },
  }),
  releasedAfterMark: problem({
    reason: "UnderWay",
    by: "administrator",
    text: ({ ip, owner, node }: Marked) =>
      `${annotationOf(node)} says that ${ip} belongs to ${refText(owner)}, which this operator does not manage, so the operator does not release it; it removes the annotation itself once the account has shown for 2 minutes that this node does not have the address`,
    remedy:
      "if that pool no longer exists, have the cluster's administrator remove its address annotations from the node",
    example: {
      ip: "203.0.113.7",
      owner: { kind: "FloatingIPPool", namespace: "ingress", name: "web", uid: "u1" },
      basis: "marked",
      node: "node-3",
    },
  }),
  releasedAfterFormerName: problem({
    reason: "UnderWay",
    by: "cause",
    text: ({ ips, name }: OnFormerName) =>
      `${listed(ips)} ${ips.length > 1 ? "are" : "is"} not released while the former name ${name} still holds ${ips.length > 1 ? "them" : "it"}`,
    remedy: "see condition DNSReady, which says why the operator cannot change that name",
    example: { ips: ["203.0.113.7"], name: "www.example.com" },
  }),
  cleanupFails: problem({
    reason: ({ cause }: Waiting) => cause.reason,
    by: "cause",
    text: ({ left, cause }: Waiting) => `${waitsFor(left)}, or has tried for an hour: ${seenIn(cause)}`,
    remedy: ({ left, cause, finalizer }) =>
      `${mildestOf(cause)}if that is impossible, such as in a namespace that is being deleted, remove ${left.length > 1 ? "these" : "this"} at the provider by hand, and then have a cluster-admin remove finalizer ${finalizer} of this resource`,
    example: {
      left: ["address 203.0.113.7", "rule tcp 443 in firewall ingress"],
      cause: EXAMPLE_CAUSE,
      finalizer: "flipop.digitalocean.com/cleanup",
    },
  }),
  firewallNotEmpty: problem({
    reason: "FirewallNotEmpty",
    by: "account",
    text: ({ left }: KeptFirewalls) =>
      `${waitsFor(left)}, or has tried for an hour: it removes nothing that others have added, or that RoutedIPs of another issuer need`,
    remedy: ({ retainable }) =>
      `if nothing needs that any more, have the owner of the account remove it, or the firewall, at the provider${retainable ? "; to keep the firewall, set routedIPReclaimPolicy of the issuer to Retain" : ""}`,
    example: { left: ['firewall "ingress", which was created for it and still has tcp 8080'], retainable: true },
  }),
  takesNoNew: problem({
    reason: ({ kind }: Leaving) => (kind === "RoutedIPIssuer" ? "IssuerNotFound" : "ClassNotFound"),
    by: "author",
    text: ({ kind, name }: Leaving) =>
      `${kind} ${name} is being deleted: the operator creates no address for a RoutedIP that is newer than the deletion`,
    remedy:
      "delete this RoutedIP and create it again with another className or issuerRef, since these fields cannot be changed",
    example: { kind: "ClusterRoutedIPClass", name: "public" },
  }),
  usersStay: problem({
    reason: ({ cause }: WaitingForUsers) => cause.reason,
    by: "cause",
    text: ({ users, cause }: WaitingForUsers) =>
      `the deletion waits until no RoutedIP uses the issuer (${listed(users)}); ${cause.reason === "Unauthorized" ? "with its credentials, the operator cannot" : "the operator cannot yet"} clean up after them: ${seenIn(cause)}`,
    remedy: ({ cause }) =>
      `${mildestOf(cause)}if that is impossible, condition Ready of a RoutedIP that is being deleted says how to end that without the operator`,
    example: { users: ["web/shop"], cause: EXAMPLE_CAUSE },
  }),
});
