/** A tiny cluster, cloud account and firewall: what there is, and how people and time change it. */

import type { RoutedIPSpec } from "cdk8s-flipop/api";
import { timestamp } from "../../../src/clock.js";
import type { Action } from "../../../src/controllers/routed-ip/actions.js";
import type { SlimNode, Taint } from "../../../src/kube/cache/slim-objects.js";
import { isOwnTaint } from "../../../src/match/node-facts.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../src/providers/firewall-types.js";
import { nameAccessOf } from "../../../src/routing/address-and-name-access.js";
import { portAccessOf } from "../../../src/routing/port-access.js";
import type { RoutedIP } from "../../../src/routing/read-resources.js";
import type { ResolvedIssuerClass } from "../../../src/routing/resolved-class.js";
import type { ServiceFacts } from "../../../src/routing/service.js";
import { meta } from "../../claims/resources.js";
import { readyCondition, slimNode } from "../../match/cluster.js";

export const TAINT: Taint = { key: "flipop.digitalocean.com/routed-ip", effect: "PreferNoSchedule" };
export const FIREWALL = "ingress";
/** A rule that a person made. */
export const FOREIGN: FirewallRuleFacts = {
  protocol: "tcp",
  ports: "22",
  sources: ["192.0.2.0/24"],
  otherSources: false,
};

export interface Endpoint {
  readonly node: string;
  readonly ready: boolean;
  readonly serving: boolean;
}

export interface Address {
  holder: string | undefined;
  moving?: { readonly to: string | undefined; readonly doneAt: number; readonly id: string };
}

export class ModelCluster {
  now = Date.parse("2025-06-01T10:00:00Z");
  /** ms that an assignment takes; 0: at once. */
  assignMs = 0;
  readonly nodes = new Map<string, SlimNode>();
  readonly routed = new Map<string, RoutedIP>();
  readonly resolvedClass = new Map<string, ResolvedIssuerClass>();
  readonly services = new Map<string, ServiceFacts>();
  readonly endpoints = new Map<string, readonly Endpoint[]>();
  readonly addresses = new Map<string, Address>();
  readonly createdBy = new Map<string, string>();
  /** Taken for the result of a creation whose answer was lost: never released. */
  readonly inferred = new Set<string>();
  /** Absent: there is no such firewall. */
  readonly firewalls = new Map<string, FirewallFacts>();
  /** Machines that another firewall covers. */
  readonly covered = new Set<string>();
  firewallKnown = true;
  createdFirewall: { id: string; name: string; createdTime: string } | undefined;
  /** Every action that was carried out. */
  readonly journal: { readonly by: string; readonly action: Action; readonly at: number }[] = [];

  addNode(name: string, more: Partial<SlimNode> = {}): void {
    this.nodes.set(name, slimNode(name, { creationTimestamp: timestamp(this.now + this.nodes.size), ...more }));
    this.covered.add(`digitalocean://${name}`);
  }

  editNode(name: string, change: Partial<SlimNode>): void {
    const node = this.nodes.get(name);
    if (node !== undefined) this.nodes.set(name, { ...node, ...change });
  }

  setReady(name: string, ready: boolean): void {
    this.editNode(name, { conditions: [readyCondition(ready ? "True" : "False")] });
  }

  /** The machine goes with it. */
  removeNode(name: string): void {
    const machine = `digitalocean://${name}`;
    this.nodes.delete(name);
    for (const address of this.addresses.values()) if (address.holder === machine) address.holder = undefined;
    for (const [key, facts] of this.firewalls) {
      this.firewalls.set(key, { ...facts, nodes: facts.nodes.filter((node) => node !== machine) });
    }
    for (const [service, list] of this.endpoints)
      this.endpoints.set(
        service,
        list.filter(({ node }) => node !== name),
      );
  }

  addFirewall(rules: readonly FirewallRuleFacts[] = [FOREIGN], nodes: readonly string[] = []): void {
    this.firewalls.set(FIREWALL, { id: "fw", name: FIREWALL, rules, nodes, pending: false });
  }

  addService(name: string, hostPorts: readonly number[], more: Partial<ServiceFacts> = {}): void {
    const ports = hostPorts.map((port) => ({ name: `p${port}`, protocol: "TCP", port, targetPort: port }));
    this.services.set(`default/${name}`, {
      uid: name,
      name,
      namespace: "default",
      type: "ClusterIP",
      headless: false,
      externalIPs: [],
      selector: { app: name },
      ports,
      sourceRanges: [],
      sourceAnnotations: [],
      ingress: [],
      allows: [],
      ...more,
    });
  }

  serve(service: string, ...nodes: readonly string[]): void {
    this.endpoints.set(
      `default/${service}`,
      nodes.map((node) => ({ node, ready: true, serving: true })),
    );
  }

  addRouted(name: string, spec: Partial<RoutedIPSpec> = {}, resolvedClass: Partial<ResolvedIssuerClass> = {}): void {
    if (spec.routedIP !== undefined && !this.addresses.has(spec.routedIP)) {
      this.addresses.set(spec.routedIP, { holder: undefined });
    }
    this.routed.set(name, {
      metadata: meta(name, 1 + this.routed.size),
      spec: { issuerRef: { name: "do" }, serviceRef: { serviceName: "web" }, ...spec },
      status: {},
    });
    this.resolvedClass.set(name, {
      by: "issuer",
      issuer: "default/do",
      provider: "digitalocean",
      region: "r",
      reclaimPolicy: "Retain",
      firewallName: FIREWALL,
      postAllow: false,
      nodePortRange: "30000-32767",
      perNodeIPLimit: 1,
      taint: TAINT,
      portAccess: portAccessOf([]),
      addressAccess: [],
      nameAccess: nameAccessOf([]),
      ...resolvedClass,
    });
  }

  get(name: string): RoutedIP {
    const found = this.routed.get(name);
    if (found === undefined) throw new Error(`no RoutedIP ${name}`);
    return found;
  }

  delete(name: string): void {
    const { metadata } = this.get(name);
    if ((metadata.finalizers ?? []).length === 0) this.routed.delete(name);
    else this.edit(name, { metadata: { ...metadata, deletionTimestamp: timestamp(this.now) } });
  }

  edit(name: string, change: Partial<RoutedIP>): void {
    this.routed.set(name, { ...this.get(name), ...change });
  }

  /** Time passes: actions end. */
  pass(ms: number): void {
    this.now += ms;
    for (const address of this.addresses.values()) {
      if (address.moving !== undefined && address.moving.doneAt <= this.now) {
        address.holder = address.moving.to;
        delete address.moving;
      }
    }
  }

  holderOf(name: string): string | undefined {
    const { status, spec } = this.get(name);
    return this.addresses.get(status.routedIP ?? spec.routedIP ?? "")?.holder?.replace("digitalocean://", "");
  }

  ownTaints(node: string): readonly Taint[] {
    return (this.nodes.get(node)?.taints ?? []).filter(isOwnTaint);
  }

  /** Whether what comes in for a Service is let through at a node: the rules of all its firewalls add up. */
  isOpen(service: string, node: string): boolean {
    const over = [...this.firewalls.values()].filter(({ nodes }) => nodes.includes(`digitalocean://${node}`));
    const keys = new Set(over.flatMap(({ rules }) => rules.map(({ protocol, ports }) => `${protocol} ${ports}`)));
    const ports = (this.services.get(`default/${service}`)?.ports ?? []).filter(({ port }) => port < 30_000);
    return ports.every(({ port }) => keys.has(`tcp ${port}`));
  }

  serves(service: string, node: string): boolean {
    return (this.endpoints.get(`default/${service}`) ?? []).some((each) => each.node === node && each.serving);
  }
}
