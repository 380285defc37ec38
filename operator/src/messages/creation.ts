/** The creation of addresses: what it waits for, and creations whose answer was lost. */

import { Annotation } from "cdk8s-flipop/api";
import { timeText } from "../clock.js";
import type { ResourceRef } from "../inventory/view.js";
import type { GroupTurn } from "../providers/layers/group-limits.js";
import { listed } from "../values.js";
import { refText } from "./claims.js";
import { type Problem, partsOf, problem, topic } from "./message.js";
import { type BusyNodes, busyText, giveToResource, nodeRemedies } from "./nodes/busy-nodes.js";
import { type CoolOffEnd, coolOffText } from "./nodes/candidates.js";
import { REGION_LABEL_TEXT } from "./nodes/label-remedies.js";
import { ADD_MATCHING, addNodeIn, EXAMPLE_LABELS, type RefusedNodes } from "./nodes/refused-nodes.js";
import { holdersOf } from "./tenants.js";

interface Missing {
  readonly desired: number;
  readonly missing: number;
}

interface Waiting {
  readonly missing: number;
  /** Whose creation comes first. */
  readonly other: ResourceRef;
}

interface AccountFull {
  readonly cause: Problem;
  readonly family: string;
  /** Those with most addresses first. */
  readonly holders: readonly (Ref & { readonly count: number })[];
  /** Addresses of no resource that the operator knows. */
  readonly unknown: number;
}

/** A creation whose answer was lost. */
interface Lost {
  /** As `status.pendingCreation` has it. */
  readonly startedAt: string;
  readonly resource: Ref & { readonly deleting: boolean };
}

interface Doubtful {
  readonly ips: readonly string[];
  readonly doubt?: string | undefined;
  /** ms since the epoch: then the operator creates another one. */
  readonly until?: number | undefined;
}

/** No node is there to create the address on. */
interface Unplaced {
  readonly busy: BusyNodes;
  readonly refusals: RefusedNodes;
}

interface Elsewhere {
  readonly kind: "FloatingIPPool" | "RoutedIP";
  /** Of the spec. */
  readonly region: string;
  /** Of the nodes. */
  readonly regions: string;
  /** Nodes match, and these are meant. */
  readonly matches: boolean;
  /** Nodes of `region` that the resource means and cannot use. */
  readonly refusals?: RefusedNodes;
}

interface InRegion {
  /** The resource with the field `region`. */
  readonly regionOf: string;
  readonly provider: string;
  readonly family: string;
  /** Of the nodes that match; empty: not known. */
  readonly regions: string;
}

const OTHER: ResourceRef = { kind: "FloatingIPPool", namespace: "ingress", name: "web", uid: "u1" };
const LOST: Lost = {
  startedAt: "2026-01-01T10:02:11.000Z",
  resource: { kind: "FloatingIPPool", namespace: "ingress", name: "web", deleting: false },
};
type Ref = Pick<ResourceRef, "kind" | "namespace" | "name">;

const annotationText = (resource: Ref) => `annotation ${Annotation.forgetCreation} of ${refText(resource)} to "true"`;
const IF_NONE = "if the account has no new address,";
const forgetText = (resource: Ref, ifNone = IF_NONE) => `${ifNone} set ${annotationText(resource)}`;
const forgetOfOther = (other: Ref) => `${IF_NONE} have the author of ${refText(other)} set ${annotationText(other)}`;

const countText = (missing: number) => (missing === 1 ? "1 address" : `${missing} addresses`);
const afterOther = ({ missing, other }: Waiting) =>
  `the operator creates ${countText(missing)} after the creation of ${refText(other)}`;
/** It names none: many wait, and one that named each other in turn would be a write of each status with each of them. */
const afterRunning = ({ missing }: Pick<Waiting, "missing">) =>
  `the operator creates ${countText(missing)} after another creation in the same account`;

export function missingText({ desired, missing }: Missing): string {
  return `desiredIPs is ${desired}, ${missing} missing`;
}

function ownersText({ family, holders, unknown }: AccountFull): string {
  const [are, them] = unknown === 1 ? ["is", "it"] : ["are", "them"];
  const left = `${unknown} ${are} of no resource that the operator knows (flipop orphans lists ${them})`;
  const parts = [...holdersOf(holders, ""), ...(unknown === 0 ? [] : [left])];
  const all = holders.reduce((sum, { count }) => sum + count, unknown);
  return `of the account's ${all} ${family} addresses, ${[...parts.slice(0, -2), parts.slice(-2).join(", and ")].join(", ")}`;
}

function answerLost({ startedAt, resource: { kind } }: Lost): string {
  const of = kind === "RoutedIP" ? "its address" : "an address";
  return `at ${timeText(Date.parse(startedAt))} the operator began to create ${of}, and no answer shows whether it exists`;
}

function anotherAt(until: number | undefined): readonly string[] {
  return until === undefined ? [] : [`otherwise the operator creates another one at ${timeText(until)}`];
}

function remedyOf({ resource }: Lost, ifNone?: string): string {
  const forget = forgetText(resource, ifNone);
  if (resource.deleting) return `the address stays in the account; ${forget}`;
  return `${resource.kind === "RoutedIP" ? "set routedIP to the right one" : "list the right one in ips"}; ${forget}`;
}

export const creationMessages = topic("creation", {
  running: problem({
    reason: "UnderWay",
    by: "operator",
    text: () => "the operator waits for the provider's answer to a creation",
  }),
  notRecorded: problem({
    reason: "UnderWay",
    by: "operator",
    text: () =>
      "the API server did not accept the result of a creation for the status: the operator tries again, and creates nothing else before",
  }),
  noRegion: problem({
    reason: "NoCandidate",
    by: "author",
    text: ({ busy, refusals }: Unplaced) => {
      const occupied = busy.shown.length === 0 ? "" : `: ${busyText(busy)}`;
      return `the operator creates the address on a node that matches and is free, and there is none${occupied}; ${refusals.text}`;
    },
    remedy: ({ refusals, busy }) => {
      const nodes = busy.shown.length === 0 ? refusals.remedy : ADD_MATCHING;
      return [...nodeRemedies(busy, giveToResource), nodes].join("; or ");
    },
    example: { busy: { shown: [], more: 0 }, refusals: EXAMPLE_LABELS },
  }),
  onlyInRegion: problem({
    reason: "NoCandidate",
    by: "author",
    text: ({ provider, family, regionOf }: InRegion) =>
      `provider "${provider}" creates ${family} addresses in a region only, and region of ${regionOf} is empty`,
    remedy: ({ regions }) =>
      `set region to ${regions === "" ? "the region of the nodes" : `that of the nodes that match (${regions})`}`,
    example: { provider: "digitalocean", family: "IPv6", regionOf: refText(OTHER), regions: "ams3" },
  }),
  nodesElsewhere: problem({
    reason: ({ refusals }: Elsewhere) => (refusals?.repair === undefined ? "WrongRegion" : "NoCandidate"),
    by: "author",
    text: ({ region, regions, matches, refusals }: Elsewhere) => {
      const there = refusals?.repair === undefined ? "" : `in region ${region}, ${refusals.text}; `;
      return `${there}all nodes ${matches ? "that match" : "of the cluster"} are in region ${regions}, by their ${REGION_LABEL_TEXT}, and an address in region ${region} cannot be assigned there, so the operator creates none`;
    },
    remedy: ({ kind, region, regions, refusals }) => {
      const other = `set region ${kind === "RoutedIP" ? "of the issuer " : ""}to ${regions}, correct the label if the provider has no such region, or ${addNodeIn(region)}`;
      return refusals?.repair === undefined ? other : `${refusals.repair}; or ${other}`;
    },
    example: { kind: "FloatingIPPool", region: "nyc33", regions: "nyc3", matches: true },
  }),
  accountFull: problem({
    reason: ({ cause }: AccountFull) => cause.reason,
    by: "account",
    text: (full: AccountFull) => `${partsOf(full.cause.message)[0]}; ${ownersText(full)}`,
    remedy: ({ cause }) => partsOf(cause.message).slice(1),
    example: {
      cause: {
        reason: "QuotaExceeded",
        message: "the account has 4 addresses, its limit; fix: have the owner of the account raise it",
      },
      ...{ family: "IPv4", holders: [{ ...OTHER, count: 3 }], unknown: 1 },
    },
  }),
  coolingOff: problem({
    reason: "CoolingOff",
    by: "operator",
    text: ({ until, ...missing }: Missing & { readonly until: CoolOffEnd }) =>
      `${missingText(missing)}; ${coolOffText(until)}`,
    example: { desired: 3, missing: 1, until: "unanswered" },
  }),
  afterTurn: problem({
    reason: "RateLimited",
    by: "operator",
    text: ({ missing, calls, seconds, until }: Pick<Waiting, "missing"> & GroupTurn) =>
      `${missing} to be created; the provider allows ${calls} new addresses in ${seconds} s, so the operator creates the next one at ${timeText(until)}`,
    example: { missing: 1, calls: 12, seconds: 60, until: Date.parse("2026-01-01T10:02:11Z") },
  }),
  afterOther: problem({
    reason: "UnderWay",
    by: "operator",
    text: afterRunning,
    example: { missing: 1 },
  }),
  afterReading: problem({
    reason: "UnderWay",
    by: "operator",
    text: ({ missing }: Pick<Waiting, "missing">) =>
      `${missing} to be created; the operator reads the resources of all kinds first, because one of them may have a creation whose outcome is unknown`,
    example: { missing: 1 },
  }),
  afterLost: problem({
    reason: "CreationUnsettled",
    by: "other",
    text: (waiting: Waiting) => `${afterOther(waiting)}, with unknown outcome`,
    remedy: ({ other }) => forgetOfOther(other),
    example: { missing: 1, other: OTHER },
  }),
  afterLostUntil: problem({
    reason: "CreationUnsettled",
    by: "operator",
    text: (waiting: Waiting & { readonly until: number }) => `${afterOther(waiting)}, with unknown outcome`,
    remedy: ({ until, other }) =>
      `the operator creates it at ${timeText(until)}; to have it sooner, ${forgetOfOther(other)}`,
    example: { missing: 1, other: OTHER, until: Date.parse("2026-01-01T10:02:11Z") },
  }),
  severalMayBeIt: problem({
    reason: "CreationUnsettled",
    by: "author",
    text: ({ ips, doubt, until: _until, ...lost }: Lost & Doubtful) => {
      const why = doubt === undefined ? "" : ` (${doubt})`;
      return `${answerLost(lost)}; ${ips.length === 1 ? "" : "each of "}${listed(ips)} may be the new address${why}`;
    },
    remedy: ({ until, ...lost }) => [remedyOf(lost, "if it is none of these,"), ...anotherAt(until)].join("; "),
    example: { ...LOST, ips: ["203.0.113.7", "203.0.113.8"] },
  }),
  answerLost: problem({
    reason: "CreationUnsettled",
    by: "operator",
    text: (lost: Lost) =>
      `${answerLost(lost)}; the operator reads the provider's lists to find its result, in about 70 s`,
    remedy: (lost) => `if it does not find it, ${remedyOf(lost)}`,
    example: LOST,
  }),
  sentElsewhere: problem({
    reason: "CreationUnsettled",
    by: "author",
    text: ({ provider, family, ...lost }: Lost & { readonly provider: string; readonly family: string }) =>
      `${answerLost(lost)}; the call went to provider "${provider}" (${family}), which the spec no longer names`,
    remedy: ({ provider, resource }) =>
      `release the new ${provider} address, if the account has one, then set ${annotationText(resource)}`,
    example: { ...LOST, provider: "digitalocean", family: "IPv4" },
  }),
});
