/** How many addresses are active, and why nodes are lacking. */

import { timeText } from "../../clock.js";
import type { PortlessNodes } from "../../match/node-workload.js";
import type { LimitWait } from "../../providers/layers/limiter.js";
import { listed, omitUndefined } from "../../values.js";
import { pauseText } from "../action-reasons.js";
import { note, type Problem, problem, topic } from "../message.js";
import { openPortText } from "../services.js";
import { type Count, countText, type Fulfilled, fulfilledText } from "./address-count.js";
import {
  BUSY,
  type BusyNodes,
  busyText,
  isShared,
  type MakingRoom,
  makingRoomText,
  NONE_BUSY,
  nodeRemedies,
  putInPlaceOf,
  setRoutedIp,
} from "./busy-nodes.js";
import { ADD_MATCHING, EXAMPLE_ENDPOINTS, EXAMPLE_NOT_READY, type RefusedNodes, SEE_NODES } from "./refused-nodes.js";

interface Refusals {
  readonly refusals: RefusedNodes;
}

/** An obstacle to the creation of addresses, and fewer nodes than addresses. */
interface LacksBoth extends Refusals {
  readonly cause: Problem;
  readonly desired: number;
  readonly candidates: number;
}

/** When the cool-off ends, ms since the epoch. `unanswered`: it begins with the answer to the last assignment. */
export type CoolOffEnd = number | "unanswered";

interface OnCordoned extends Fulfilled {
  readonly node: string;
  readonly ip: string;
  /** Of the nodes that match, beside that of a cordon. */
  readonly taints: readonly string[];
}

interface ForPods extends Fulfilled {
  /** Of the pods that make nodes match. */
  readonly namespaces: readonly string[];
}

interface ForWorkloads extends Fulfilled {
  /** Those whose pods make nodes match. */
  readonly workloads: readonly string[];
  /** Empty: any pod counts. */
  readonly podLabel: string;
}

/** The account has addresses that no resource has, beside those that the operator created for the pool. */
interface BesideUnlisted extends Fulfilled {
  readonly created: readonly string[];
  readonly left: readonly { readonly ip: string; readonly node: string }[];
  /** Of the spec, with those that are left in the place of created ones. */
  readonly ips: readonly string[];
}

/** Fewer than two `workloads`: those that open no port are not known to be others. */
interface OnPortless extends ForWorkloads, PortlessNodes {}

function workloadsText({ workloads, podLabel }: Pick<ForWorkloads, "workloads" | "podLabel">): string {
  const why = podLabel === "" ? "match.podLabel is not set" : `all of them have ${podLabel}`;
  return `pods of ${listed(workloads)} count, because ${why}`;
}

const ONE_WORKLOAD =
  "if only those of one workload are meant, give its pods a label of their own and select that in match.podLabel";

/** Why calls to the account take long. */
export function limitText({ calls, until, paused = false }: LimitWait): string {
  if (paused && until !== undefined) return pauseText({ until });
  const waiting = calls === 0 ? "the next call waits" : `${calls} ${calls === 1 ? "call waits" : "calls wait"}`;
  if (until === undefined)
    return `${waiting} for the answer to the call that tests whether the provider's rate limit of the account is over`;
  return `${waiting} for the rate limit of the account, which allows the next call at ${timeText(until)}`;
}

/** What the cool-off of the set means for the next address. */
export function coolOffText(end: CoolOffEnd): string {
  const time =
    end === "unanswered" ? "that long after the provider answers the last assignment" : `at ${timeText(end)}`;
  return `assignmentCoolOffSeconds limits how often the operator assigns an address; it assigns the next one ${time}`;
}

interface Shortage extends Refusals {
  readonly busy: BusyNodes;
}

interface TooFew extends Shortage {
  readonly desired: number;
  /** An address of the pool that has no node. */
  readonly idle: string;
}

const isOccupied = ({ busy }: Shortage) => busy.shown.length > 0;
/** What else helps if addresses of other resources occupy the nodes. */
function shareText({ busy }: Shortage): string {
  return isShared(busy) ? ", or let the resources match different nodes" : "";
}

const ADD_NODES = "have the cluster's administrator add nodes that match";

function neededText(desired: number): string {
  return desired === 1 ? "1 node is needed" : `${desired} nodes are needed, one for each address`;
}

/** The nodes are there, and only their pods are missing: more nodes alone would not run those either. */
function podsSuffice({ withPods = 0 }: RefusedNodes, needed: number): boolean {
  return withPods >= needed;
}

export const candidateMessages = topic("candidates", {
  fulfilled: note({
    reason: "Observed",
    text: (count: Fulfilled) => fulfilledText(count),
    example: { active: 2, desired: 2, disabled: ["203.0.113.9"] },
  }),
  servesUnlisted: note({
    reason: "Observed",
    text: (count: Fulfilled) => fulfilledText(count),
    example: {
      ...{ active: 2, desired: 2, disabled: [] },
      unlisted: { ips: ["203.0.113.8"], reclaimPolicy: "Retain", inferred: false },
    },
  }),
  onCordoned: problem({
    reason: "HolderCordoned",
    by: "author",
    text: ({ node, ip, ...count }: OnCordoned) =>
      `${fulfilledText(count)}; ${node} is cordoned, and ${ip} stays there, because match.tolerations tolerates that`,
    remedy: ({ taints }) =>
      `if the address is to leave cordoned nodes, ${
        taints.length === 0
          ? "remove match.tolerations: the nodes that match have no other taint"
          : `tolerate in match.tolerations only ${listed(taints)}, by key: the nodes that match have no other taint`
      }`,
    example: {
      active: 2,
      desired: 2,
      disabled: [],
      node: "node-3",
      ip: "203.0.113.7",
      taints: ["dedicated=edge:NoSchedule"],
    },
  }),
  onPortless: problem({
    reason: "NoOpenPort",
    by: "author",
    text: ({ nodes, local, ...count }: OnPortless) => {
      const several = count.workloads.length < 2 ? "" : `; ${workloadsText(count)}`;
      const unlike = local === undefined ? ", though pods on other nodes have one" : "";
      return `${fulfilledText(count)}; the pods on ${listed(nodes)} ${openPortText(local)}${unlike}, so clients reach them there only by a NodePort of a Service${several}`;
    },
    remedy: ({ workloads, local }) => {
      const answer = "if the pods are to answer at the address itself,";
      if (local !== undefined) return `${answer} remove hostIP from this port of theirs`;
      const open = `${answer} give all of them the hostPort`;
      return workloads.length < 2
        ? `${open}; else set match.podLabel to a label that only those with a hostPort have`
        : [ONE_WORKLOAD, open];
    },
    example: { active: 2, desired: 2, disabled: [], nodes: ["node-3"], workloads: [], podLabel: "" },
  }),
  besideUnlisted: problem({
    reason: "UnlistedAddresses",
    by: "author",
    text: ({ created, left, ...count }: BesideUnlisted) =>
      `${fulfilledText(count)}; the operator created ${listed(created)}, and no resource names ${listed(left.map(({ ip, node }) => `${ip} (on ${node})`))}, which a deleted pool may have left`,
    remedy: ({ ips }) => [
      `if clients know the latter, set ips: [${listed(ips)}]`,
      "if nothing needs them, release them (flipop orphans --release IP --unassign)",
    ],
    example: {
      ...{ active: 1, desired: 1, disabled: [], created: ["203.0.113.7"], ips: ["203.0.113.8"] },
      left: [{ ip: "203.0.113.8", node: "node-3" }],
    },
  }),
  ofSeveralNamespaces: problem({
    reason: "SeveralNamespaces",
    by: "author",
    text: ({ namespaces, ...count }: ForPods) =>
      `${fulfilledText(count)}; pods of namespaces ${listed(namespaces)} count, because match.podNamespace is not set`,
    remedy: "if only those of one namespace are meant, set match.podNamespace to it",
    example: { active: 2, desired: 2, disabled: [], namespaces: ["prod", "qa"] },
  }),
  ofSeveralWorkloads: problem({
    reason: "SeveralWorkloads",
    by: "author",
    text: (values: ForWorkloads) => `${fulfilledText(values)}; ${workloadsText(values)}`,
    remedy: ONE_WORKLOAD,
    example: {
      ...{ active: 2, desired: 2, disabled: [], podLabel: "app=proxy" },
      workloads: ["DaemonSet game/proxy", "Deployment game/proxy-test"],
    },
  }),
  onTheirWay: note({
    reason: "UnderWay",
    text: (count: Count) => `${countText(count)}, the others are on their way`,
    example: { active: 1, desired: 3 },
  }),
  makingRoom: note({
    reason: "UnderWay",
    text: (values: Count & MakingRoom) => `${countText(values)}; ${makingRoomText(values)}`,
    example: {
      ...{ active: 1, desired: 2, ip: "203.0.113.7", node: "node-2", displaced: "203.0.113.8" },
      leaves: Date.parse("2026-01-01T10:02:11Z"),
    },
  }),
  inDoubt: note({
    reason: "UnderWay",
    text: ({ ip, ...count }: Count & { readonly ip: string }) =>
      `${countText(count)}; the last read contradicts what the operator knows of ${ip}, so it waits for a second one`,
    example: { active: 1, desired: 3, ip: "203.0.113.7" },
  }),
  waitForLimit: note({
    reason: "RateLimited",
    text: ({ calls, until, paused, ...count }: Count & LimitWait) =>
      `${countText(count)}; ${limitText({ calls, ...omitUndefined({ until, paused }) })}`,
    example: { active: 1, desired: 3, calls: 12, until: Date.parse("2026-01-01T10:02:11Z") },
  }),
  tooFewActive: problem({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    by: "cause",
    text: ({ cause, ...count }: Count & { readonly cause: Problem }) => `${countText(count)}: ${cause.message}`,
    example: { active: 1, desired: 3, cause: { reason: "NoCandidate", message: EXAMPLE_NOT_READY.text } },
  }),
  none: problem({
    reason: "NoCandidate",
    by: "administrator",
    text: ({ refusals }: Refusals) => refusals.text,
    remedy: ({ refusals }) => `${refusals.remedy}; ${SEE_NODES}`,
    example: { refusals: EXAMPLE_NOT_READY },
  }),
  noneForService: problem({
    reason: "NoCandidate",
    by: "administrator",
    text: ({ service, ...shortage }: Shortage & { readonly service: string }) => {
      const { busy, refusals } = shortage;
      if (!isOccupied(shortage)) return `no node can take the address for Service ${service}: ${refusals.text}`;
      return `no node with a ready pod of Service ${service} is free: ${busyText(busy)}; ${refusals.text}`;
    },
    remedy: (shortage) => {
      const { repair, remedy } = shortage.refusals;
      if (!isOccupied(shortage)) return `${remedy}; ${SEE_NODES}`;
      const other = `run a pod of the Service on another node${repair === undefined ? "" : `, or ${repair}`}`;
      const others = [...nodeRemedies(shortage.busy, setRoutedIp), `${other}${shareText(shortage)}`];
      return `${others.join("; or ")}; ${SEE_NODES}`;
    },
    example: { service: "web/shop", refusals: EXAMPLE_ENDPOINTS, busy: NONE_BUSY },
  }),
  tooFew: problem({
    reason: "TooFewCandidates",
    by: "administrator",
    text: ({ desired, ...shortage }: TooFew) => {
      const { busy, refusals } = shortage;
      const occupied = isOccupied(shortage) ? `no node that matches is free: ${busyText(busy)}; ` : "";
      return `${neededText(desired)}; ${occupied}${refusals.text}`;
    },
    remedy: (shortage) => {
      const { busy, desired, refusals } = shortage;
      const add = podsSuffice(refusals, desired + busy.shown.length + busy.more) ? "" : `${ADD_NODES}, or `;
      const { repair } = refusals;
      const others = `${add}ask for fewer addresses${shareText(shortage)}`;
      const first = nodeRemedies(shortage.busy, putInPlaceOf(shortage));
      return [...first, ...(repair === undefined ? [] : [repair]), others].join("; or ");
    },
    example: { desired: 3, idle: "203.0.113.7", refusals: EXAMPLE_NOT_READY, busy: BUSY },
  }),
  tooFewBesides: problem({
    reason: ({ cause }: LacksBoth) => cause.reason,
    by: "cause",
    text: ({ cause, desired, refusals }: LacksBoth) =>
      `${cause.message}; the nodes are too few, too: ${neededText(desired)}; ${refusals.text}`,
    remedy: ({ candidates, desired, refusals }) => {
      const { repair, remedy } = refusals;
      if (candidates === 0) return remedy;
      const add = podsSuffice(refusals, desired) ? "" : `${ADD_MATCHING}, or `;
      return `${repair === undefined ? "" : `${repair}; or `}${add}ask for fewer addresses`;
    },
    example: {
      ...{ desired: 3, candidates: 1, refusals: EXAMPLE_NOT_READY },
      cause: { reason: "QuotaExceeded", message: "the account may have 3 addresses" },
    },
  }),
  coolingOff: problem({
    reason: "CoolingOff",
    by: "operator",
    text: ({ until }: { readonly until: CoolOffEnd }) => coolOffText(until),
    example: { until: Date.parse("2026-01-01T10:02:11Z") },
  }),
});
