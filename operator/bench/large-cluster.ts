/** A large cluster in this process: each pool has nodes and pods of its own, and one address that one of them holds. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { addNode } from "flipop-sandbox/nodes";
import { AT_ONCE, NO_LIMITS } from "./instant-cloud.js";
import { newPod, podWriter } from "./pods.js";

export const SIZE = { pools: 1_000, nodesOfPool: 5, podsOfNode: 10 } as const;
/** Of a pod, as JSON. */
const POD_BYTES = 6 * 1024;
const ASSIGN = "POST /v2/reserved_ips/{reserved_ip}/actions";

export class LargeCluster {
  /** Pools whose status has been written. */
  readonly written = new Set<string>();
  /** When the first of them was written, performance.now(). */
  firstWritten: number | undefined;
  /** When the last of them was written, performance.now(). */
  lastWritten: number | undefined;
  private readonly ips: string[] = [];

  static async start(): Promise<LargeCluster> {
    const kubernetes = await startEmulator({ tls: false });
    const nodes = SIZE.pools * SIZE.nodesOfPool;
    const cloud = await startDigitalOceanSimulator({
      durations: AT_ONCE,
      limits: NO_LIMITS,
      account: { reservedIpLimit: SIZE.pools, dropletLimit: nodes },
    });
    const cluster = new LargeCluster(kubernetes, cloud);
    cluster.fill();
    cluster.follow();
    return cluster;
  }

  private constructor(
    readonly kubernetes: Emulator,
    readonly cloud: DigitalOceanSimulator,
  ) {}

  /** Name of the node that holds the address of a pool. */
  holderOf(pool: number): string {
    const { dropletId } = this.cloud.state.address(this.ips[pool] ?? "");
    if (dropletId === null) throw new Error(`no node holds the address of pool ${pool}`);
    return this.cloud.state.droplet(dropletId).name;
  }

  setReady(node: string, ready: boolean): void {
    const ref = { apiVersion: "v1", kind: "Node", name: node };
    const conditions = [{ type: "Ready", status: ready ? "True" : "False", reason: "Tested" }];
    this.kubernetes.change(
      ref,
      (object) => ({ ...object, status: { ...(object["status"] as object), conditions } }),
      "status",
    );
  }

  /** Resolves to the moment in which the next assignment is asked for, performance.now(). */
  nextAssignment(): Promise<number> {
    return new Promise((resolve) => {
      const end = this.cloud.journal.subscribe(({ route }) => {
        if (route !== ASSIGN) return;
        end();
        resolve(performance.now());
      });
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.kubernetes.close(), this.cloud.close()]);
  }

  private fill(): void {
    const write = podWriter(POD_BYTES);
    for (let pool = 0; pool < SIZE.pools; pool++) {
      const group = `group-${pool}`;
      const nodes = Array.from({ length: SIZE.nodesOfPool }, (_, index) => `node-${pool}-${index}`);
      const ids = nodes.map((name) => addNode({ ...this, digitalocean: this.cloud }, { name, labels: { group } }));
      for (const name of nodes) this.addPods(write, pool, name);
      const holder = Number(ids[0]?.replace("digitalocean://", ""));
      const { ip } = this.cloud.state.addAddress({ dropletId: holder });
      this.ips.push(ip);
      this.kubernetes.create({
        apiVersion: GROUP_VERSION,
        kind: "FloatingIPPool",
        metadata: { name: `pool-${pool}`, namespace: "default" },
        spec: {
          provider: "digitalocean",
          region: "nyc3",
          ips: [ip],
          match: { nodeLabel: `group=${group}`, podNamespace: "default", podLabel: `app=ingress-${pool}` },
        },
      });
    }
  }

  /** One of them serves for the pool. */
  private addPods(write: ReturnType<typeof podWriter>, pool: number, nodeName: string): void {
    for (let index = 0; index < SIZE.podsOfNode; index++) {
      const { metadata, spec } = newPod(write, index);
      const labels = { app: index === 0 ? `ingress-${pool}` : `app-${index}` };
      this.kubernetes.create({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, name: `${nodeName}-${index}`, namespace: "default", labels },
        spec: { ...(spec as object), nodeName },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
    }
  }

  /** The first status of each pool. */
  private follow(): void {
    this.kubernetes.setFaults(({ method, target }) => {
      if (method === "GET" || target?.plural !== "floatingippools" || target.subresource !== "status") return undefined;
      this.firstWritten ??= performance.now();
      const before = this.written.size;
      this.written.add(target.name ?? "");
      if (this.written.size > before) this.lastWritten = performance.now();
      return undefined;
    });
  }
}
