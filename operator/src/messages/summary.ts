/** What the summary of a resource says when no other condition says it, and what a deletion waits for. */

import { API_GROUP, type ConditionType, Finalizer, isOwnFinalizer } from "cdk8s-flipop/api";
import { secondsText, timeText } from "../clock.js";
import { listed, listedClauses } from "../values.js";
import { note, type Problem, type ProblemEntry, partsOf, problem, topic } from "./message.js";

const EXAMPLE_CAUSE: Problem = {
  reason: "Unauthorized",
  message:
    "digitalocean: list reserved IPs: answer 401; fix: check the token that the operator reads from entry token of Secret web/cloud",
};

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
  twoCauses: problem({
    reason: ({ cause }: TwoCauses) => cause.reason,
    by: "cause",
    text: ({ cause, type, other }: TwoCauses) =>
      `${cause.message}; besides, condition ${type} is False: ${other.message}`,
    remedyInText: true,
    example: {
      cause: { reason: "NoCandidate", message: "0 of 3 nodes match" },
      ...{ type: "DNSReady", other: { reason: "ZoneNotFound", message: "the account has no zone example.com" } },
    },
  }),
  notStalled: note({
    reason: "Observed",
    text: () => "the operator proceeds as soon as it can; condition Ready shows what it waits for, and who can help",
  }),
});

interface TwoCauses {
  readonly cause: Problem;
  /** Of the second one, which needs a person. */
  readonly type: ConditionType;
  readonly other: Problem;
}

interface Waiting {
  /** What the operator still has to remove, in words. */
  readonly left: readonly string[];
  /** Why the operator cannot remove it. */
  readonly cause: Problem;
  readonly finalizer: string;
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
  shorter: "and to keep the addresses in the account, set reclaimPolicy to Retain",
};
const DRAIN_OF_ROUTED = {
  kept: "the address and its ports stay as they are",
  shorter: "set dnsRecordSet.deletionPolicy to Retain: the records are gone already",
};

interface WaitingForUsers {
  /** RoutedIPs, as `namespace/name`. */
  readonly users: readonly string[];
  readonly cause: Problem;
}

/** A RoutedIP that is being deleted. */
export interface LeavingUser {
  /** `namespace/name` */
  readonly user: string;
  readonly finalizers: readonly string[];
}

interface InUse {
  /** As `namespace/name`. */
  readonly users: readonly string[];
  /** Of `users`. */
  readonly leaving: readonly LeavingUser[];
  /** Of `users`: created after the deletion began, and served all the same: some replace older ones. */
  readonly newer?: readonly string[];
}

/** A part of a snapshot as a value of the message. */
export function inUseOf({ users, leaving, newer = [] }: InUse): InUse {
  return { users, leaving, ...(newer.length > 0 && { newer }) };
}

/** RoutedIPs that the message names. */
const MOST_USERS = 5;

/** An address that the operator created is lost with its RoutedIP, unless the issuer's policy keeps it. */
function replaceUsers(fixed: string): string {
  return `to replace them, whose ${fixed} cannot be changed, and keep their addresses, set routedIPReclaimPolicy of the issuer to Retain, delete them, and create them again with routedIP set to the address; under policy Delete, their deletion releases the addresses that the operator created`;
}

function servingOf({ users, leaving }: InUse): readonly string[] {
  return users.filter((each) => !leaving.some(({ user }) => user === each));
}

function usersText(serving: readonly string[]): readonly string[] {
  if (serving.length === 0) return [];
  return [
    serving.length === 1
      ? `1 RoutedIP uses it (${listed(serving)}) and stays as it is`
      : `${serving.length} RoutedIPs use it (${listed(serving, MOST_USERS)}) and stay as they are`,
  ];
}

/** `RoutedIP shop/old uses it and is being deleted already, and finalizer example.com/gitops keeps it`, for the first few. */
function leavingText({ leaving }: InUse): readonly string[] {
  if (leaving.length === 0) return [];
  const texts = leaving.map(({ user, finalizers }) => {
    const cleansUp = finalizers.includes(Finalizer.cleanup) ? ["the operator cleans up after it"] : [];
    const others = othersOf(finalizers);
    const keeps = others.length === 0 ? [] : [`${finalizerText(others)} ${others.length === 1 ? "keeps" : "keep"} it`];
    return [`RoutedIP ${user} uses it and is being deleted already`, ...cleansUp, ...keeps].join(", and ");
  });
  return [listedClauses(texts)];
}

function newerText({ newer = [] }: InUse): readonly string[] {
  if (newer.length === 0) return [];
  const are = newer.length === 1 ? "is" : "are";
  return [`${newer.length} of them ${are} newer than the deletion (${listed(newer, MOST_USERS)})`];
}

function inUseRemedy(used: InUse, what: string, fixed: string): string {
  const first = used.newer === undefined ? [] : [`let new RoutedIPs use another ${what}`];
  return [...first, endRemedy(used, fixed)].join("; ");
}

function endRemedy(used: InUse, fixed: string): string {
  const kept = used.leaving.find(({ finalizers }) => othersOf(finalizers).length > 0);
  const replace = servingOf(used).length === 0 ? [] : [replaceUsers(fixed)];
  if (kept !== undefined) return [...replace, keptRemedy(kept)].join("; ");
  return replace[0] ?? "wait, or see in condition Ready of the RoutedIP what its deletion waits for";
}

function keptRemedy({ user, finalizers }: LeavingUser): string {
  const [namespace = "", name = ""] = user.split("/");
  return removalRemedy({ plural: "routedips", namespace, name, finalizers });
}

/** @param fixed fields of a RoutedIP that name the `what` and cannot change */
function inUse(what: "issuer" | "class", fixed: string): ProblemEntry<InUse> {
  return {
    reason: "InUse",
    by: "author",
    text: (used) =>
      [
        `the ${what} serves until no RoutedIP uses it, and then its deletion ends`,
        ...leavingText(used),
        ...usersText(servingOf(used)),
        ...newerText(used),
      ].join("; "),
    remedy: (used) => inUseRemedy(used, what, fixed),
    example: { users: ["web/shop", "web/blog"], leaving: [] },
  };
}

interface Held {
  /** As in a path of the API. */
  readonly plural: string;
  /** Empty: the kind has none. */
  readonly namespace: string;
  readonly name: string;
  readonly finalizers: readonly string[];
}

/** Finalizers of other programs. */
function othersOf(finalizers: readonly string[]): readonly string[] {
  return finalizers.filter((finalizer) => !isOwnFinalizer(finalizer));
}

function finalizerText(others: readonly string[]): string {
  return `${others.length === 1 ? "finalizer" : "finalizers"} ${listed(others)}`;
}

/** The test makes sure that no other finalizer goes, whatever the list is like by then. */
function removalRemedy({ plural, namespace, name, finalizers }: Held): string {
  const [first = "", ...more] = othersOf(finalizers);
  const path = `/metadata/finalizers/${finalizers.indexOf(first)}`;
  const patch = [
    { op: "test", path, value: first },
    { op: "remove", path },
  ];
  const where = namespace === "" ? "" : `-n ${namespace} `;
  const program = "whoever runs the program that added a finalizer can have this program remove it";
  const same = more.length === 0 ? "" : ", and the other ones in the same way";
  return `${program}; if it no longer runs, remove the finalizer: kubectl ${where}patch ${plural}.${API_GROUP} ${name} --type=json -p '${JSON.stringify(patch)}'${same}`;
}

export const deletionMessages = topic("deletion", {
  issuerInUse: problem(inUse("issuer", "issuerRef and className")),
  classInUse: problem(inUse("class", "className")),
  keptByOthers: problem({
    reason: "UnderWay",
    by: "author",
    text: ({ finalizers }: Held) =>
      `the resource is being deleted, and the operator has nothing left to clean up; ${finalizerText(othersOf(finalizers))} of ${othersOf(finalizers).length === 1 ? "another program keeps" : "other programs keep"} it`,
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
  cleanupFails: problem({
    reason: ({ cause }: Waiting) => cause.reason,
    by: "cause",
    text: ({ left, cause }: Waiting) => `${waitsFor(left)}, or has tried for an hour: ${cause.message}`,
    remedy: ({ left, finalizer }) =>
      `if that is impossible, for example because the namespace is being deleted and takes no new objects, remove ${left.length > 1 ? "these" : "this"} at the provider by hand, and then the finalizer ${finalizer} of this resource`,
    example: {
      left: ["address 203.0.113.7", "rule tcp 443 in firewall ingress"],
      cause: EXAMPLE_CAUSE,
      finalizer: "flipop.digitalocean.com/cleanup",
    },
  }),
  usersStay: problem({
    reason: ({ cause }: WaitingForUsers) => cause.reason,
    by: "cause",
    text: ({ users, cause }: WaitingForUsers) =>
      `the deletion waits until no RoutedIP uses the issuer (${listed(users)}); ${cause.reason === "Unauthorized" ? "with its credentials, the operator cannot" : "the operator cannot yet"} clean up after them: ${cause.message}`,
    remedy:
      "if that is impossible, condition Ready of a RoutedIP that is being deleted says how to end that without the operator",
    example: { users: ["web/shop"], cause: EXAMPLE_CAUSE },
  }),
});
