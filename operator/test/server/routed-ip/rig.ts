/**
 * RoutedIPs on a real control plane: the operator in this process, with the objects, the command line and the token of
 * an install by `FlipopOperator`, next to a simulated cloud.
 */

import { randomBytes } from "node:crypto";
import { type Condition, GROUP_VERSION, type RoutedIPStatus } from "cdk8s-flipop/api";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Client, type ControlPlane, eventually, FakeNode, FakePod, Kubelet } from "flipop-testbed";
import { readSettings } from "../../../src/config.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { createOperator, type Operator } from "../../../src/operator.js";
import { type Install, installKinds, installOperator, type Manifest } from "../../e2e/support/install.js";
import { lineLogger } from "../../operator/process/line-logger.js";
import { FaultProxy } from "../../support/fault-proxy.js";
import { JumpClock } from "./jump-clock.js";
import { SECRET, SERVICE } from "./resources.js";
import { propsOf, type RigNames, type RigOptions } from "./rig-options.js";
import { flagsOf, type JobView, type NodeObject, type SeenEvent, withoutNoise } from "./views.js";

/** For `controlPlaneOrSkip`: the same for all suites here, so that they share one. */
export const PLANE = { controllerManager: true } as const;
export const TAINT = "flipop.digitalocean.com/routed-ip";
const WAIT_MS = 90_000;
const PLURALS: Readonly<Record<string, string>> = {
  RoutedIP: "routedips",
  RoutedIPIssuer: "routedipissuers",
  FloatingIPPool: "floatingippools",
  NodeDNSRecordSet: "nodednsrecordsets",
  ClusterRoutedIPClass: "clusterroutedipclasses",
};

interface RigParts {
  readonly installed: Install;
  readonly kubelet: Kubelet;
  readonly full: boolean;
  readonly proxy: FaultProxy | undefined;
}

export class RoutedRig {
  readonly log: string[] = [];
  readonly clock = new JumpClock();
  private operator: Operator | undefined;
  private stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  private readonly nodes: FakeNode[] = [];
  private readonly classes: string[] = [];

  private constructor(
    readonly plane: ControlPlane,
    readonly cloud: DigitalOceanSimulator,
    readonly names: RigNames,
    private readonly parts: RigParts,
  ) {}

  get installed(): Install {
    return this.parts.installed;
  }

  static async create(plane: ControlPlane, options: RigOptions = {}): Promise<RoutedRig> {
    const { full = false, proxied = false } = options;
    const seed = randomBytes(3).readUIntBE(0, 3);
    const durations = { assign: 200, firewall: 50 };
    const cloud = await startDigitalOceanSimulator({ seed, durations, account: { reservedIpLimit: 50 } });
    const client = plane.client();
    await installKinds(client);
    const team = await client.tempNamespace("team");
    const other = await client.tempNamespace("other");
    const names = { team, other, jobs: `${team}-jobs` };
    const proxy = proxied ? await FaultProxy.start(plane.url, plane.caData) : undefined;
    const installed = await installOperator(plane, propsOf(names, options), proxy?.url);
    const kubelet = await Kubelet.start(plane, { namespace: names.jobs, retryMs: 200 });
    const rig = new RoutedRig(plane, cloud, names, { installed, kubelet, full, proxy });
    await rig.addSecret(team);
    if (full) await rig.addSecret(other);
    await rig.addSecret(names.jobs);
    return rig;
  }

  get proxy(): FaultProxy {
    const { proxy } = this.parts;
    if (proxy === undefined) throw new Error("this rig has no proxy: create it with proxied: true");
    return proxy;
  }

  get client(): Client {
    return this.plane.client();
  }

  async start(): Promise<void> {
    const config = loadClusterConfig({ kubeconfig: this.installed.kubeconfig, env: {} });
    const transport = new Transport({ config, env: {} });
    const off = { "leader-elect": "false", "metrics-bind-addr": "", "health-bind-addr": "" };
    const flags = { ...flagsOf(this.installed.args), ...off, namespace: this.installed.namespace };
    const token = this.parts.full ? { DIGITALOCEAN_ACCESS_TOKEN: this.cloud.token } : {};
    const env = { DIGITALOCEAN_API_URL: this.cloud.url, ...token };
    this.stopping = new AbortController();
    const settings = readSettings({ flags, env: {} });
    const made = createOperator({
      settings,
      transport,
      logger: lineLogger({ logs: this.log, complaints: [] }),
      env,
      clock: this.clock,
    });
    this.operator = made;
    this.running = made.run(this.stopping.signal).finally(() => transport.close());
  }

  /** What /readyz says. */
  get readiness(): string {
    return this.operator?.health.report("readyz").text ?? "not started";
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.parts.kubelet.stop();
    for (const name of this.classes) await this.release(this.pathOf("ClusterRoutedIPClass", name));
    const left = await this.client.list(this.pathOf("RoutedIP"));
    for (const { metadata } of left.body.items ?? []) await this.release(this.pathOf("RoutedIP", metadata.name));
    for (const node of this.nodes) await node.delete();
    for (const name of Object.values(this.names)) await this.client.delete(`/api/v1/namespaces/${name}`);
    await this.installed.remove();
    await this.parts.proxy?.close();
    await this.cloud.close();
  }

  /** A droplet behind a firewall of its own, and its node. */
  async addNode(labels: Readonly<Record<string, string>> = {}): Promise<FakeNode> {
    const { id } = this.cloud.state.addDroplet();
    this.cloud.state.firewalls.add({ name: `base-${id}`, dropletIds: [id] });
    const node = await FakeNode.create(this.client, { providerID: `digitalocean://${id}`, labels });
    this.nodes.push(node);
    return node;
  }

  /** A pod of the ingress, with a hostPort. */
  addPod(node: FakeNode, ready = true, namespace = this.names.team): Promise<FakePod> {
    return this.addPodAt(node, { hostPort: 443, ready, namespace });
  }

  /** A Ready pod of the ingress, with this hostPort. */
  addRunningPod(node: FakeNode, hostPort: number): Promise<FakePod> {
    return this.addPodAt(node, { hostPort, ready: true, namespace: this.names.team });
  }

  private addPodAt(
    node: FakeNode,
    { hostPort, ready, namespace }: { readonly hostPort: number; readonly ready: boolean; readonly namespace: string },
  ): Promise<FakePod> {
    const ports = [{ name: "https", containerPort: 8443, hostPort }];
    const containers = [{ name: "web", image: "example.invalid/none", ports }];
    const spec = { containers, terminationGracePeriodSeconds: 30 };
    return FakePod.create(this.client, { namespace, nodeName: node.name, labels: { app: "web" }, spec, ready });
  }

  async addService(namespace = this.names.team): Promise<void> {
    const ports = [{ name: "https", port: 443, targetPort: "https" }];
    const body = { metadata: { name: SERVICE }, spec: { selector: { app: "web" }, ports } };
    await this.client.must.create(`/api/v1/namespaces/${namespace}/services`, body);
  }

  async addSecret(namespace: string): Promise<void> {
    const stringData = { DIGITALOCEAN_ACCESS_TOKEN: this.cloud.token, DIGITALOCEAN_API_URL: this.cloud.url };
    const body = { metadata: { name: SECRET }, stringData };
    await this.client.must.create(`/api/v1/namespaces/${namespace}/secrets`, body);
  }

  /** @param key the name in the team's namespace, or `namespace/name`. @default the collection of the team */
  pathOf(kind: string, key = ""): string {
    const [name, namespace = this.names.team] = key.split("/").reverse();
    const scope = kind === "ClusterRoutedIPClass" ? "" : `/namespaces/${namespace}`;
    const collection = `/apis/${GROUP_VERSION}${scope}/${PLURALS[kind]}`;
    return name === "" ? collection : `${collection}/${name}`;
  }

  /** Creates what the construct library has made. */
  async add(manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) {
      if (manifest.kind === "ClusterRoutedIPClass") this.classes.push(manifest.metadata.name);
      const { namespace = this.names.team } = manifest.metadata;
      await this.client.must.create(this.pathOf(manifest.kind, `${namespace}/`), manifest);
    }
  }

  /** Puts the spec that the construct library has made in place of the one that is there. */
  async replaceSpec([manifest]: readonly Manifest[]): Promise<void> {
    if (manifest === undefined) throw new Error("there is no manifest");
    const path = this.pathOf(manifest.kind, manifest.metadata.name);
    await this.client.must.patch(path, [{ op: "replace", path: "/spec", value: manifest["spec"] }], "json");
  }

  delete(kind: string, name: string): Promise<unknown> {
    return this.client.must.delete(this.pathOf(kind, name));
  }

  async isGone(kind: string, name: string): Promise<void> {
    await this.until(`${kind} ${name} is gone`, async () => {
      return (await this.client.get(this.pathOf(kind, name))).status === 404;
    });
  }

  async status(name: string): Promise<RoutedIPStatus> {
    const { body } = await this.client.get<{ status?: RoutedIPStatus }>(this.pathOf("RoutedIP", name));
    return body.status ?? {};
  }

  /** Waits for a condition such as `Accepted=False/JobFailed`; its message. */
  async says(kind: string, name: string, expected: string): Promise<string> {
    let message = "";
    await this.until(`${kind} ${name} says ${expected}`, async () => {
      const { body } = await this.client.get<{ status?: { conditions?: readonly Condition[] } }>(
        this.pathOf(kind, name),
      );
      const found = body.status?.conditions?.find(({ type, status, reason }) =>
        `${type}=${status}/${reason}`.startsWith(expected),
      );
      message = found?.message ?? "";
      return found !== undefined;
    });
    return message;
  }

  /** Whatever its DNS record is. */
  async serves(name: string): Promise<void> {
    for (const type of ["Accepted", "Assigned", "FirewallReady"]) await this.says("RoutedIP", name, `${type}=True`);
  }

  async ready(name: string): Promise<void> {
    for (const type of ["Ready", "Assigned", "FirewallReady"]) await this.says("RoutedIP", name, `${type}=True`);
  }

  /** Events about a resource of the team, or about a class. */
  async events(name: string, reason: string): Promise<readonly SeenEvent[]> {
    const seen: SeenEvent[] = [];
    for (const namespace of [this.names.team, "default"]) {
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      seen.push(...(await this.client.must.list<SeenEvent>(path)));
    }
    return seen.filter((event) => event.regarding.name === name && event.reason === reason);
  }

  async reports(name: string, reason: string, text: string): Promise<void> {
    await this.until(`an Event ${reason} about ${name} that says ${text}`, async () =>
      (await this.events(name, reason)).some(({ note }) => note.includes(text)),
    );
  }

  /** Names of nodes that carry the taint, sorted. */
  async tainted(): Promise<readonly string[]> {
    const all = await Promise.all(this.nodes.map(({ path }) => this.client.must.get<NodeObject>(path)));
    const ours = all.filter(({ spec }) => (spec.taints ?? []).some(({ key }) => key === TAINT));
    return ours.map(({ metadata }) => metadata.name).sort();
  }

  /** The droplet behind a node. */
  async dropletOf({ path }: FakeNode): Promise<number> {
    const { spec } = await this.client.must.get<NodeObject>(path);
    return Number(spec.providerID?.slice("digitalocean://".length));
  }

  /** Ports that a firewall lets in; `undefined`: there is none of that name. */
  openPorts(firewall: string): readonly string[] | undefined {
    return this.cloud.state.firewalls.byName(firewall)?.config.inbound.map(({ ports }) => ports);
  }

  /** All Jobs that are there, or those of one class. */
  async jobs(className?: string): Promise<readonly JobView[]> {
    const all = await this.client.must.list<JobView>(`/apis/batch/v1/namespaces/${this.names.jobs}/jobs`);
    const ofClass = ({ metadata }: JobView) => metadata.ownerReferences.some(({ name }) => name === className);
    return className === undefined ? all : all.filter(ofClass);
  }

  async jobsAreGone(className?: string): Promise<void> {
    await this.until("all Jobs are cleaned up", async () => (await this.jobs(className)).length === 0);
  }

  async until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    await eventually(async () => condition(), { what, timeoutMs: WAIT_MS }).catch(async (error: unknown) => {
      const objects = await Promise.all(Object.keys(PLURALS).map((kind) => this.client.get(this.pathOf(kind))));
      const shown = objects.map(({ body }) => JSON.stringify(body, withoutNoise)).join("\n");
      throw new Error(`${String(error)}\n${shown}\n${this.cloud.journal.text()}\n${this.log.slice(-60).join("\n")}`);
    });
  }

  private async release(path: string): Promise<void> {
    await this.client.patch(path, { metadata: { finalizers: null } });
    await this.client.delete(path);
  }
}
