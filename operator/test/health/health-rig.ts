/** The health checks of one resource, with probes, Leases and an API server that tests control. */

import type { HealthCheck } from "cdk8s-flipop/api";
import { HealthChecks } from "../../src/health/health-checks.js";
import type { NodeLease } from "../../src/health/node-leases.js";
import { Prober } from "../../src/health/prober.js";
import type { ResourceHealth } from "../../src/health/resource-health.js";
import type { WholeObject } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import { silentLogger } from "../../src/logging.js";
import { IDLE_PROBE_INTERVALS, NODE_LEASE_SECONDS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

export const RENEW_MS = NODE_LEASE_SECONDS * 250;
export const CHECK: HealthCheck = { type: "TCP", port: 80 };
/** After so long, probes of a node without an address count as failed, or as successful again. */
const IDLE_THRESHOLD_MS = 4 * IDLE_PROBE_INTERVALS * 1_000;

/** Node `node-N`, whose address is 10.0.0.N. */
export function node(name: string) {
  return {
    ...{ name, uid: `uid-${name}` },
    addresses: [{ type: "InternalIP", address: `10.0.0.${name.replace(/\D/g, "")}` }],
  };
}

/** The Lease of one node, as its kubelet and the watch make it. */
class FakeLease {
  readonly store = new Store<WholeObject<NodeLease>>();
  connected = true;
  stopped = false;

  constructor(readonly node: string) {}

  get state() {
    const { connected } = this;
    return { name: "nodeleases", synced: true, connected, lastError: undefined, lastCode: undefined };
  }

  stop(): Promise<void> {
    this.stopped = true;
    return Promise.resolve();
  }

  renew(at: number): void {
    const object = {
      ...{
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { uid: this.node, name: this.node, resourceVersion: `${at}` },
      },
      spec: { renewTime: new Date(at).toISOString(), leaseDurationSeconds: NODE_LEASE_SECONDS },
    };
    const whole = { uid: this.node, name: this.node, namespace: "kube-node-lease", resourceVersion: `${at}`, object };
    this.store.upsert(whole);
  }
}

export class HealthRig {
  readonly clock = new FakeClock();
  /** Hosts whose probes fail. */
  readonly mute = new Set<string>();
  /** Hosts, in the order of their probes. */
  readonly probes: string[] = [];
  readonly leases = new Map<string, FakeLease>();
  /** Names of the nodes whose health changed. */
  readonly changed: string[] = [];
  /** What the API server does with a control probe. @default it answers */
  control: () => Promise<unknown> = () => Promise.resolve({});
  controls = 0;
  /** Whether the own node of the operator answers. */
  ownNode: () => Promise<boolean> = () => Promise.resolve(true);
  readonly checks: HealthChecks;
  readonly resource: ResourceHealth;

  constructor() {
    const { clock } = this;
    const prober = new Prober({
      ...{ clock, random: () => 0 },
      probe: ({ host }) => {
        this.probes.push(host);
        return Promise.resolve(this.mute.has(host) ? { ok: false, error: "connection refused" } : { ok: true });
      },
    });
    const request = (): Promise<never> => {
      this.controls += 1;
      return this.control() as Promise<never>;
    };
    this.checks = new HealthChecks({
      ...{ clock, logger: silentLogger, prober, client: { request }, ownNode: () => this.ownNode() },
      openLease: (name) => {
        const lease = new FakeLease(name);
        this.leases.set(name, lease);
        return lease;
      },
    });
    this.resource = this.checks.resource((name) => this.changed.push(name));
  }

  /** Nodes whose Leases it watches. */
  open(): readonly string[] {
    return [...this.leases.values()].filter(({ stopped }) => !stopped).map(({ node: name }) => name);
  }

  holder(name: string): void {
    this.resource.follow(CHECK, { holders: [node(name)], others: [] });
  }

  /** Time passes, and the kubelet renews its Lease meanwhile. */
  async live(name: string, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += RENEW_MS) {
      this.leases.get(name)?.renew(this.clock.now());
      await this.clock.advance(Math.min(RENEW_MS, ms - passed));
    }
  }

  /** Probes of a node without an address fail for long enough to count. Then they succeed, for so long. */
  async flap(host: string, wellMs = IDLE_THRESHOLD_MS): Promise<void> {
    this.mute.add(host);
    await this.clock.advance(IDLE_THRESHOLD_MS);
    this.mute.clear();
    await this.clock.advance(wellMs);
  }
}
