/** Whether the world is as desired and no component writes any more. Pure. */

import { BAD_WHEN_TRUE } from "cdk8s-flipop/api";
import type { Fact, PoolView } from "./facts.js";

/** ms without a write before it counts as quiet. */
const QUIET_MS = 10_000;

/** One of our resources, as far as its conditions tell. */
export interface Conditioned {
  /** `FloatingIPPool ingress/ingress`. */
  readonly label: string;
  readonly generation: number | undefined;
  readonly observedGeneration: number | undefined;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}

export interface Scene {
  /** ms of story time. */
  readonly now: number;
  readonly resources: readonly Conditioned[];
  /** Labels of resources that the operator refuses, as the scenario expects. */
  readonly refused: ReadonlySet<string>;
  readonly pools: readonly PoolView[];
  /** Nodes by the address that they hold. */
  readonly holders: ReadonlyMap<string, string | undefined>;
  /** Actions that the cloud still works on. */
  readonly running: number;
  /** ms of story time: since when nothing was written, nor the world changed by the story. */
  readonly quietSince: number;
}

/** What keeps it from rest, for people; undefined: nothing. */
export function unsettled(scene: Scene): string | undefined {
  const { now, resources, refused, running, quietSince } = scene;
  const served = resources.filter(({ label }) => !refused.has(label));
  const told = served.map((resource) => unwell(resource)).find((text) => text !== undefined);
  if (told !== undefined) return told;
  const pools = scene.pools.filter(({ pool }) => !refused.has(pool) && !refused.has(`FloatingIPPool ${pool}`));
  const homeless = pools.map((pool) => misplaced(pool, scene)).find((text) => text !== undefined);
  if (homeless !== undefined) return homeless;
  if (running > 0) return `the cloud still works on ${running} actions`;
  return now - quietSince >= QUIET_MS ? undefined : "the operator still writes";
}

/** Time of the operator's last write; 0: none yet. */
export function lastWrite(facts: readonly Fact[]): number {
  return facts.findLast((fact) => fact.kind === "kube-write" || (fact.kind === "call" && fact.writes))?.at ?? 0;
}

function unwell({ label, generation, observedGeneration, conditions }: Conditioned): string | undefined {
  if (observedGeneration === undefined || observedGeneration !== generation) return `${label} is not yet observed`;
  const bad = conditions.find(({ type, status }) => {
    return status !== (BAD_WHEN_TRUE.some((other) => other === type) ? "False" : "True");
  });
  return bad === undefined ? undefined : `${label}: ${bad.type}=${bad.status}: ${bad.message ?? ""}`;
}

/** As many addresses as possible must be on nodes that may have them. */
function misplaced({ pool, ips, eligible }: PoolView, { holders }: Scene): string | undefined {
  const placed = ips.filter((ip) => eligible.has(holders.get(ip) ?? "")).length;
  const possible = Math.min(ips.length, eligible.size);
  return placed >= possible ? undefined : `${pool}: ${placed} of ${possible} addresses are on nodes that serve them`;
}
