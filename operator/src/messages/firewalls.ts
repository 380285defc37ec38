/** Firewalls: why the operator does not change them, and the Events of its changes. */

import { PROTECTED_PORTS_TEXT } from "cdk8s-flipop/api";
import { listed, listedClauses } from "../values.js";
import { TOKEN_RIGHTS } from "./failed-calls.js";
import { event, FIX, note, problem, topic } from "./message.js";
import { additionsText, type PortRefusal, portMaximaText, raiseMaxima, refusalText } from "./tenants.js";

export interface Firewall {
  readonly name: string;
}

const LIMITER = "RoutedIPIssuer web/digitalocean";
const FIREWALL: Firewall = { name: "ingress" };
const SECOND_ISSUER =
  "have the author of the class set issuerRef to a second issuer with another routedIPFirewallName; without a class, create the RoutedIP again with that second issuer and with routedIP set to its address (under routedIPReclaimPolicy Retain): otherwise the address changes";

const FEWER_NODES = "run the Services on fewer nodes";
const MOST_LISTED = 12;

interface ClosedPorts {
  /** Such as 22/TCP. */
  readonly ports: readonly string[];
  /** The other protocol is allowed for each of the numbers. */
  readonly onlyProtocol?: boolean;
  /** Some of them are NodePorts, outside of this range. Absent: none is. */
  readonly nodePortRange?: string;
  /** `hostPort` if each of them is one. */
  readonly what: "hostPort" | "port";
  /** Ports of the nodes' own services, inside a range of the limit, which does not open them. Absent: none. */
  readonly inRange?: readonly string[];
  /** The allowed ports, where no class or issuer lists any. Absent: one does. */
  readonly defaults?: readonly string[];
  /** What each class or issuer refuses, by kind and name. */
  readonly refusals: readonly PortRefusal[];
}

interface TooMuch extends Firewall {
  readonly count: number;
  readonly most: number;
}

interface TooManyRules extends TooMuch {
  /** Such as 3478/UDP: those that stay closed. */
  readonly ports: readonly string[];
  /** Those that have their rules. */
  readonly open: readonly string[];
  /** How many rules for incoming traffic no RoutedIP has put there. */
  readonly foreign: number;
  /** Several of these are for the same port. */
  readonly alike?: { readonly port: string; readonly count: number };
}

type PortMaxima = Parameters<typeof portMaximaText>[0];
interface TooManyPorts extends Pick<ClosedPorts, "ports">, PortMaxima {
  /** Neither the class nor the issuer sets a maximum. */
  readonly byDefault?: boolean;
}

const notOpened = (ports: string) => `so the operator does not open ${ports}`;

export const firewallMessages = topic("firewalls", {
  addressOfOther: note({
    reason: "NotObserved",
    text: () => "the operator does not change the firewall: the address is not this resource's",
  }),
  beingDeleted: note({
    reason: "UnderWay",
    text: () => "the resource is being deleted, so the operator closes its ports",
  }),
  beingUpdated: note({
    reason: "UnderWay",
    text: ({ name }: Firewall) => `the operator is updating firewall "${name}"`,
    example: FIREWALL,
  }),
  waitsForTurn: note({
    reason: "UnderWay",
    text: ({ name }: Firewall) =>
      `calls to firewall "${name}" wait for others to end: the operator makes one call after the other`,
    example: FIREWALL,
  }),
  waitsForFirewall: note({
    reason: "UnderWay",
    text: ({ ip, node, firewall }: { readonly ip: string; readonly node: string; readonly firewall: string }) =>
      `${ip} waits until its ports are open on ${node} in firewall "${firewall}"`,
    example: { ip: "203.0.113.7", node: "node-9", firewall: "ingress" },
  }),
  portsToCome: note({
    reason: "UnderWay",
    text: ({ name, ports }: Firewall & { readonly ports: readonly string[] }) =>
      `the operator opens ${listed(ports)} in firewall "${name}" when a pod with these ports is ready on the node`,
    example: { ...FIREWALL, ports: ["8443/TCP"] },
  }),
  noPortYet: note({
    reason: "NotObserved",
    text: ({ name }: Firewall) =>
      `no node serves the address or gets it now, so no port of the Service is known that firewall "${name}" has to open`,
    example: FIREWALL,
  }),
  missing: problem({
    reason: "FirewallNotFound",
    by: "operator",
    text: ({ name }: Firewall) =>
      `firewall "${name}" does not exist; the operator creates it once it has a rule and a node may join it`,
    example: FIREWALL,
  }),
  unsupported: problem({
    reason: "Unsupported",
    by: "administrator",
    text: ({ provider }: { readonly provider: string | undefined }) => `provider "${provider}" has no firewalls`,
    remedy: "have the author of the issuer leave routedIPFirewallName out",
    example: { provider: "acme" },
  }),
  tooManyNodes: problem({
    reason: "FirewallFull",
    by: "other",
    text: ({ name, count, most }: TooMuch) =>
      `firewall "${name}" would cover ${count} nodes, at most ${most} are possible`,
    remedy: ({ most }) => [`run the Services on at most ${most} nodes`, SECOND_ISSUER],
    example: { ...FIREWALL, count: 11, most: 10 },
  }),
  tooManyRules: problem({
    reason: "FirewallFull",
    by: "account",
    text: ({ name, ports, count, most, open, foreign }: TooManyRules) =>
      [
        `firewall "${name}" has no room for ${listed(ports, MOST_LISTED)}: it would have ${count} inbound and outbound rules, at most ${most} are possible`,
        ...(open.length === 0 ? [] : [`${listed(open, MOST_LISTED)} ${open.length === 1 ? "stays" : "stay"} open`]),
        ...(foreign === 0
          ? []
          : [`${foreign} of its inbound rules ${foreign === 1 ? "is" : "are"} not the operator's`]),
      ].join("; "),
    remedy: ({ foreign, alike }) => [
      ...(alike === undefined
        ? []
        : [
            `have the owner of the account replace the ${alike.count} rules for ${alike.port} by one with all their sources`,
          ]),
      ...(foreign === 0 ? [] : ["have the owner of the account remove rules of the firewall that nothing needs"]),
      "use fewer ports",
      SECOND_ISSUER,
    ],
    example: {
      ...{ name: "voice", ports: ["3478/UDP"], count: 51, most: 50, open: ["5060/UDP"], foreign: 46 },
      alike: { port: "8443/TCP", count: 46 },
    },
  }),
  allFull: problem({
    reason: "FirewallFull",
    by: "other",
    text: ({ name, additional }: Firewall & { readonly additional: number }) =>
      `firewall "${name}" and its ${additional} additional firewalls have no room for another node, and the operator creates no more`,
    remedy: [FEWER_NODES, SECOND_ISSUER],
    example: { ...FIREWALL, additional: 24 },
  }),
  noAdditional: problem({
    reason: "FirewallFull",
    by: "account",
    text: ({ name, next, failure }: Firewall & { readonly next: string; readonly failure: string }) =>
      `firewall "${name}" is full, and all its nodes serve; the operator cannot create the additional firewall "${next}": ${failure}`,
    remedy: [
      FEWER_NODES,
      `have the owner of the account give the token the right to create firewalls (${TOKEN_RIGHTS}), or ask the provider for a higher limit`,
      SECOND_ISSUER,
    ],
    example: {
      ...FIREWALL,
      next: "ingress-2",
      failure: "digitalocean: create firewall ingress-2: answer 403: forbidden",
    },
  }),
  wouldIsolate: problem({
    reason: "WouldIsolateNode",
    by: "account",
    text: ({ name, node }: Firewall & { readonly node: string }) =>
      `node ${node} is in no firewall now, so all of its ports are open; in firewall "${name}", which opens only the ports of Services, SSH or the kubelet might not answer any more: the operator does not add the node`,
    remedy: ({ name }) =>
      `have the owner of the account first add the node to a firewall that opens what the node itself needs; then the operator adds it to "${name}"`,
    example: { ...FIREWALL, node: "node-3" },
  }),
  noMachine: problem({
    reason: "MachineNotFound",
    by: "administrator",
    text: ({ name, node, machine }: Firewall & { readonly node: string; readonly machine: string }) =>
      `the provider has no machine ${machine}, which is node ${node}: the operator does not add it to firewall "${name}"`,
    remedy: "have the cluster's administrator delete the Node object, or correct its spec.providerID",
    example: { ...FIREWALL, node: "node-3", machine: "digitalocean://1234" },
  }),
  ofPlatform: problem({
    reason: "FirewallForbidden",
    by: "administrator",
    text: ({ name }: Firewall) => `firewall "${name}" belongs to the platform, which overwrites foreign rules`,
    remedy: "have the author of the issuer name another firewall",
    example: { name: "k8s-1234-worker" },
  }),
  portNotAllowed: problem({
    reason: "PortNotAllowed",
    by: "other",
    text: ({ ports, refusals, nodePortRange, inRange = [], defaults }: ClosedPorts) => {
      const range =
        nodePortRange === undefined ? "" : ` (NodePorts need no rule only in nodePortRange ${nodePortRange})`;
      const protectedText =
        inRange.length === 0
          ? ""
          : ` (${defaults === undefined ? "a range of allowedPorts contains" : `no class or issuer sets allowedPorts, and the default, ${listed(defaults)}, contains`} ${listed(inRange)}, but a wide range opens no port of the nodes' own services: ${PROTECTED_PORTS_TEXT})`;
      return `${listedClauses(refusals.map(refusalText))}${range}${protectedText}, ${notOpened(ports.length === 1 ? "it" : "them")}`;
    },
    remedy: ({ ports, what, refusals, nodePortRange, inRange = [], onlyProtocol = false, defaults }) => {
      const others = ports.length === 1 ? `another ${what}` : `other ${what}s`;
      const range =
        nodePortRange === undefined
          ? ""
          : "if that is not the cluster's range of NodePorts (by default 30000-32767), have the author of the class correct it; otherwise ";
      const own =
        inRange.length === 0
          ? ""
          : ` as entries of their own, such as ${inRange[0]}, if no service of the nodes, such as the kubelet, listens there`;
      return `${range}${onlyProtocol ? "" : `use ${others}, or `}ask ${additionsText(refusals)}${own}${defaults === undefined ? "" : ` (allowedPorts replaces the default: list ${listed(defaults)} as well, as far as they are needed)`}`;
    },
    example: {
      ports: ["22/TCP"],
      what: "hostPort",
      refusals: [{ limiters: ["ClusterRoutedIPClass web", "RoutedIPIssuer platform/cloud"], ports: ["22/TCP"] }],
    },
  }),
  tooManyPorts: problem({
    reason: "PortNotAllowed",
    by: "other",
    text: ({ ports, byDefault = false, ...maxima }: TooManyPorts) =>
      `${portMaximaText(maxima)}${byDefault ? " (the default of maxPorts)" : ""}, ${notOpened(listed(ports))}`,
    remedy: (maxima) => `remove ports from the Service, or ask ${raiseMaxima(maxima)}`,
    example: { ports: ["8081/TCP"], limits: [{ limiter: LIMITER, most: 1 }], needed: 2 },
  }),
});

interface Why {
  readonly why: string;
}

interface FirewallChange {
  readonly name: string;
  /** Rules, then nodes. */
  readonly added: readonly string[];
}

interface FirewallRestored extends FirewallChange {
  /** What somebody else had removed, and is added again. */
  readonly restored: readonly string[];
}

const names = (values: readonly string[]) => listed(values, MOST_LISTED);

/** Entries of the catalogue of Events. */
export const firewallEvents = {
  firewallCreated: event({
    reason: "FirewallCreated",
    action: "ChangeFirewall",
    text: ({ name, added }: FirewallChange) => `firewall "${name}" was created for ${names(added)}`,
    example: { name: "ingress", added: ["tcp 443", "node-3"] },
  }),
  firewallChanged: event({
    reason: "FirewallChanged",
    action: "ChangeFirewall",
    text: ({ name, added, removed, why }: FirewallChange & Why & { readonly removed: readonly string[] }) => {
      const parts = [
        ...(added.length === 0 ? [] : [`${names(added)} added`]),
        ...(removed.length === 0 ? [] : [`${names(removed)} removed`]),
      ];
      return `firewall "${name}": ${parts.join("; ")}: ${why}`;
    },
    example: {
      name: "ingress",
      added: ["tcp 443"],
      removed: ["node-3"],
      why: "the RoutedIP does not need it any more",
    },
  }),
  rulesRestored: event({
    reason: "FirewallChanged",
    action: "ChangeFirewall",
    text: ({ name, added, restored }: FirewallRestored) =>
      `firewall "${name}": ${names(added)} added, because the ports of the Service have to be open; somebody else has probably removed or changed ${names(restored)}${FIX}to close a port, remove it from the Service, limit its clients with loadBalancerSourceRanges of the Service (type LoadBalancer), or have the author of the class or issuer leave it out of allowedPorts`,
    example: { name: "ingress", added: ["tcp 8443"], restored: ["tcp 8443"] },
  }),
  nodesRestored: event({
    reason: "FirewallChanged",
    action: "ChangeFirewall",
    text: ({ name, added, restored }: FirewallRestored) =>
      `firewall "${name}": ${names(added)} added, because the node is, or will be, the holder of the address; somebody else had removed ${names(restored)}${FIX}to keep the node out of the firewall, first have the address move, such as with kubectl cordon`,
    example: { name: "ingress", added: ["node-3"], restored: ["node-3"] },
  }),
  firewallDeleted: event({
    reason: "FirewallChanged",
    action: "ChangeFirewall",
    text: ({ name, why }: Pick<FirewallChange, "name"> & Why) => `firewall "${name}" was deleted: ${why}`,
    example: { name: "ingress", why: "it was created for this issuer, which names it no more, and is empty" },
  }),
};
