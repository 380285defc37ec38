/** What firewalls let through, and from where: nothing is wrong, but clients may expect something else. */

import { listed } from "../values.js";
import { authorOf } from "./failed-calls.js";
import type { Firewall } from "./firewalls.js";
import { note, type Problem, partsOf, problem, topic } from "./message.js";
import { authorOf as serviceAuthor } from "./nodes/refused-nodes.js";
import { haveChanged } from "./tenants.js";

const FIREWALL: Firewall = { name: "ingress" };
const MOST_LISTED = 12;
const OPEN: Problem = { reason: "Observed", message: 'firewall "ingress" lets tcp 443 through' };
const NODE_PORTS = "30000-32767";

/** By what a port of a node is open; `port`: ports of several kinds. */
export type PortKind = "hostPort" | "NodePort" | "port";

/** Where clients reach the Service, other than at ports that it lists. */
export interface OtherNumbers {
  readonly ports: readonly string[];
  readonly kind: PortKind;
  /** Ports of the Service. */
  readonly missed: readonly string[];
}

/** What others open in the same firewall. */
export interface SharedPorts {
  readonly ports: readonly string[];
  readonly namespaces: readonly string[];
}

interface OpenPorts extends Firewall {
  readonly ports: readonly string[];
  /** @default nothing */
  readonly shared?: SharedPorts;
  /** @default clients reach the Service at the ports that it lists */
  readonly otherNumbers?: OtherNumbers;
}

/** NodePorts, all of them in the range. */
interface TakenForOpen extends OpenPorts {
  readonly nodePortRange: string;
  readonly kind: PortKind;
  readonly exists: boolean;
}

interface AssumedPorts {
  /** What else the condition would say. */
  readonly seen: Problem;
  /** In the range. */
  readonly ports: readonly string[];
  readonly kind: PortKind;
  readonly nodePortRange: string;
  /** Absent: the RoutedIP names its issuer, and the range is the default. */
  readonly classObject?: string;
}

interface PortsForSome extends OpenPorts {
  /** Ranges that the Service names. */
  readonly sources: readonly string[];
  /** `namespace/name` of the Service. */
  readonly service: string;
}

interface PortsForMore extends PortsForSome {
  /** Ranges that other rules let in. */
  readonly beyond: readonly string[];
  /** Clients come from anywhere, because of these. */
  readonly letsAllIn: boolean;
}

interface PortsForAll extends OpenPorts {
  /** Of the Service, which the operator does not read. */
  readonly annotations: readonly string[];
  /** `namespace/name` of the Service. */
  readonly service: string;
}

interface UnlistedPorts {
  readonly seen: Problem;
  readonly ports: readonly string[];
  /** `namespace/name` of the Service. */
  readonly service: string;
}

/** What the operator put into a firewall, and leaves there. */
export interface KeptTraces extends Firewall {
  readonly items: readonly string[];
}

interface Renamed extends Firewall {
  /** The former one's name. */
  readonly now: string;
  /** What else the condition would say. */
  readonly seen: Problem;
}

/** What others may need. */
interface HeldParts extends Firewall {
  readonly rules: number;
  readonly nodes: number;
  /** Finalizers of other installations. */
  readonly sharedWith: readonly string[];
  /** What else the condition would say. */
  readonly seen: Problem;
}

interface NamedNoMore {
  readonly issuer: string;
  readonly kept: readonly KeptTraces[];
}

const letsThrough = ({ name, ports }: OpenPorts) =>
  `firewall "${name}" lets ${listed(ports) || "all that is needed"} through`;

/** A firewall opens each of its ports at each of its nodes. */
function alsoOpens({ shared }: OpenPorts): string {
  if (shared === undefined || shared.ports.length === 0) return "";
  const [first, ...more] = shared.namespaces;
  const namespaces = more.length === 0 ? `namespace ${first}` : `namespaces ${listed(shared.namespaces, MOST_LISTED)}`;
  return `; it also opens ${listed(shared.ports, MOST_LISTED)} at the same nodes, for RoutedIPs of ${namespaces}`;
}
const reachedAt = (ports: readonly string[]) => `clients reach the Service at ${listed(ports)}`;

function besides(open: OpenPorts): string {
  const { otherNumbers } = open;
  if (otherNumbers === undefined) return alsoOpens(open);
  const { ports, kind, missed } = otherNumbers;
  const by = kind === "port" ? "" : ` (${kind})`;
  return `${alsoOpens(open)}; ${reachedAt(ports)} only${by}, not at its ${countedPorts("port", missed)} ${listed(missed)}`;
}

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`];
}

function countedPorts(kind: PortKind, { length }: readonly string[]): string {
  return length === 1 ? kind : `${kind}s`;
}

/** The operator sees no other firewall. */
function takenForOpen({ ports, kind, nodePortRange }: Pick<TakenForOpen, "ports" | "kind" | "nodePortRange">): string {
  const they = ports.length === 1 ? "it is" : "they are";
  return `the operator takes ${countedPorts(kind, ports)} ${listed(ports)} for open, because ${they} in nodePortRange ${nodePortRange}`;
}

function assumedCure({ ports, kind, classObject }: AssumedPorts): string {
  const them = itOrThem(ports);
  const own = `open ${them} in a firewall of your own`;
  const narrow = classObject && haveChanged(`ClusterRoutedIPClass ${classObject}`, "narrow nodePortRange");
  if (kind === "NodePort") {
    if (narrow) return `${own}, or ${narrow}, so that the operator opens ${them}`;
    return `${own} (a RoutedIP with issuerRef has the default nodePortRange; a class can have a narrower one)`;
  }
  const other = ports.length === 1 ? `a ${kind} outside of` : `${kind}s outside of`;
  return narrow ? `${narrow}, or use ${other} it` : `use ${other} the range, or ${own}`;
}
const rangesOf = (service: string) => `loadBalancerSourceRanges of Service ${service}`;
const countWord = ({ length }: readonly string[]) => (length === 1 ? "annotation" : "annotations");

const itOrThem = ({ length }: readonly string[]) => (length === 1 ? "it" : "them");

const FOR_SOME = { ...FIREWALL, ports: ["udp 5060"], sources: ["203.0.113.64/27"], service: "voice/gateway" };

export const firewallRemarks = topic("firewallRemarks", {
  open: note({
    reason: "Observed",
    text: (open: OpenPorts) => `${letsThrough(open)}${besides(open)}`,
    example: {
      ...{ ...FIREWALL, ports: ["tcp 80", "tcp 443"] },
      shared: { ports: ["udp 5060"], namespaces: ["voice"] },
    },
  }),
  openForSome: note({
    reason: "RestrictedSources",
    text: ({ sources, service, ...open }: PortsForSome) =>
      `${letsThrough(open)} from ${listed(sources)} only (${rangesOf(service)})${besides(open)}`,
    example: FOR_SOME,
  }),
  openForMore: problem({
    reason: ({ letsAllIn }: PortsForMore) => (letsAllIn ? "UnrestrictedSources" : "RestrictedSources"),
    by: "author",
    text: ({ sources, service, beyond, ...open }: PortsForMore) =>
      `${letsThrough(open)} from ${listed(sources)} (${rangesOf(service)}), and from ${listed(beyond)} by other rules, of another RoutedIP or of a person: the rules of a firewall add up${besides(open)}`,
    remedy:
      "to limit the clients, use an issuer whose routedIPFirewallName no other RoutedIP shares, or have the owner of the account change the other rules",
    example: { ...FOR_SOME, beyond: ["0.0.0.0/0"], letsAllIn: true },
  }),
  openToAll: problem({
    reason: "UnrestrictedSources",
    by: "author",
    text: ({ annotations, service, ...open }: PortsForAll) =>
      `${letsThrough(open)} from everywhere: the operator does not read ${countWord(annotations)} ${listed(annotations)} of Service ${service}${besides(open)}`,
    remedy: ({ annotations, service }) =>
      `to limit the clients, set ${rangesOf(service)}; if all are to get through, remove the ${countWord(annotations)}`,
    example: {
      ...{ ...FIREWALL, ports: ["tcp 443"], service: "web/shop" },
      annotations: ["service.beta.kubernetes.io/do-loadbalancer-allow-rules"],
    },
  }),
  unlistedPorts: problem({
    reason: "UnlistedPorts",
    by: "other",
    text: ({ seen, ports, service }: UnlistedPorts) =>
      `${partsOf(seen.message)[0]}; the pods also open ${listed(ports, MOST_LISTED)} by hostPort, which Service ${service} does not list, so no rule is for ${itOrThem(ports)}`,
    remedy: ({ ports, service }) =>
      `if clients are to reach ${itOrThem(ports)}, ${serviceAuthor(service)} add ${itOrThem(ports)} to its ports`,
    example: { seen: OPEN, ports: ["443/UDP"], service: "web/shop" },
  }),
  toBeRead: note({
    reason: "NotObserved",
    text: ({ name }: { readonly name: string }) =>
      `the operator reads firewall "${name}" as soon as it may: it makes one call to a firewall after the other`,
    example: { name: "ingress" },
  }),
  notNamed: problem({
    reason: "NoFirewall",
    by: "other",
    text: ({ issuer }: { readonly issuer: string }) =>
      `RoutedIPIssuer ${issuer} names no firewall (routedIPFirewallName), so the operator opens no port; what other firewalls let through is not known`,
    remedy: ({ issuer }) =>
      `${authorOf({ issuer })} set routedIPFirewallName, or open the ports in a firewall of your own`,
    example: { issuer: "platform/cloud" },
  }),
  namedNoMore: problem({
    reason: "NoFirewall",
    by: "other",
    text: ({ issuer, kept }: NamedNoMore) => {
      const all = listed(kept.map(({ name, items }) => `${listed(items)} stay in firewall "${name}"`));
      return `RoutedIPIssuer ${issuer} names no firewall (routedIPFirewallName) any more, so the operator changes none: ${all} until the RoutedIP is deleted or the issuer names another one, also if the address moves; what other firewalls let through is not known`;
    },
    remedy: ({ issuer }) =>
      `${authorOf({ issuer })} set routedIPFirewallName again, or open the ports in a firewall of your own`,
    example: { issuer: "platform/cloud", kept: [{ ...FIREWALL, items: ["rule tcp 443", "node-1"] }] },
  }),
  renamed: problem({
    reason: ({ seen }: Renamed) => (seen.reason === "Observed" ? "FirewallRenamed" : seen.reason),
    by: "account",
    text: ({ name, now, seen }: Renamed) =>
      `${partsOf(seen.message)[0]}; the former firewall "${name}" is called "${now}" now, and keeps the rules and nodes that it had`,
    remedy: ({ now, seen }) => [
      `if the operator is to use "${now}", have the author of the issuer set routedIPFirewallName to it; otherwise have the owner of the account delete "${now}", or remove from it what nothing needs`,
      ...partsOf(seen.message).slice(1),
    ],
    example: {
      ...FIREWALL,
      now: "web",
      seen: OPEN,
    },
  }),
  held: problem({
    reason: ({ seen }: HeldParts) => seen.reason,
    by: "administrator",
    text: ({ name, rules, nodes, sharedWith, seen }: HeldParts) => {
      const counts = [...counted(rules, "rule"), ...counted(nodes, "node")].join(" and ");
      const are = rules + nodes === 1 ? "is" : "are";
      return `${partsOf(seen.message)[0]}; ${counts} of firewall "${name}" ${are} not needed here any more, and ${rules + nodes === 1 ? "stays" : "stay"} while another installation of the operator uses the issuer (finalizer ${listed(sharedWith)})`;
    },
    remedy: ({ seen }) => [
      ...partsOf(seen.message).slice(1),
      "to close ports at once, give each installation an issuer with a routedIPFirewallName of its own; if that installation runs no more, have the cluster's administrator remove its finalizer from the issuer",
    ],
    example: {
      ...{ ...FIREWALL, rules: 1, nodes: 2, sharedWith: ["flipop.digitalocean.com/in-use.edge"] },
      seen: OPEN,
    },
  }),
  notNeeded: note({
    reason: "Observed",
    text: (taken: TakenForOpen) => {
      const rule = taken.exists
        ? `adds no rule for ${itOrThem(taken.ports)} to firewall "${taken.name}"`
        : `does not create firewall "${taken.name}"`;
      return `${reachedAt(taken.ports)} only; ${takenForOpen(taken)}, and ${rule}${alsoOpens(taken)}`;
    },
    example: { ...FIREWALL, ports: ["31443/TCP"], kind: "NodePort", nodePortRange: NODE_PORTS, exists: false },
  }),
  noRule: note({
    reason: "Observed",
    text: ({ name, ports, exists }: OpenPorts & { readonly exists: boolean }) => {
      const nodePorts = ports.length === 0 ? "" : `${reachedAt(ports)}; `;
      return `${nodePorts}the operator ${exists ? "adds no rule to" : "does not create"} firewall "${name}"`;
    },
    example: { ...FIREWALL, ports: [], exists: false },
  }),
  assumedOpen: problem({
    reason: "AssumedOpen",
    by: "other",
    text: (assumed: AssumedPorts) => `${partsOf(assumed.seen.message)[0]}; ${takenForOpen(assumed)}`,
    remedy: (assumed) => {
      const [, ...others] = partsOf(assumed.seen.message);
      return [...others, `if no other firewall lets ${itOrThem(assumed.ports)} through, ${assumedCure(assumed)}`];
    },
    example: {
      ...{ ports: ["30120/UDP"], kind: "hostPort", nodePortRange: NODE_PORTS, classObject: "games" },
      seen: OPEN,
    },
  }),
});
