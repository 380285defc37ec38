/** What the plan of a RoutedIP sees of the tiny cluster, cloud account and firewall. */

import type { AddressMemory } from "../../../src/addresses/address-set.js";
import type { ListObservation } from "../../../src/addresses/creation/creation-registry.js";
import { isIn } from "../../../src/addresses/moves/addresses-by-region.js";
import { Claims } from "../../../src/claims/claims.js";
import { routedIpClaims } from "../../../src/claims/read-claims.js";
import { addressSetOf } from "../../../src/controllers/routed-ip/address/address-set.js";
import type { FirewallSnapshot } from "../../../src/controllers/routed-ip/firewall/snapshot.js";
import { type Plan, plan } from "../../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import { recordOf } from "../../../src/controllers/routed-ip/status.js";
import type { CachedState } from "../../../src/inventory/cached-address.js";
import { createView } from "../../../src/inventory/view.js";
import type { Taint } from "../../../src/kube/cache/slim-objects.js";
import { refusalsOf } from "../../../src/match/checks.js";
import { type CompiledMatch, everyNode } from "../../../src/match/compile-match.js";
import { nodeFacts } from "../../../src/match/node-facts.js";
import { tallyOf } from "../../../src/match/tally.js";
import { refusedNodes } from "../../../src/messages/nodes/refused-nodes.js";
import { EndpointWorkload, isDown, type SliceFacts } from "../../../src/routing/endpoint-workload.js";
import { NO_PORTS, type PortPod, portsOf } from "../../../src/routing/needed-ports.js";
import type { RoutedIP } from "../../../src/routing/read-resources.js";
import { serviceProblem } from "../../../src/routing/service.js";
import type { TaintedNode } from "../../../src/routing/taint-registry.js";
import { NO_MEMORY } from "../floating-ip-pool/support/no-memory.js";
import { ModelCluster, TAINT } from "./model-cluster.js";

const CAPABILITIES = {
  families: ["IPv4", "IPv6"],
  addressesPerNode: 3,
  regional: true,
  providerIdScheme: "digitalocean",
  movesHeld: true,
  createsOnNode: ["IPv4"],
} as const;
const MATCH: CompiledMatch = everyNode(undefined);

export class RoutedView extends ModelCluster {
  protected readonly lists = new Map<string, readonly ListObservation[]>();
  protected readonly cleanups = new Map<string, { attempts: number; since: number }>();

  plan(name: string): Plan {
    return plan(this.snapshot(name));
  }

  snapshot(name: string): Snapshot {
    const routed = this.get(name);
    const resolvedClass = this.resolvedClass.get(name);
    const claims = new Claims();
    for (const other of this.routed.values()) claims.put(routedIpClaims(other, { provider: "digitalocean" }));
    const key = `default/${routed.spec.serviceRef.serviceName}`;
    const service = this.services.get(key);
    const problem = serviceProblem({ key, namespace: "default", service });
    const workload = this.workload(key);
    const verdictOf = (machine: string) => this.verdict(machine, workload);
    const all = [...this.nodes.values()].map((node) => nodeFacts(node));
    const others = [...this.routed.values()].filter((other) => other !== routed && other.status.pendingCreation);
    const pods = (this.endpoints.get(key) ?? []).map(
      ({ node: nodeName, ready }): PortPod => ({
        ...{ name: "web", namespace: "default", labels: {} },
        ...{ hostNetwork: true, nodeName, ready, deletionTimestamp: undefined },
      }),
    );
    const firewall = this.firewallSnapshot(name);
    const serving = new Set(workload.nodes());
    const meant = all.flatMap(({ name: node, machine = "" }) => (serving.has(node) ? (verdictOf(machine) ?? []) : []));
    return {
      routed,
      set: addressSetOf({ routed, ...(resolvedClass && { resolvedClass }) }),
      ...(resolvedClass === undefined ? {} : { resolvedClass }),
      ...(problem === undefined ? {} : { problem }),
      now: this.now,
      cachesComplete: true,
      candidates: all.filter(({ machine }) => machine !== undefined && verdictOf(machine)?.refusals.length === 0),
      verdictOf,
      refusals: refusedNodes(tallyOf({ nodes: all.length, lacking: { workload: workload.text } }, meant), {
        service: key,
      }),
      refusalsIn: (region) => {
        const there = meant.filter(({ node }) => isIn(node, new Set([region])));
        return refusedNodes(tallyOf({ nodes: there.length, lacking: {} }, there), { service: key });
      },
      servesAt: (node) => workload.servesAt(node) && !isDown(verdictOf(`digitalocean://${node}`)),
      inventory: this.view(),
      capabilities: CAPABILITIES,
      claims: claims.view(routed.metadata.uid),
      ownerOf: (ip) => claims.holderOf(ip),
      share: ({ wants }, machines) => machines.slice(0, wants),
      otherCreations: others.map(({ metadata, status }) => ({
        resource: { kind: "RoutedIP", namespace: "default", name: metadata.name, uid: metadata.uid },
        ...(status.pendingCreation?.providerID === undefined ? {} : { node: status.pendingCreation.providerID }),
      })),
      crdTooOld: false,
      memory: this.memory(name),
      portsOn: (nodes) =>
        service === undefined ? NO_PORTS : portsOf(service, pods, { nodes, last: routed.status.ports }),
      ...(firewall === undefined ? {} : { firewall }),
      previousFirewallStates: this.formersOf(name),
      taints: this.taintView(name),
    };
  }

  private memory(name: string): AddressMemory {
    return { ...NO_MEMORY, lists: this.lists.get(name) ?? [], cleanup: this.cleanups.get(name) ?? { attempts: 0 } };
  }

  private workload(key: string): EndpointWorkload {
    const endpoints = (this.endpoints.get(key) ?? []).map(({ node, ready, serving }) => ({
      nodeName: node,
      ready,
      serving,
      terminating: serving && !ready,
    }));
    const slice: SliceFacts = { uid: key, name: key, namespace: "default", service: key, endpoints };
    return new EndpointWorkload(key, () => [slice]);
  }

  private verdict(machine: string, workload: EndpointWorkload) {
    const slim = [...this.nodes.values()].find(({ providerID }) => providerID === machine);
    if (slim === undefined) return undefined;
    const node = nodeFacts(slim);
    return { node, refusals: refusalsOf({ node, match: MATCH, workload: workload.on(node.name) }) };
  }

  private firewallSnapshot(name: string): FirewallSnapshot | undefined {
    const wanted = this.resolvedClass.get(name)?.firewallName;
    const shown = wanted ?? this.get(name).status.firewall?.name;
    if (shown === undefined) return undefined;
    return { ...this.firewallNamed(name, shown), ...(wanted === undefined ? { previous: true as const } : {}) };
  }

  private formersOf(name: string): readonly FirewallSnapshot[] {
    const { firewall, previousFirewalls = [] } = this.get(name).status;
    const wanted = this.resolvedClass.get(name)?.firewallName ?? firewall?.name;
    const names = new Set(
      [...previousFirewalls, ...(firewall === undefined ? [] : [firewall])].map((each) => each.name),
    );
    return [...names].filter((each) => each !== wanted).map((each) => this.firewallNamed(name, each));
  }

  private firewallNamed(routed: string, shown: string): FirewallSnapshot {
    const others = [...this.routed.values()].filter(({ metadata }) => metadata.name !== routed);
    return {
      name: shown,
      capabilities: { rulesPerFirewall: 50, nodesPerFirewall: 10, reserved: () => false },
      facts: this.firewallKnown ? (this.firewalls.get(shown) ?? "missing") : "unknown",
      coveredBy: new Map([...this.nodes.keys()].map((node) => [`digitalocean://${node}`, this.coverOf(node)])),
      idle: this.idleOf(this.get(routed), shown),
      others: others
        .map((other) => ({ ...recordOf(other.status, shown), idle: this.idleOf(other, shown) }))
        .filter(({ rules, nodes }) => rules.length + nodes.length > 0),
    };
  }

  private idleOf({ spec, status }: RoutedIP, firewall: string): ReadonlySet<string> {
    const workload = this.workload(`default/${spec.serviceRef.serviceName}`);
    const serves = (machine: string) => workload.servesAt(machine.replace("digitalocean://", ""));
    return new Set(recordOf(status, firewall).nodes.filter((machine) => !serves(machine)));
  }

  private coverOf(node: string): readonly string[] {
    return this.covered.has(`digitalocean://${node}`) ? ["base"] : [];
  }

  private needs({ metadata, status, spec }: RoutedIP): readonly string[] {
    if (metadata.deletionTimestamp !== undefined) return [];
    const address = this.addresses.get(status.routedIP ?? spec.routedIP ?? "");
    return [address?.holder, address?.moving?.to, status.providerID].filter((machine) => machine !== undefined);
  }

  private taintView(name: string) {
    const isDeleting = this.get(name).metadata.deletionTimestamp !== undefined;
    const isArmed = ({ metadata }: RoutedIP) => (metadata.finalizers ?? []).length > 0;
    const neededOn = (node: string): readonly Taint[] => {
      const others = [...this.routed.values()]
        .filter(({ metadata }) => metadata.name !== name)
        .filter((other) => !isDeleting || isArmed(other));
      const on = others.filter((other) => this.needs(other).includes(`digitalocean://${node}`));
      return on.length > 0 ? [TAINT] : [];
    };
    const nodes = [...this.nodes.keys()].flatMap((node): readonly TaintedNode[] => {
      const taints = this.ownTaints(node);
      return taints.length === 0 ? [] : [{ name: node, taints, needed: neededOn(node) }];
    });
    return { nodes, neededOn, taintsOn: (node: string) => this.ownTaints(node) };
  }

  private view() {
    const cachedStates = new Map<string, CachedState>();
    for (const [ip, { holder, moving }] of this.addresses) {
      const held = holder === undefined ? {} : { holder };
      const action = moving === undefined ? {} : { action: { id: moving.id } };
      cachedStates.set(ip, { facts: { ip, family: "IPv4", region: "", ...held, ...action }, at: 0 });
    }
    const named = [...this.routed.values()].flatMap(({ spec, status }) => [spec.routedIP, status.routedIP]);
    const missing = named.filter((ip) => ip !== undefined).filter((ip) => !this.addresses.has(ip));
    const gone = new Map(missing.map((ip) => [ip, Number.NEGATIVE_INFINITY]));
    return createView({ now: 0, listedAt: 0, cachedStates, gone, reservations: new Map() });
  }
}
