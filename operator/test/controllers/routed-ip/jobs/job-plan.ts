/** A RoutedIP of a class with Jobs, its nodes and its Job, as the plan sees them. */

import { Annotation, Finalizer, type RoutedIPStatus } from "cdk8s-flipop/api";
import { timestamp } from "../../../../src/clock.js";
import { addressSetOf } from "../../../../src/controllers/routed-ip/address/address-set.js";
import { planJobs } from "../../../../src/controllers/routed-ip/jobs/plan.js";
import type { JobSnapshot } from "../../../../src/controllers/routed-ip/jobs/snapshot.js";
import { assignVariables, buildJob, type JobVariables } from "../../../../src/jobs/job.js";
import type { JobState } from "../../../../src/jobs/job-decision.js";
import type { NodeFacts } from "../../../../src/match/node-facts.js";
import type { RoutedIP } from "../../../../src/routing/read-resources.js";
import { meta } from "../../../claims/resources.js";
import { TAINT } from "../model-cluster.js";
import { JOB_CLASS } from "./job-class.js";

export const NOW = Date.parse("2025-06-01T10:00:00Z");
export const IP = "192.0.2.1";
export const PORT = { name: "https", port: 443, protocol: "TCP", origin: "HostPort" } as const;

export function node(name: string, age = 0): NodeFacts {
  return {
    ...{ uid: `uid-${name}`, name, labels: {}, annotations: {}, addresses: [], machine: `cloud://${name}` },
    ...{ cordoned: false, leaving: false, conditionTaints: [], taints: [], kubeletVersion: "" },
    createdAt: timestamp(NOW - age),
  };
}

export const HELD = { ip: "192.0.2.9", owner: { kind: "RoutedIP", namespace: "game", name: "lobby" } };
export const N1 = node("n1", 2000);
export const N2 = node("n2", 1000);
export const ON_N1: RoutedIPStatus = { routedIP: IP, assignedNode: "n1", providerID: "cloud://n1", state: "active" };

export interface Changes extends Partial<Omit<JobSnapshot, "routed">> {
  readonly spec?: Partial<RoutedIP["spec"]>;
  readonly status?: RoutedIPStatus;
  readonly metadata?: Partial<RoutedIP["metadata"]>;
}

export function plan({ spec, status = {}, metadata, ...more }: Changes = {}) {
  const candidates = more.candidates ?? [N1, N2];
  const routed: RoutedIP = {
    metadata: { ...meta("a"), ...metadata },
    spec: { className: "rack", serviceRef: { serviceName: "web" }, ...spec },
    status,
  };
  return planJobs({
    ...{ set: addressSetOf({ routed }), memory: { reverts: new Map() } },
    ...{
      routed,
      now: NOW,
      cachesComplete: true,
      resolvedClass: JOB_CLASS,
      candidates,
      refusals: { text: "none", remedy: "none" },
    },
    ...{
      claims: { addresses: new Map(), names: [] },
      keeperOf: () => undefined,
      ports: { ports: [PORT] },
      firewall: "done",
      opens: () => true,
    },
    verdictOf: (machine) => {
      const found = [N1, N2].find((one) => one.machine === machine);
      if (found === undefined) return undefined;
      return {
        node: found,
        refusals: candidates.includes(found) ? [] : [{ reason: "NoMatchingPod", text: "no pod", recoverable: true }],
      };
    },
    servesAt: (name) => candidates.some((one) => one.name === name),
    taints: { nodes: [], neededOn: () => [], taintsOn: () => [] },
    heldOn: () => [],
    cleanup: { attempts: 0 },
    ...more,
  } as JobSnapshot);
}

export function jobFor(variables: JobVariables, state: JobState): NonNullable<JobSnapshot["job"]> {
  const owner = { name: "rack", uid: "class-uid" };
  const built = buildJob({
    ...{ purpose: "assign", uid: "u", owner, namespace: "jobs", spec: {}, variables, secrets: [], attempt: 0 },
  });
  const { annotations } = built.metadata as { readonly annotations: Record<string, string> };
  return { object: { metadata: { ...meta("job"), annotations } }, state };
}

export const to = (name: string, ip = "") => {
  return assignVariables({
    ...{ namespace: "default", name: "a", ip, region: "" },
    node: { name, providerID: `cloud://${name}` },
  });
};
export const ATTEMPTED = { name: "n2", providerID: "cloud://n2" };
export const CREATED = `{"routedIP": "${IP}"}`;
export const PENDING = { startedAt: timestamp(NOW), provider: "jobs", family: "IPv4" } as const;
export const ARMED = { finalizers: [Finalizer.cleanup] };
export const COPIED = { annotations: { [Annotation.createdIps]: IP } };
export const DELETED = { ...ARMED, deletionTimestamp: timestamp(NOW - 1000) };
export const OTHER = "192.0.2.2";
export const TAINTED = {
  nodes: [{ name: "n1", taints: [TAINT], needed: [] }],
  neededOn: () => [],
  taintsOn: (node: string) => (node === "n1" ? [TAINT] : []),
};
const NO_SCHEDULE = { ...TAINT, effect: "NoSchedule" } as const;
/** The same, with the effect that the class asked for before. */
export const FORMER_TAINT = {
  ...TAINTED,
  nodes: [{ name: "n1", taints: [NO_SCHEDULE], needed: [] }],
  taintsOn: (node: string) => (node === "n1" ? [NO_SCHEDULE] : []),
};
/** Its holder does not match, and no other node does. */
export const UNSERVED = { status: { ...ON_N1, state: "no-match" }, metadata: ARMED, candidates: [] } as const;
export const RUNNING = jobFor(to("n1"), { is: "running", requeueAt: NOW + 1 });
export const WINNER = { kind: "RoutedIP", namespace: "default", name: "other", uid: "other" };
const claim = (ours: boolean): JobSnapshot["claims"] => ({
  addresses: new Map([[OTHER, { ours, owned: { owner: WINNER, basis: "asks" } as const }]]),
  names: [],
});
export const CLAIMED = claim(false);
export const CLAIMED_BY_US = claim(true);
export const does = ({ chain }: ReturnType<typeof plan>) => chain.map((action) => action.do).join(" ");
