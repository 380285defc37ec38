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

/** A RoutedIP that uses an issuer by a class. */
export interface ClassUser extends Pick<LeavingUser, "user"> {
  /** The name of the object. */
  readonly className: string;
}

interface InUse {
  /** As `namespace/name`. */
  readonly users: readonly string[];
  /** Of `users`. */
  readonly leaving: readonly LeavingUser[];
  /** Of `users`: created after the deletion began, and served all the same: some replace older ones. */
  readonly newer?: readonly string[];
  /** Of the `users` of an issuer: the others name it themselves. */
  readonly classUsers?: readonly ClassUser[];
}

interface ClassInUse extends InUse {
  readonly byJobs: boolean;
}

/** A part of a snapshot as a value of the message. */
export function inUseOf({ users, leaving, newer = [], classUsers = [] }: InUse): InUse {
  return { users, leaving, ...(newer.length > 0 && { newer }), ...(classUsers.length > 0 && { classUsers }) };
}

/** RoutedIPs that the message names. */
const MOST_USERS = 5;

/** The RoutedIPs keep what they have. */
function changeClasses(classes: readonly string[]): string {
  const them = `${classes.length === 1 ? "ClusterRoutedIPClass" : "ClusterRoutedIPClasses"} ${listed(classes, MOST_USERS)}`;
  return `create another issuer of the same account, and set issuerRef of ${them} to it: the RoutedIPs keep their addresses`;
}

/** What allows a created address may be gone with the last RoutedIP, so its successor comes first. */
function replaceUsers({ fixed, first, retain, other }: Replacement): string {
  return `to replace ${fixed} cannot be changed, and keep their addresses, first create ${first}; then ${retain}, and create them again with ${other} and with routedIP set to the address`;
}

interface Replacement {
  /** The RoutedIPs, and their field that names what is deleted. */
  readonly fixed: string;
  readonly first: string;
  readonly retain: string;
  readonly other: string;
}

/** An address that the operator created is lost with its RoutedIP, unless the issuer's policy keeps it. */
function retainBy(issuer: string): string {
  return `set routedIPReclaimPolicy of ${issuer} to Retain (under Delete, the operator releases the addresses that it created), delete these RoutedIPs`;
}

const ISSUER_REPLACEMENT: Omit<Replacement, "fixed"> = {
  first: "another issuer of the same account, which allows the addresses",
  retain: retainBy("this one"),
  other: "that issuer",
};

const CLASS_REPLACEMENT: Replacement = {
  fixed: "them, whose className",
  first: "another class with the same issuerRef and the same limits",
  retain: retainBy("the issuer"),
  other: "that class",
};

/** The class has the record of what its Jobs created, and goes with it. */
const JOB_CLASS_REPLACEMENT: Replacement = {
  ...CLASS_REPLACEMENT,
  first: "another class with allowedAddresses that contain the addresses",
  retain: "delete these RoutedIPs (the operator releases no address of a class with Jobs)",
};

function leaveIssuer(used: InUse): readonly string[] {
  const serving = servingOf(used);
  const { classUsers = [] } = used;
  const classes = classUsers.filter(({ user }) => serving.includes(user)).map(({ className }) => className);
  const naming = serving.filter((each) => classUsers.every(({ user }) => user !== each));
  const fixed = classes.length === 0 ? "them, whose issuerRef" : `${listed(naming, MOST_USERS)}, whose issuerRef`;
  return [
    ...(classes.length === 0 ? [] : [changeClasses([...new Set(classes)].sort())]),
    ...(naming.length === 0 ? [] : [replaceUsers({ ...ISSUER_REPLACEMENT, fixed })]),
  ];
}

function leaveClass(used: ClassInUse): readonly string[] {
  if (servingOf(used).length === 0) return [];
  return [replaceUsers(used.byJobs ? JOB_CLASS_REPLACEMENT : CLASS_REPLACEMENT)];
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

/** @param leave what those that stay can do */
function inUseRemedy(used: InUse, what: string, [leave, ...more]: readonly string[]): readonly string[] {
  const first = used.newer === undefined ? [] : [`let new RoutedIPs use another ${what}`];
  const kept = used.leaving.find(({ finalizers }) => othersOf(finalizers).length > 0);
  const own = [leave ?? [], kept === undefined ? [] : keptRemedy(kept)].flat();
  const end = own.length === 0 ? [WAIT] : own;
  return [[...first, ...end].join("; "), ...more];
}

const WAIT = "wait, or see in condition Ready of the RoutedIP what its deletion waits for";

function keptRemedy({ user, finalizers }: LeavingUser): string {
  const [namespace = "", name = ""] = user.split("/");
  return removalRemedy({ plural: "routedips", namespace, name, finalizers });
}

const EXAMPLE: InUse = { users: ["web/shop", "web/blog"], leaving: [] };

function inUseText(what: "issuer" | "class", used: InUse): string {
  return [
    `the ${what} serves until no RoutedIP uses it, and then its deletion ends`,
    ...leavingText(used),
    ...usersText(servingOf(used)),
    ...newerText(used),
  ].join("; ");
}

export const issuerInUse: ProblemEntry<InUse> = {
  reason: "InUse",
  by: "author",
  text: (used) => inUseText("issuer", used),
  remedy: (used) => inUseRemedy(used, "issuer", leaveIssuer(used)),
  example: { ...EXAMPLE, classUsers: [{ user: "web/shop", className: "shared" }] },
};

export const classInUse: ProblemEntry<ClassInUse> = {
  reason: "InUse",
  by: "author",
  text: (used) => inUseText("class", used),
  remedy: (used) => inUseRemedy(used, "class", leaveClass(used)),
  example: { ...EXAMPLE, byJobs: false },
};

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
