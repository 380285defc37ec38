/** The cluster whose nodes the tests of `flipop explain` ask about. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before } from "mocha";
import { Flipop } from "../flipop.js";

interface NodeSpec {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
  readonly ready?: string;
  /** @default that of a machine that no other node has */
  readonly providerID?: string;
}

export class ExplainedCluster {
  readonly flipop: Flipop;
  private machines = 0;

  private constructor(readonly kubernetes: Emulator) {
    this.flipop = new Flipop(kubernetes.kubeconfig());
  }

  static async start(): Promise<ExplainedCluster> {
    const cluster = new ExplainedCluster(await startEmulator());
    cluster.fill();
    return cluster;
  }

  async close(): Promise<void> {
    this.flipop.close();
    await this.kubernetes.close();
  }

  node(name: string, { labels = { pool: "work" }, ready = "True", ...given }: NodeSpec = {}) {
    this.machines += 1;
    const spec = { providerID: `digitalocean://${this.machines}`, ...given };
    this.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Node" },
      metadata: { name, labels: { "topology.kubernetes.io/region": "nyc3", ...labels } },
      spec,
      status: {
        conditions: [{ type: "Ready", status: ready, reason: "Tested" }],
        addresses: [{ type: "ExternalIP", address: `198.51.100.${this.machines}` }],
      },
    });
    // A new node has the taint of one that is not ready.
    this.kubernetes.change({ apiVersion: "v1", kind: "Node", name }, (object) => ({ ...object, spec }));
  }

  pod(nodeName: string, ready = "True", ports: readonly object[] = []) {
    this.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: `web-${nodeName}`, namespace: "ingress", labels: { app: "web" } },
      spec: { nodeName, containers: [{ name: "web", image: "web", ports }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
    });
  }

  pool(name: string, spec: object, ips: object, createdIPs?: readonly object[]) {
    const match = { nodeLabel: "pool=work", podNamespace: "ingress", podLabel: "app=web" };
    this.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool" },
      metadata: { name, namespace: "ingress" },
      spec: { provider: "digitalocean", match, ...spec },
      status: { ips, ...(createdIPs && { createdIPs }) },
    });
  }

  private fill(): void {
    this.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "ingress" } });
    for (const name of ["node-1", "node-2", "node-3"]) this.node(name);
    this.node("node-4", { unschedulable: true });
    this.node("node-5", { taints: [{ key: "dedicated", value: "db", effect: "NoSchedule" }] });
    this.node("node-6", { ready: "Unknown" });
    this.node("node-7");
    this.node("far", { labels: { pool: "work", "topology.kubernetes.io/region": "fra1" } });
    this.node("db-1", { labels: { pool: "db" } });
    for (const name of ["node-1", "node-2", "node-3", "node-4", "node-5", "node-6", "far"]) this.pod(name);
    this.pod("node-7", "False");
    this.pool(
      "web",
      { region: "nyc3", ips: ["203.0.113.1"] },
      { "203.0.113.1": { state: "active", nodeName: "node-1" } },
    );
    this.pool(
      "second",
      { ips: ["203.0.113.2"] },
      { "203.0.113.2": { state: "active", providerID: "digitalocean://2", nodeName: "node-2" } },
    );
    this.pool(
      "sixth",
      { ips: ["2001:db8::3"] },
      { "2001:db8::3": { state: "active", providerID: "digitalocean://3", nodeName: "node-3" } },
    );
  }
}

interface Shared {
  readonly cluster: ExplainedCluster;
  readonly kubernetes: Emulator;
  readonly flipop: Flipop;
}

/** One for all tests of a suite: it starts before them, and ends after them. */
export function explainedCluster(): Shared {
  let started: ExplainedCluster | undefined;
  before(async () => {
    started = await ExplainedCluster.start();
  });
  after(() => started?.close());
  const running = () => {
    if (started === undefined) throw new Error("the cluster runs only while the tests run");
    return started;
  };
  return {
    get cluster() {
      return running();
    },
    get kubernetes() {
      return running().kubernetes;
    },
    get flipop() {
      return running().flipop;
    },
  };
}

/** Cells by the name of the node. */
export function cells(out: string): ReadonlyMap<string, readonly string[]> {
  return new Map(out.split("\n").map((line) => [line.split(" ")[0] ?? "", line.split(/ {3,}/)]));
}
