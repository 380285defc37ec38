/** Record sets: what they hold, and why they do not hold what they should. */

import { familyOf, type IpFamily } from "cdk8s-flipop/api";
import { secondsText, timeText } from "../clock.js";
import type { LimitWait } from "../providers/layers/limiter.js";
import { listed } from "../values.js";
import { oneOf, providersOf } from "./failed-calls.js";
import { event, note, problem, topic } from "./message.js";
import { limitText } from "./nodes/candidates.js";
import { EXAMPLE_LABELS, type RefusedNodes, SEE_NODES } from "./nodes/refused-nodes.js";

/** What a record set holds. */
export interface Content {
  /** Full, such as "www.example.com". */
  readonly name: string;
  readonly values: readonly string[];
}

export const LISTED = 20;
export const EXAMPLE_CONTENT: Content = { name: "www.example.com", values: ["203.0.113.7"] };
export const holds = ({ name, values }: Content) => `${typesText(values)} records of ${name} hold ${listed(values)}`;

export function typesText(ips: readonly string[]): string {
  return [...new Set(ips.map((ip) => (familyOf(ip) === "IPv6" ? "AAAA" : "A")))].sort().join(" and ");
}

/** What is published of nodes. */
export interface Published {
  /** Full, such as "www.example.com". */
  readonly name: string;
  /** `A`, `AAAA`, or `A and AAAA`. */
  readonly types: string;
  readonly count: number;
  /** Addresses that do not fit. */
  readonly cut: number;
  /** Nodes without such an address. */
  readonly addressless: readonly string[];
  /** What is published of a node (`publishedText`). */
  readonly wanted: string;
  /** Nodes that have what the resource asks for, do not match, and are not published: `1 Cordoned (node-4: it is cordoned)`. */
  readonly leftOut: string;
  /** Published addresses of nodes that do not match, each with the time until which it stays, in ms since the epoch. */
  readonly kept: {
    readonly gracePeriodSeconds: number;
    readonly nodes: readonly { readonly node: string; readonly until: number }[];
  };
  /** All addresses are of ranges for private networks. */
  readonly isPrivate: boolean;
}

interface Refusals {
  readonly refusals: RefusedNodes;
}

interface Unserved extends Content, Pick<Published, "addressless" | "wanted">, Refusals {
  /** A family of addresses that these nodes have there, and that `ipFamilies` leaves out. Absent: they have none. */
  readonly offered?: IpFamily;
}

const WANTED = "IPv4 address in ExternalIP";
export const PUBLISHED: Published = {
  ...{ name: "nodes.example.com", types: "A", count: 3, cut: 0, addressless: ["node-9"], wanted: WANTED },
  leftOut: "1 Cordoned (node-4: it is cordoned)",
  kept: { gracePeriodSeconds: 60, nodes: [{ node: "node-3", until: Date.parse("2026-01-01T10:02:11Z") }] },
  isPrivate: false,
};
const UNSERVED: Unserved = { ...EXAMPLE_CONTENT, addressless: [], wanted: WANTED, refusals: EXAMPLE_LABELS };

export function publishedText({
  name,
  types,
  count,
  cut,
  addressless,
  wanted,
  leftOut,
  isPrivate,
  kept,
}: Published): string {
  const records = `${types} records`;
  if (count === 0) return `${name} has no ${records}: no node has the labels`;
  const scope = isPrivate ? " of private networks, which the internet does not reach" : "";
  const addresses = `${count === 1 ? "1 address" : `${count} addresses`}${scope}`;
  const more = cut === 0 ? "" : `; ${cut} more than it may hold are left out`;
  const lacking =
    addressless.length === 0
      ? ""
      : `; ${listed(addressless, LISTED)} ${addressless.length === 1 ? "has" : "have"} no ${wanted}`;
  const refused = leftOut === "" ? "" : `; left out: ${leftOut}`;
  return `${records} of ${name} hold ${addresses}${more}${keptText(kept)}${lacking}${refused}`;
}

function keptText({ gracePeriodSeconds, nodes }: Published["kept"]): string {
  if (nodes.length === 0) return "";
  const times = new Set(nodes.map(({ node, until }) => `${node} until ${timeText(until)}`));
  return `; ${nodes.length} of them of nodes that do not match now (gracePeriodSeconds: ${secondsText(gracePeriodSeconds)}; ${listed([...times], LISTED)})`;
}

function unservedText({ addressless, wanted, refusals, offered }: Unserved): string {
  if (addressless.length === 0) return refusals.text;
  const other =
    offered === undefined ? "" : ` (there is an ${offered} address, which spec.ipFamilies does not ask for)`;
  return `no node that matches has an ${wanted}: ${listed(addressless, LISTED)}${other}`;
}

const nodesRemedy = ({ refusals }: Refusals) => `${refusals.remedy}; ${SEE_NODES}`;
const unservedRemedy = ({ addressless, wanted, refusals, offered }: Omit<Unserved, keyof Content>) => {
  if (addressless.length === 0) return nodesRemedy({ refusals });
  const change = offered === undefined ? "set another addressType" : `add ${offered} to spec.ipFamilies`;
  return `${change}, or ${addressRemedy(wanted)}`;
};

/** The operator itself writes the annotation of a node that holds an address. */
export function addressRemedy(wanted: string): string {
  return wanted.includes(" in annotation ")
    ? "let a FloatingIPPool or a RoutedIP assign an address to such a node: the operator then writes its annotation"
    : `have the cluster's administrator give the nodes an ${wanted}`;
}

/** The condition of the resource that shows why no address is active. */
interface SeenIn {
  readonly condition: "Fulfilled" | "Assigned";
}

function seeCondition({ condition }: SeenIn): string {
  return `see condition ${condition}, which says why, and who can change that`;
}

export const recordMessages = topic("records", {
  beingChanged: note({
    reason: "UnderWay",
    text: ({ name, values }: Content) =>
      values.length === 0
        ? `the operator writes ${name}`
        : `the operator changes ${name}, which held ${listed(values, LISTED)}`,
    example: EXAMPLE_CONTENT,
  }),
  waitsForLimit: note({
    reason: "RateLimited",
    text: ({ name, ...wait }: Pick<Content, "name"> & LimitWait) => `the operator changes ${name}; ${limitText(wait)}`,
    example: { name: "www.example.com", calls: 12, until: Date.parse("2026-01-01T10:02:11Z") },
  }),
  beingDeleted: note({
    reason: "UnderWay",
    text: () => "the resource is being deleted, so the operator no longer updates its record set",
  }),
  unserved: note({
    reason: "KeptLastKnown",
    text: ({ name, values }: { readonly name: string; readonly values: readonly string[] }) =>
      `record ${name} holds ${listed(values)}; the operator keeps it as it is, and does not update it while it does not serve the resource (condition Accepted says why)`,
    example: { name: "www.example.com", values: ["203.0.113.7"] },
  }),
  notAsked: note({ reason: "NotObserved", text: () => "spec has no dnsRecordSet" }),
  providerMissing: problem({
    reason: "UnknownProvider",
    by: "author",
    text: () => "spec.dnsRecordSet names no provider, and there is no issuer whose provider it could use",
    remedy: `set spec.dnsRecordSet.provider to ${oneOf(providersOf("dns"))}`,
  }),
  inPlace: note({ reason: "Observed", text: holds, example: EXAMPLE_CONTENT }),
  nodesObserved: note({
    reason: "Observed",
    text: () => "the nodes are observed, and no failure of the provider is known",
  }),
  nodesPublished: note({ reason: "Observed", text: publishedText, example: PUBLISHED }),
  noneWithLabels: problem({
    reason: "KeptLastKnown",
    by: "administrator",
    text: ({ name, values, label, until }: Content & Refusals & { readonly label: string; readonly until: number }) =>
      `no node has label ${label}; record ${name} keeps ${listed(values)} until ${timeText(until)}, and then the operator deletes it (emptyPolicy is Delete; after a restart, the operator waits for 5 minutes again)`,
    remedy: ({ refusals }) => `before then, ${refusals.remedy}`,
    example: {
      ...EXAMPLE_CONTENT,
      refusals: EXAMPLE_LABELS,
      label: "pool=edge",
      until: Date.parse("2026-01-01T10:02:11Z"),
    },
  }),
  noReplacement: problem({
    reason: "KeptLastKnown",
    by: "administrator",
    text: ({ name, values, refusals }: Content & Refusals) =>
      `no node that matches has an address to replace ${listed(values)}, so record ${name} keeps ${values.length === 1 ? "it" : "them"}; ${refusals.text}`,
    remedy: ({ refusals }) =>
      refusals.repair ?? "have the cluster's administrator give such an address to a node that matches",
    example: { ...EXAMPLE_CONTENT, refusals: EXAMPLE_LABELS },
  }),
  noNode: problem({
    reason: "NoCandidate",
    by: "administrator",
    text: (unserved: Unserved) => `${unservedText(unserved)}; nothing is published`,
    remedy: unservedRemedy,
    example: UNSERVED,
  }),
  noNodeKept: problem({
    reason: "KeptLastKnown",
    by: "administrator",
    text: (unserved: Unserved) => `${unservedText(unserved)}; record ${unserved.name} keeps ${listed(unserved.values)}`,
    remedy: unservedRemedy,
    example: UNSERVED,
  }),
  noneActive: problem({
    reason: "KeptLastKnown",
    by: "cause",
    text: ({ name, values }: Content & SeenIn) => `no address is active; record ${name} keeps ${listed(values)}`,
    remedy: seeCondition,
    example: { ...EXAMPLE_CONTENT, condition: "Fulfilled" },
  }),
  nothingYet: problem({
    reason: "NoneActive",
    by: "cause",
    text: ({ name }: SeenIn & { readonly name: string }) =>
      `no address is active, so the operator leaves record ${name} as it is; it writes the record once an address is active`,
    remedy: seeCondition,
    example: { name: EXAMPLE_CONTENT.name, condition: "Fulfilled" },
  }),
  foreignWriter: problem({
    reason: "ForeignWriter",
    by: "account",
    text: ({ until }: { readonly until: number }) =>
      `something outside of this operator changes the record set; the operator tries again at ${timeText(until)}`,
    remedy: "have the owner of the DNS account find and stop it",
    example: { until: Date.parse("2026-01-01T10:02:11Z") },
  }),
});

/** An Event's note holds 1,024 bytes. */
const MOST_LISTED = 12;

export interface RecordsLeft {
  readonly recordName: string;
  readonly zone: string;
  readonly provider: string;
  readonly values: readonly string[];
  /** The provider does not show the zone. */
  readonly unseen?: true;
  /** Others wrote them. */
  readonly foreign?: true;
}

/** Entries of the catalogue of Events. */
export const recordEvents = {
  recordsRetained: event({
    reason: "RecordsRetained",
    action: "Retain",
    text: ({ recordName, zone, provider, values }: RecordsLeft) =>
      `record set ${recordName} in zone ${zone} at ${provider} stays: the operator deletes its records only if dnsRecordSet of the spec has deletionPolicy: Delete; by the last status, it holds ${listed(values, MOST_LISTED)}; compare at the provider, where others may have changed it since, and delete only records that still hold ${values.length === 1 ? "this address" : "these addresses"}, and only if nothing uses them`,
    example: { recordName: "www", zone: "example.com", provider: "digitalocean", values: ["203.0.113.7"] },
  }),
  recordsForeign: event({
    reason: "RecordsRetained",
    action: "Retain",
    text: ({ recordName, zone, provider, values }: RecordsLeft) =>
      `record set ${recordName} in zone ${zone} at ${provider} keeps ${listed(values, MOST_LISTED)}: this resource did not write ${values.length === 1 ? "it" : "them"}, so the operator deletes only the other records; if nothing uses what stays, delete it at the provider`,
    example: { recordName: "www", zone: "example.com", provider: "digitalocean", values: ["198.51.100.7"] },
  }),
  recordsUnseen: event({
    reason: "CleanupAbandoned",
    action: "CleanUp",
    text: ({ recordName, zone, provider, values }: RecordsLeft) =>
      `record set ${recordName} in zone ${zone} at ${provider} may stay and hold ${listed(values, MOST_LISTED)}: ${provider} has no such zone, or its token does not see it; if the zone exists, delete the record set at the provider`,
    example: { recordName: "www", zone: "example.com", provider: "digitalocean", values: ["203.0.113.7"] },
  }),
};
