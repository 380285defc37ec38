/** Two installations in one cluster, `flipop-a` of namespace default and `flipop-b` of teamb, and a class that both may use. */

import { GROUP_VERSION, type PreviousFirewall, type RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

export const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "shared" };
export const ISSUER = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", namespace: "shared", name: "do" };
export const B = { apiVersion: GROUP_VERSION, kind: "RoutedIP", namespace: "teamb", name: "b" };

export type Installation = "a" | "b";

interface Options {
  /** @default one */
  readonly nodes?: readonly string[];
  /** Where `flipop-b` reads issuers. */
  readonly issuersOfB?: string;
}

export class TwoInstallations {
  private readonly stops = new Map<Installation, { stop(): Promise<number> }>();

  private constructor(readonly made: RoutedWorld) {}

  static async create({ nodes = ["n1"], issuersOfB = "shared" }: Options = {}): Promise<TwoInstallations> {
    const made = await RoutedWorld.create(nodes);
    const { world } = made;
    for (const name of ["shared", "flipop-a", "flipop-b", "teamb"]) {
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const data = { token: Buffer.from(world.digitalocean.token).toString("base64") };
    world.kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "shared" }, data });
    const credentialsSecretRef = { name: "do", key: "token" };
    made.addIssuer({ credentialsSecretRef, routedIPReclaimPolicy: "Delete" }, "shared");
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "shared" } },
      spec: { issuerRef: { name: "do", namespace: "shared" }, allowedAddresses: ["0.0.0.0/0"] },
    });
    const two = new TwoInstallations(made);
    for (const [name, watched, issuers] of [
      ["a", "default", "shared"],
      ["b", "teamb", issuersOfB],
    ] as const) {
      const flags = { namespace: `flipop-${name}`, "watch-namespaces": watched, "issuer-namespaces": issuers };
      two.stops.set(name, world.start(flags));
    }
    return two;
  }

  async stop(name: Installation): Promise<void> {
    await this.stops.get(name)?.stop();
  }

  /** A RoutedIP of the class. @param ip @default a new address */
  addTo(namespace: string, name: string, ip = this.made.world.digitalocean.state.addAddress().ip): void {
    const { kubernetes } = this.made.world;
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name, namespace } },
      spec: { className: "shared", routedIP: ip, serviceRef: { serviceName: "web" } },
    });
  }

  /** RoutedIP `b` of teamb, with a Service whose endpoint is on this node. */
  addServedB(node: string, port = 443): void {
    const { kubernetes } = this.made.world;
    const ports = [{ name: "https", port, targetPort: port, protocol: "TCP" }];
    const pod = { name: "https", containerPort: port, hostPort: port, protocol: "TCP" };
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "teamb" } },
      spec: { selector: { app: "web" }, ports },
    });
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "teamb", labels: { app: "web" } } },
      spec: { nodeName: node, containers: [{ name: "web", image: "example.invalid/web", ports: [pod] }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
    const labels = { "kubernetes.io/service-name": "web" };
    kubernetes.create({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { name: "web-1", namespace: "teamb", labels },
      ports: [{ name: "https", port, protocol: "TCP" }],
      endpoints: [{ addresses: ["10.244.9.1"], nodeName: node, conditions: { ready: true, serving: true } }],
    });
    this.addTo("teamb", "b");
  }

  /** The endpoint of `b` is on this node from now on. */
  moveB(node: string): void {
    const { kubernetes } = this.made.world;
    const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "teamb", name: "web-1" };
    kubernetes.change(slice, (object) => ({
      ...object,
      endpoints: [{ addresses: ["10.244.9.1"], nodeName: node, conditions: { ready: true, serving: true } }],
    }));
  }

  /** Waits until both RoutedIPs, `a` and `b`, are ready. */
  async ready(): Promise<void> {
    await this.made.ready("a");
    await this.made.until("b is ready", () => this.conditionOfB("FirewallReady").startsWith("True"));
    await this.made.until("b has its address", () => this.conditionOfB("Ready").startsWith("True"));
  }

  conditionOfB(type: string): string {
    const { conditions = [] } = (this.made.world.kubernetes.get(B)?.["status"] ?? {}) as RoutedIPStatus;
    const found = conditions.find((condition) => condition.type === type);
    return `${found?.status}/${found?.reason}: ${found?.message}`;
  }

  /** @param look meanwhile */
  async deleteB(look?: () => void): Promise<void> {
    this.made.world.kubernetes.delete(B);
    await this.made.until("b is gone", () => {
      look?.();
      return this.made.world.kubernetes.get(B) === undefined;
    });
  }

  says(ref: typeof CLASS): string {
    return JSON.stringify(this.made.world.kubernetes.get(ref)?.["status"] ?? {});
  }

  finalizersOf(ref: typeof CLASS): readonly string[] {
    return this.made.world.kubernetes.get(ref)?.metadata.finalizers ?? [];
  }

  /** Of the operator. */
  annotationsOf(node: string): readonly string[] {
    const { metadata } = this.made.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: node }) ?? {};
    return Object.entries(metadata?.annotations ?? {}).map(([key, value]) => `${key}=${value}`);
  }

  /** What deleted RoutedIPs have left in firewalls, as the status of the issuer lists it. */
  setRetained(retainedFirewalls: readonly PreviousFirewall[]): void {
    const { kubernetes } = this.made.world;
    const set = (object: object & { readonly status?: unknown }) => ({
      ...object,
      status: { ...(object.status as object), retainedFirewalls },
    });
    kubernetes.change(ISSUER, set, "status");
  }

  /** Reasons of the Events of both. */
  eventReasons(): readonly string[] {
    return this.made.world.kubernetes.list("events.k8s.io/v1", "Event").map(({ reason }) => `${reason}`);
  }

  /** The operators change nothing for a minute, except what they have begun. */
  async staysAsItIs(why: string): Promise<void> {
    const { kubernetes, clock } = this.made.world;
    const { revision } = kubernetes;
    await clock.sleep(60_000);
    expect(kubernetes.revision - revision, why).to.be.lessThan(10);
  }
}
