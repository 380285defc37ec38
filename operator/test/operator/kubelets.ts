/** The kubelets of a simulated cluster, as far as health checks concern them. */

import { NODE_LEASE_NAMESPACE } from "cdk8s-flipop/api";
import type { Emulator } from "flipop-sandbox/kubernetes";
import { microTime } from "../../src/clock.js";
import { NODE_LEASE_SECONDS, SECOND_MS } from "../../src/timings.js";
import type { World } from "./world.js";

/** A kubelet renews its Lease this often. */
const RENEW_MS = (NODE_LEASE_SECONDS / 4) * SECOND_MS;

type Edit = Parameters<Emulator["change"]>[1];

/** Renews the Lease of its node while it is alive, and does nothing else. */
export function runKubelet(world: World, name: string): { alive: boolean } {
  const kubelet = { alive: true };
  const [apiVersion, kind, namespace] = ["coordination.k8s.io/v1", "Lease", NODE_LEASE_NAMESPACE];
  const spec = () => ({
    holderIdentity: name,
    leaseDurationSeconds: NODE_LEASE_SECONDS,
    renewTime: microTime(world.clock.now()),
  });
  world.kubernetes.create({ apiVersion, kind, metadata: { name, namespace }, spec: spec() });
  const renew = () => {
    const edit = ((object: object) => ({ ...object, spec: spec() })) as Edit;
    if (kubelet.alive) world.kubernetes.change({ apiVersion, kind, namespace, name }, edit);
    world.clock.setTimer(RENEW_MS, renew);
  };
  world.clock.setTimer(RENEW_MS, renew);
  return kubelet;
}

/** The address of a node that is probed by default. */
export function hostOf(world: World, node: string): string {
  const object = world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: node });
  const { addresses = [] } = (object?.["status"] ?? {}) as {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
  return addresses.find(({ type }) => type === "InternalIP")?.address ?? "";
}
