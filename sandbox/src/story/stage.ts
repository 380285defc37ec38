/** Sets the scene of a scenario: a cluster with its nodes, and the clouds that they run in. */

import type { Logger } from "flipop-operator/logging";
import type { ApiObject } from "../kubernetes/index.js";
import { addNode } from "../nodes.js";
import { type SandboxWorld, startAll } from "../start-world.js";
import type { StoryClock } from "./clock.js";
import { addClusterFirewall, NODE_TAG } from "./firewalls.js";
import type { NodeObject } from "./rules/serving-nodes.js";
import type { CloudSetup, NodeGroup, Scenario } from "./scenario/scenario.js";

export interface StageOptions {
  readonly scenario: Scenario;
  readonly clock: StoryClock;
  /** Of the Kubernetes API; 0: any free one. */
  readonly port: number;
  readonly logger: Logger;
}

/** The scene, with what must be known to change it. */
export class Stage {
  private readonly counts = new Map<string, number>();

  private constructor(
    readonly world: SandboxWorld,
    readonly clock: StoryClock,
    readonly scenario: Scenario,
  ) {}

  /** Rejects when the port can't be had. */
  static async set({ scenario, clock, port, logger }: StageOptions): Promise<Stage> {
    const world = await startAll({ clock, port, logger, nodes: 0, domain: scenario.cloud.zones[0] ?? "example.com" });
    const stage = new Stage(world, clock, scenario);
    setUpClouds(world, scenario.cloud);
    for (const group of scenario.nodes) {
      for (let count = 0; count < group.count; count++) stage.addNode(group, {});
    }
    return stage;
  }

  get zones(): readonly string[] {
    return this.scenario.cloud.zones;
  }

  get nodes(): readonly NodeObject[] {
    return this.world.kubernetes.list("v1", "Node") as readonly unknown[] as readonly NodeObject[];
  }

  /** Throws for a group that is unknown. */
  group(name: string): NodeGroup {
    const group = this.scenario.nodes.find((candidate) => candidate.name === name);
    if (group === undefined) throw new Error(`there is no group of nodes "${name}"`);
    return group;
  }

  /** The group's next node, by name. */
  addNode({ name, region, labels, kubeletVersion }: NodeGroup, more: { version?: string; ready?: boolean }): string {
    const number = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, number);
    const node = `${name}-${number}`;
    const { version = kubeletVersion, ready = true } = more;
    addNode(this.world, { name: node, region, labels, kubeletVersion: version, tags: [NODE_TAG], ready });
    return node;
  }

  /** Names of a group's nodes, oldest first. */
  nodesOf(group: string): readonly string[] {
    const numbered = this.nodes.map(({ metadata }) => metadata.name).filter((name) => groupOf(name) === group);
    return numbered.sort((a, b) => numberOf(a) - numberOf(b));
  }

  close(): Promise<void> {
    return this.world.close();
  }
}

/** `edge` for `edge-12`. */
export function groupOf(node: string): string {
  return node.replace(/-\d+$/, "");
}

/** The cluster's name for an object, for people. */
export function labelOf({ kind, metadata }: Pick<ApiObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

function numberOf(node: string): number {
  return Number(/\d+$/.exec(node)?.[0] ?? 0);
}

function setUpClouds({ digitalocean, cloudflare }: SandboxWorld, cloud: CloudSetup): void {
  const { state } = digitalocean;
  addClusterFirewall(digitalocean);
  const [first, ...others] = cloud.zones;
  for (const zone of others) state.dns.addDomain(zone);
  for (const name of cloud.zones) {
    const id = cloud.zoneIds[name];
    if (name === first && id === undefined) continue;
    // The first is there already; its id can't be changed.
    if (name === first) cloudflare.removeZone(name);
    cloudflare.addZone({ name, ...(id === undefined ? {} : { id }) });
  }
  state.account.reservedIpLimit = cloud.addressLimit;
  for (const ip of cloud.addresses) state.addAddress({ ip, family: ip.includes(":") ? "ipv6" : "ipv4" });
}
