/** A cluster with an ingress, a cloud with firewalls, and an operator that serves RoutedIPs; on one fast clock. */

import { GROUP_VERSION, HOLDER_LABEL_PREFIX, type RoutedIPSpec, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { ApiObject } from "flipop-sandbox/kubernetes";
import { World, type WorldOptions } from "../../operator/world.js";

export const FIREWALL = "ingress";
export const TAINT = "flipop.digitalocean.com/routed-ip";
/** Resources of each kind that a failure shows. */
const SHOWN = 20;
const APP = { app: "web" };

export interface Place {
  readonly node: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
}

export class RoutedWorld {
  private constructor(readonly world: World) {}

  /** Nodes behind a firewall of their own, an ingress with hostPort 443, an issuer with the operator's credentials. */
  static async create(nodes: readonly string[], options: WorldOptions = {}): Promise<RoutedWorld> {
    const features = { features: "pools,dns,routedip" };
    const world = await World.create({ ...options, flags: { ...features, ...options.flags } });
    const made = new RoutedWorld(world);
    const base = world.digitalocean.state.firewalls.add({ name: "base" });
    for (const name of nodes) made.addNode(name, base.id);
    made.addService("web");
    return made;
  }

  /** Starts the operator with one RoutedIP `a`, which becomes ready on n1. @returns its address. */
  async readyOnFirst(spec: Partial<RoutedIPSpec> = {}): Promise<string> {
    const { ip } = this.world.digitalocean.state.addAddress();
    this.addIssuer();
    this.addRouted("a", { routedIP: ip, ...spec });
    this.serve({ node: "n1" });
    this.world.start();
    await this.ready("a");
    return ip;
  }

  /** Waits until the address of `a`, the firewall with port 443, and the taint are on this node alone. */
  settledOn(node: string): Promise<void> {
    return this.until(`settled on ${node}`, () => {
      const { nodes = [], ports = [] } = this.firewall() ?? {};
      const others = this.world.kubernetes.list("v1", "Node").map(({ metadata }) => metadata.name);
      const tainted = others.filter((name) => this.taints(name).includes(TAINT));
      return this.nodeOf("a") === node && `${nodes} ${ports} ${tainted}` === `${node} 443 ${node}`;
    });
  }

  addNode(name: string, firewall = this.world.digitalocean.state.firewalls.byName("base")?.id): string {
    const machine = this.world.addNode(name);
    const { firewalls } = this.world.digitalocean.state;
    if (firewall !== undefined) {
      const { dropletIds } = firewalls.get(firewall).config;
      firewalls.change(firewall, { dropletIds: [...dropletIds, Number(machine.replace("digitalocean://", ""))] });
    }
    return machine;
  }

  addService(name: string, spec: object = {}, metadata: object = {}): void {
    this.world.kubernetes.create({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "default", ...metadata },
      spec: { selector: APP, ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }], ...spec },
    });
  }

  /** Pods of the ingress, and their endpoints; replaces the former. A pod exists as long as it answers. */
  serve(...places: readonly Place[]): void {
    const { kubernetes } = this.world;
    const nodes = new Set(places.map(({ node }) => node));
    const there = new Set(kubernetes.list("v1", "Pod").map(({ metadata }) => metadata.name.replace("web-", "")));
    for (const node of nodes) if (!there.has(node)) this.addPod(node);
    for (const node of there) if (!nodes.has(node)) this.removePod(node);
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "web-1", namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      ports: [{ name: "https", port: 443, protocol: "TCP" }],
      endpoints: places.map(({ node, ready = true, serving = true }, index) => ({
        addresses: [`10.244.0.${index + 1}`],
        nodeName: node,
        conditions: { ready, serving, terminating: serving && !ready },
      })),
    };
    const ref = { apiVersion: slice.apiVersion, kind: slice.kind, name: "web-1", namespace: "default" };
    if (kubernetes.get(ref) === undefined) kubernetes.create(slice);
    else kubernetes.change(ref, (object) => ({ ...object, endpoints: slice.endpoints }));
  }

  /** Ready endpoints of a Service, without pods. */
  serveAs(service: string, ...nodes: readonly string[]): void {
    const { kubernetes } = this.world;
    const conditions = { ready: true, serving: true };
    const endpoints = nodes.map((nodeName) => ({ addresses: ["10.244.0.1"], nodeName, conditions }));
    const labels = { "kubernetes.io/service-name": service };
    const ref = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", name: service, namespace: "default" };
    const { apiVersion, kind } = ref;
    const metadata = { name: service, namespace: "default", labels };
    const slice = {
      apiVersion,
      kind,
      metadata,
      addressType: "IPv4",
      ports: [{ port: 443, protocol: "TCP" }],
      endpoints,
    };
    if (kubernetes.get(ref) === undefined) kubernetes.create(slice);
    else kubernetes.change(ref, (object) => ({ ...object, endpoints }));
  }

  addIssuer(spec: object = {}, namespace = "default", name = "do"): void {
    this.world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "RoutedIPIssuer",
      metadata: { name, namespace },
      spec: withoutUndefined({ provider: "digitalocean", region: "nyc3", routedIPFirewallName: FIREWALL, ...spec }),
    });
  }

  addRouted(name: string, spec: Partial<RoutedIPSpec> = {}): void {
    this.world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "RoutedIP",
      metadata: { name, namespace: "default" },
      spec: {
        ...("className" in spec ? {} : { issuerRef: { name: "do" } }),
        serviceRef: { serviceName: "web" },
        ...spec,
      },
    });
  }

  refTo(name: string, kind = "RoutedIP") {
    return { apiVersion: GROUP_VERSION, kind, namespace: "default", name };
  }

  object(name: string, kind?: string): ApiObject | undefined {
    return this.world.kubernetes.get(this.refTo(name, kind));
  }

  status(name: string): RoutedIPStatus {
    return (this.object(name)?.["status"] ?? {}) as RoutedIPStatus;
  }

  condition(name: string, type: string, kind?: string): string {
    const status = (this.object(name, kind)?.["status"] ?? {}) as RoutedIPStatus;
    const found = status.conditions?.find((condition) => condition.type === type);
    return `${found?.status}/${found?.reason}`;
  }

  /** Name of the node whose droplet has the address. */
  nodeOf(name: string): string | undefined {
    const { routedIP } = this.status(name);
    const holder = routedIP === undefined ? undefined : this.world.holder(routedIP);
    return this.world.kubernetes
      .list("v1", "Node")
      .find(({ spec }) => (spec as { providerID?: string }).providerID === holder)?.metadata.name;
  }

  taints(node: string): readonly string[] {
    const spec = this.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: node })?.["spec"];
    const { taints = [] } = (spec ?? {}) as { readonly taints?: readonly { readonly key: string }[] };
    return taints.map(({ key }) => key).filter((key) => key.startsWith("flipop."));
  }

  /** Names of the nodes with the holder label of a RoutedIP. */
  labelled(name: string): readonly string[] {
    const key = `${HOLDER_LABEL_PREFIX}rip.default.${name}`;
    const nodes = this.world.kubernetes.list("v1", "Node").filter(({ metadata }) => metadata.labels?.[key] === "true");
    return nodes.map(({ metadata }) => metadata.name);
  }

  cordon(node: string): void {
    this.setUnschedulable(node, true);
  }

  uncordon(node: string): void {
    this.setUnschedulable(node, false);
  }

  private setUnschedulable(node: string, unschedulable: boolean): void {
    this.world.kubernetes.change({ apiVersion: "v1", kind: "Node", name: node }, (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), unschedulable },
    }));
  }

  /** Names of the nodes behind the shared firewall, and its ports. */
  firewall(): { readonly nodes: readonly string[]; readonly ports: readonly string[] } | undefined {
    const found = this.world.digitalocean.state.firewalls.byName(FIREWALL);
    if (found === undefined) return undefined;
    const nodes = found.config.dropletIds.map((id) => this.world.digitalocean.state.droplet(id)?.name ?? `${id}`);
    return { nodes, ports: found.config.inbound.map(({ ports }) => `${ports}`) };
  }

  async until(what: string, condition: () => boolean, longestMs?: number): Promise<void> {
    await this.world.until(what, condition, longestMs).catch((error: unknown) => {
      const kinds = ["RoutedIP", "RoutedIPIssuer", "ClusterRoutedIPClass"];
      const all = kinds.flatMap((kind) => this.world.kubernetes.list(GROUP_VERSION, kind).slice(0, SHOWN));
      throw new Error(`${String(error)}\n${JSON.stringify(all.map(({ metadata, status }) => [metadata, status]))}`);
    });
  }

  /** @param longestMs of real time. @default 3 minutes */
  ready(name: string, longestMs?: number): Promise<void> {
    const types = ["Ready", "Assigned", "FirewallReady"];
    const isReady = () => types.every((type) => this.condition(name, type).startsWith("True"));
    return this.until(`${name} is ready`, isReady, longestMs);
  }

  close(): Promise<void> {
    return this.world.close();
  }

  removePod(node: string): void {
    this.world.kubernetes.delete({ apiVersion: "v1", kind: "Pod", name: `web-${node}`, namespace: "default" });
  }

  /** @param hostPort 0: none */
  addPod(node: string, hostPort = 443): void {
    const ports = [{ name: "https", containerPort: 443, ...(hostPort > 0 && { hostPort }), protocol: "TCP" }];
    const conditions = [{ type: "Ready", status: "True" }];
    this.world.kubernetes.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `web-${node}`, namespace: "default", labels: APP },
      spec: { nodeName: node, containers: [{ name: "web", image: "example.invalid/web", ports }] },
      status: { phase: "Running", conditions },
    });
  }
}

function withoutUndefined(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
