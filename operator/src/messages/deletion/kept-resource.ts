/** What keeps a resource that is being deleted: RoutedIPs that use it, and finalizers of other programs. */

import { API_GROUP, Finalizer, isOwnFinalizer } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../../kube/objects.js";
import { finalizersText } from "../../match/node-workload.js";
import { listed, listedClauses } from "../../values.js";
import type { ProblemEntry } from "../message.js";

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
  return `to replace them, whose ${fixed} cannot be changed, and keep their addresses, set routedIPReclaimPolicy of the issuer to Retain (under Delete, the operator releases those that it created), delete them, and create them again with routedIP set to the address`;
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
    const keeps = others.length === 0 ? [] : [`${finalizersText(others)} ${others.length === 1 ? "keeps" : "keep"} it`];
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
export function inUse(what: "issuer" | "class", fixed: string): ProblemEntry<InUse> {
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

export interface Held {
  /** As in a path of the API. */
  readonly plural: string;
  /** Empty: the kind has none. */
  readonly namespace: string;
  readonly name: string;
  readonly finalizers: readonly string[];
}

/** Finalizers of other programs. */
export function othersOf(finalizers: readonly string[]): readonly string[] {
  return finalizers.filter((finalizer) => !isOwnFinalizer(finalizer));
}

interface KeptBy extends Omit<Held, "finalizers"> {
  /** All of the resource. */
  readonly finalizers: readonly string[];
  /** Of other installations of the operator. */
  readonly others: readonly string[];
}

export function keptBy(
  plural: string,
  { namespace = "", name, finalizers = [] }: Pick<ObjectMeta, "namespace" | "name" | "finalizers">,
  others: readonly string[],
): KeptBy {
  return { plural, namespace, name, finalizers, others };
}

export const keptByInstallation: ProblemEntry<KeptBy> = {
  reason: "InUse",
  by: "administrator",
  text: ({ others }) =>
    `the resource is being deleted, and ${finalizersText(others)} of ${others.length === 1 ? "another installation" : "other installations"} of the operator ${others.length === 1 ? "keeps" : "keep"} it: RoutedIPs of namespaces that this installation does not watch may use it`,
  remedy: ({ others, ...held }) =>
    `delete those RoutedIPs, and that installation removes its finalizer; if it no longer runs, have the cluster's administrator ${removalOf(held, others)}`,
  example: {
    ...{ plural: "routedipissuers", namespace: "shared", name: "cloud" },
    finalizers: ["flipop.digitalocean.com/in-use.edge"],
    others: ["flipop.digitalocean.com/in-use.edge"],
  },
};

/** The test makes sure that no other finalizer goes, whatever the list is like by then. */
export function removalRemedy(held: Held): string {
  return `have the program that added a finalizer remove it; if it no longer runs, ${removalOf(held, othersOf(held.finalizers))}`;
}

function removalOf({ plural, namespace, name, finalizers }: Held, [first = "", ...more]: readonly string[]): string {
  const path = `/metadata/finalizers/${finalizers.indexOf(first)}`;
  const patch = [
    { op: "test", path, value: first },
    { op: "remove", path },
  ];
  const where = namespace === "" ? "" : `-n ${namespace} `;
  const same = more.length === 0 ? "" : ", and the other ones in the same way";
  return `remove the finalizer: kubectl ${where}patch ${plural}.${API_GROUP} ${name} --type=json -p '${JSON.stringify(patch)}'${same}`;
}
