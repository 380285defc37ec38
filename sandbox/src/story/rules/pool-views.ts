/** What pools want and who can serve them, from the objects in the cluster. Pure. */

import type { FloatingIPPoolSpec, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import type { PoolView } from "./facts.js";
import { eligibleNodes, type NodeObject, type PodObject, servingNodes } from "./serving-nodes.js";

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
}

export interface PoolObject extends Named {
  readonly spec: FloatingIPPoolSpec;
  readonly status?: FloatingIPPoolStatus;
}

export interface ClusterView {
  readonly pools: readonly PoolObject[];
  readonly nodes: readonly NodeObject[];
  readonly pods: readonly PodObject[];
  /** Addresses that were created since the start. */
  readonly made: ReadonlySet<string>;
}

export function poolViews(cluster: ClusterView): readonly PoolView[] {
  return cluster.pools.map((pool) => viewOf(pool, cluster));
}

/** The addresses that a pool should have up, in its order: listed ones, then created ones, cut at `desiredIPs`. */
export function wantedIps({ spec, status }: PoolObject, made: ReadonlySet<string>): readonly string[] {
  const { ips = [], desiredIPs = 0 } = spec;
  const created = [...ips.filter((ip) => made.has(ip)), ...Object.keys(status?.ips ?? {}).filter((ip) => made.has(ip))];
  const all = [...new Set([...ips.filter((ip) => !made.has(ip)), ...created])];
  return desiredIPs === 0 ? ips : all.slice(0, desiredIPs);
}

function viewOf(pool: PoolObject, { made, nodes, pods }: ClusterView): PoolView {
  const { metadata, spec } = pool;
  const { ips = [], desiredIPs = 0, match = {} } = spec;
  const serving = servingNodes(match, nodes, pods);
  return {
    pool: `${metadata.namespace}/${metadata.name}`,
    ips: metadata.deletionTimestamp === undefined ? wantedIps(pool, made) : [],
    entitled: Math.max(0, desiredIPs - ips.filter((ip) => !made.has(ip)).length),
    serving,
    eligible: eligibleNodes(match, nodes, serving),
  };
}
