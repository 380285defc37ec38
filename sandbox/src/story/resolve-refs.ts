/** Who is meant: finds the nodes and addresses that a step names. */

import { type FloatingIPPoolStatus, GROUP_VERSION, type RoutedIPStatus } from "cdk8s-flipop/api";
import { type PoolObject, wantedIps } from "./rules/pool-views.js";
import type { AddressRef, NodeRef } from "./scenario/scenario.js";
import type { Stage } from "./stage.js";

/** The address that a reference names now. Throws where there is none. */
export function findAddress({ world }: Stage, ref: AddressRef): string {
  if (ref.by === "ip") return ref.ip;
  const { namespace, name, index } = ref;
  const pool = world.kubernetes.get({ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace, name });
  const ips = pool === undefined ? routedIps({ world }, ref) : wantedIps(poolOf(pool), createdBy(poolOf(pool).status));
  const ip = ips[index - 1];
  if (ip === undefined) throw new Error(`${namespace}/${name} has no address number ${index}: it has ${ips.length}`);
  return ip;
}

/** The node that a reference names now; `all` is the caller's. Throws where there is none. */
export function findNode(stage: Stage, ref: Exclude<NodeRef, { readonly by: "all" }>): string {
  const { nodes, world } = stage;
  if (ref.by === "name") {
    if (nodes.some(({ metadata }) => metadata.name === ref.name)) return ref.name;
    throw new Error(`there is no node ${ref.name} at this moment`);
  }
  const ip = findAddress(stage, ref.address);
  const { dropletId } = world.digitalocean.state.address(ip);
  const holder = nodes.find(({ spec }) => spec.providerID === `digitalocean://${dropletId}`);
  if (holder === undefined) throw new Error(`${ip} is on no node at this moment: put "settle" before this step`);
  return holder.metadata.name;
}

function routedIps(
  { world }: Pick<Stage, "world">,
  { namespace, name }: { readonly namespace: string; readonly name: string },
) {
  const routed = world.kubernetes.get({ apiVersion: GROUP_VERSION, kind: "RoutedIP", namespace, name });
  if (routed === undefined)
    throw new Error(`there is no FloatingIPPool and no RoutedIP ${namespace}/${name}: apply it first`);
  const { routedIP } = (routed["status"] ?? {}) as RoutedIPStatus;
  return routedIP === undefined ? [] : [routedIP];
}

function poolOf(object: unknown): PoolObject {
  return object as PoolObject;
}

function createdBy(status: FloatingIPPoolStatus | undefined): ReadonlySet<string> {
  return new Set((status?.createdIPs ?? []).map(({ ip }) => ip));
}
