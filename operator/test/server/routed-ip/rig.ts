/** RoutedIPs on a real control plane: the operator in this process, under its own role, next to a simulated cloud. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  customResourceDefinitions,
  type FeatureName,
  GROUP_VERSION,
  type Permission,
  permissionsFor,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import { type Client, type ControlPlane, eventually, FakeNode, FakePod } from "flipop-testbed";
import { readSettings } from "../../../src/config.js";
import { loadClusterConfig } from "../../../src/kube/load-config.js";
import { Transport } from "../../../src/kube/transport.js";
import type { Logger } from "../../../src/logging.js";
import { createOperator } from "../../../src/operator.js";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "../../../src/sandbox/digitalocean/simulator.js";

const FEATURES: readonly FeatureName[] = ["routedip", "jobs"];
const EXAMPLES = resolve(import.meta.dirname, "../../../../examples/routed-ip-jobs");
const RBAC = "rbac.authorization.k8s.io";

export interface Names {
  /** Of the operator and its issuers. */
  readonly operator: string;
  readonly jobs: string;
  /** Of the RoutedIPs. */
  readonly team: string;
}

export class RoutedRig {
  readonly log: string[] = [];
  private stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly plane: ControlPlane,
    readonly cloud: DigitalOceanSimulator,
    readonly names: Names,
    private readonly user: string,
  ) {}

  static async create(plane: ControlPlane, user: string): Promise<RoutedRig> {
    const cloud = await startDigitalOceanSimulator({ durations: { assign: 300 } });
    const client = plane.client();
    const [operator, jobs, team] = ["operator", "jobs", "team"].map((name) => `${user}-${name}`) as [
      string,
      string,
      string,
    ];
    const rig = new RoutedRig(plane, cloud, { operator, jobs, team }, user);
    for (const name of [operator, jobs, team]) await client.must.create("/api/v1/namespaces", { metadata: { name } });
    await rig.installDefinitions();
    await rig.grant();
    return rig;
  }

  get client(): Client {
    return this.plane.client();
  }

  async start(): Promise<void> {
    const config = loadClusterConfig({ kubeconfig: await this.plane.kubeconfig(this.user), env: {} });
    const transport = new Transport({ config, env: {} });
    const { operator, jobs, team } = this.names;
    const flags = {
      ...{ "leader-elect": "false", "metrics-bind-addr": "", "health-bind-addr": "" },
      ...{ features: FEATURES.join(), namespace: operator, "job-namespaces": jobs },
      ...{ "issuer-namespaces": `${operator},${team}`, "watch-namespaces": team },
    };
    const settings = readSettings({ flags, env: {} });
    const env = { DIGITALOCEAN_API_URL: this.cloud.url };
    this.stopping = new AbortController();
    const made = createOperator({ settings, transport, logger: this.logger(), env });
    this.running = made.run(this.stopping.signal).finally(() => transport.close());
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async close(): Promise<void> {
    await this.stop();
    for (const name of Object.values(this.names)) await this.client.delete(`/api/v1/namespaces/${name}`);
    await this.cloud.close();
  }

  /** A droplet behind a firewall of its own, and its node. */
  async addNode(): Promise<FakeNode> {
    const { id } = this.cloud.state.addDroplet();
    this.cloud.state.firewalls.add({ name: `base-${id}`, dropletIds: [id] });
    return FakeNode.create(this.client, { providerID: `digitalocean://${id}` });
  }

  /** A pod of the ingress, with a hostPort. */
  addPod(node: FakeNode): Promise<FakePod> {
    const ports = [{ name: "https", containerPort: 8443, hostPort: 443 }];
    const containers = [{ name: "web", image: "example.invalid/none", ports }];
    const spec = { containers, terminationGracePeriodSeconds: 30 };
    return FakePod.create(this.client, {
      namespace: this.names.team,
      nodeName: node.name,
      labels: { app: "web" },
      spec,
    });
  }

  async addService(): Promise<void> {
    const ports = [{ name: "https", port: 443, targetPort: "https" }];
    const body = { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports } };
    await this.client.must.create(`/api/v1/namespaces/${this.names.team}/services`, body);
  }

  async addSecret(namespace: string): Promise<void> {
    const stringData = { DIGITALOCEAN_ACCESS_TOKEN: this.cloud.token, DIGITALOCEAN_API_URL: this.cloud.url };
    await this.client.must.create(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: "cloud" },
      stringData,
    });
  }

  pathOf(plural: string, name?: string): string {
    const scope = plural === "clusterroutedipclasses" ? "" : `/namespaces/${this.names.team}`;
    const collection = `/apis/${GROUP_VERSION}${scope}/${plural}`;
    return name === undefined ? collection : `${collection}/${name}`;
  }

  async add(plural: string, kind: string, name: string, spec: object): Promise<void> {
    const body = { apiVersion: GROUP_VERSION, kind, metadata: { name }, spec };
    await this.client.must.create(this.pathOf(plural), body);
  }

  /** The class of the example: shell and curl, without an image. */
  addJobClass(name: string, more: object = {}): Promise<void> {
    const job = (file: string) => {
      const command = ["sh", "-c", readFileSync(resolve(EXAMPLES, file), "utf8")];
      const securityContext = {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      };
      const containers = [{ name: "update", image: "example.invalid/curl", command, securityContext }];
      return { template: { spec: { containers } } };
    };
    return this.add("clusterroutedipclasses", "ClusterRoutedIPClass", name, {
      updateRoutedIP: job("update-routed-ip.sh"),
      updateFirewall: job("update-firewall.sh"),
      fromSecretsRef: [{ name: "cloud" }],
      ...more,
    });
  }

  async status(name: string): Promise<RoutedIPStatus> {
    const { body } = await this.client.get<{ status?: RoutedIPStatus }>(this.pathOf("routedips", name));
    return body.status ?? {};
  }

  async until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    await eventually(async () => condition(), { what }).catch(async (error: unknown) => {
      const { body } = await this.client.get<object>(this.pathOf("routedips"));
      throw new Error(`${String(error)}\n${JSON.stringify(body)}\n${this.log.slice(-40).join("\n")}`);
    });
  }

  ready(name: string): Promise<void> {
    return this.until(`${name} is ready`, async () => {
      const { conditions = [] } = await this.status(name);
      return ["Ready", "Assigned", "FirewallReady"].every((type) =>
        conditions.some((condition) => condition.type === type && condition.status === "True"),
      );
    });
  }

  private logger(): Logger {
    const line = (level: string) => (fields: object, message: string) => {
      const shown = (_key: string, value: unknown) => (value instanceof Error ? value.message : value);
      this.log.push(`${level} ${message} ${JSON.stringify(fields, shown)}`);
    };
    const [debug, info, warn, error] = ["debug", "info", "warn", "error"].map(line) as [
      Logger["debug"],
      Logger["info"],
      Logger["warn"],
      Logger["error"],
    ];
    const logger: Logger = { debug, info, warn, error, child: () => logger };
    return logger;
  }

  private async installDefinitions(): Promise<void> {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (const definition of customResourceDefinitions()) await this.client.create(path, definition);
    for (const { metadata } of customResourceDefinitions()) {
      await eventually(
        async () => {
          const { body } = await this.client.get<{
            status?: { conditions?: readonly { type: string; status: string }[] };
          }>(`${path}/${metadata.name}`);
          return body.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
        },
        { what: `definition ${metadata.name}` },
      );
    }
  }

  /** What the features need, each right where it is needed and nowhere else. */
  private async grant(): Promise<void> {
    const { operator, jobs, team } = this.names;
    const scopes: Readonly<Record<Permission["scope"], readonly (string | undefined)[]>> = {
      cluster: [undefined],
      podNamespaces: [undefined],
      watchNamespaces: [team],
      operatorNamespace: [operator],
      issuerNamespaces: [operator, team],
      jobNamespaces: [jobs],
    };
    for (const namespace of [undefined, operator, jobs, team]) {
      const rules = permissionsFor(FEATURES)
        .filter(({ scope }) => scopes[scope].includes(namespace))
        .map(({ apiGroup, resources, verbs, resourceNames }) => ({
          apiGroups: [apiGroup],
          resources,
          verbs,
          ...(resourceNames ? { resourceNames } : {}),
        }));
      await this.bind(namespace, rules);
    }
  }

  private async bind(namespace: string | undefined, rules: readonly object[]): Promise<void> {
    const base = `/apis/${RBAC}/v1${namespace === undefined ? "" : `/namespaces/${namespace}`}`;
    const [roles, kind] = namespace === undefined ? ["clusterroles", "ClusterRole"] : ["roles", "Role"];
    const metadata = { name: this.user };
    await this.client.must.create(`${base}/${roles}`, { metadata, rules });
    await this.client.must.create(`${base}/${roles.replace("roles", "rolebindings")}`, {
      metadata,
      roleRef: { apiGroup: RBAC, kind, name: this.user },
      subjects: [{ apiGroup: RBAC, kind: "User", name: this.user }],
    });
  }
}
