/**
 * Healthy holders of addresses in a virtual cluster, which only the network and the API server trouble: the real prober,
 * witnesses and plan, on a virtual clock. Whatever moves here moves for no reason.
 */

import type { HealthCheck } from "cdk8s-flipop/api";
import { HealthChecks } from "../../src/health/health-checks.js";
import type { NodeLease, NodeLeaseWatch } from "../../src/health/node-leases.js";
import type { Probe } from "../../src/health/probe.js";
import { Prober } from "../../src/health/prober.js";
import type { WholeObject } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import { silentLogger } from "../../src/logging.js";
import { nodeFacts } from "../../src/match/node-facts.js";
import { actionsOf } from "../../src/reconcile/plan.js";
import { NODE_LEASE_SECONDS, SECOND_MS } from "../../src/timings.js";
import { ModelCloud } from "../controllers/floating-ip-pool/support/model-cloud.js";
import { seededRandom } from "../support/seeded-random.js";
import { VirtualClock } from "../support/time/virtual-clock.js";
import { cloudOf, type Surroundings, standbyOf } from "./holders-witnesses.js";

const CHECK: HealthCheck = { type: "TCP", port: 80 };
const HOLDERS = ["n1", "n2", "n3"];
const RENEW_MS = (NODE_LEASE_SECONDS / 4) * SECOND_MS;
/** Without the Lease for so long, the operator is no leader and moves nothing. */
const LEADS_MS = 10 * SECOND_MS;
const HOUR_MS = 3_600_000;

/** `refused`: connections break. `silent`: they stay, and no byte passes. */
type Outage = "refused" | "silent";

export class HoldersWorld {
  readonly clock = new VirtualClock();
  /** What moved, in words. */
  readonly moves: string[] = [];
  /** Times at which a holder's probes failed as often as the threshold says. */
  suspicions = 0;
  outages = 0;
  /** Questions to witnesses. */
  readonly asked = { standby: 0, cloud: 0 };
  private readonly random: () => number;
  private readonly cloud = new ModelCloud();
  private readonly checks: HealthChecks;
  private readonly leases = new Map<string, Store<WholeObject<NodeLease>>>();
  private readonly renewed = new Map<string, number>();
  private loss = 0;
  private outage: { readonly kind: Outage; readonly since: number } | undefined;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    const { clock, random } = this;
    const prober = new Prober({ clock, random, probe: this.probe });
    const client = { request: <T>({ deadlineSeconds = 1 }) => this.request<T>(deadlineSeconds) };
    const openLease = (node: string) => this.openLease(node);
    const surroundings: Surroundings = {
      ...{ clock, random, probe: this.probe, targetOf: (key) => prober.target(key) },
      ...{ loss: () => this.loss, isOutage: () => this.outage !== undefined },
    };
    this.checks = new HealthChecks({
      ...{ clock, logger: silentLogger, prober, client, openLease },
      standby: standbyOf(surroundings, () => (this.asked.standby += 1)),
      clouds: cloudOf(surroundings, () => (this.asked.cloud += 1)),
    });
    const resource = this.checks.resource(() => this.plan());
    for (const name of [...HOLDERS, "n4"]) this.cloud.addNode(name);
    const ips = HOLDERS.map((_, index) => `203.0.113.${index + 1}`);
    this.cloud.addPool("web", { ips });
    for (const [index, ip] of ips.entries()) this.cloud.addresses.set(ip, `digitalocean://${HOLDERS[index]}`);
    this.cloud.run("web");
    this.cloud.probes = resource;
    const named = (names: readonly string[]) =>
      names.flatMap((name, index) => {
        const node = this.cloud.nodes.get(name);
        const addresses = [{ type: "InternalIP", address: `10.0.0.${index + 1}` }];
        return node === undefined ? [] : [{ ...nodeFacts(node), addresses }];
      });
    const [holders, all] = [named(HOLDERS), named([...HOLDERS, "n4"])];
    resource.follow(CHECK, { holders, others: all.slice(HOLDERS.length) });
    for (const name of HOLDERS) this.kubelet(name);
    this.weather();
    this.trouble();
  }

  async run(hours: number): Promise<void> {
    await this.clock.advance(hours * HOUR_MS);
  }

  close(): Promise<void> {
    return this.checks.close();
  }

  private readonly probe: Probe = (_target, signal) => {
    if (this.random() >= this.loss) return Promise.resolve({ ok: true });
    return new Promise((resolve) => {
      const end = () => resolve({ ok: false, error: (signal.reason as Error).message });
      signal.addEventListener("abort", end, { once: true });
    });
  };

  private async request<T>(deadlineSeconds: number): Promise<T> {
    const lost = this.outage?.kind === "silent" || this.random() < this.loss ** 2;
    if (lost) await this.clock.sleep(deadlineSeconds * SECOND_MS);
    if (lost || this.outage !== undefined) throw new Error("no answer");
    return {} as T;
  }

  private openLease(node: string): NodeLeaseWatch {
    const store = new Store<WholeObject<NodeLease>>();
    this.leases.set(node, store);
    const isConnected = () => this.outage?.kind !== "refused";
    const state = {
      ...{ name: "nodeleases", synced: true, lastError: undefined, lastCode: undefined },
      get connected() {
        return isConnected();
      },
    };
    return { store, state, stop: () => Promise.resolve() };
  }

  /** Tries again at its usual pace where the API server does not answer. */
  private kubelet(name: string): void {
    if (this.outage === undefined) {
      this.renewed.set(name, this.clock.now());
      this.show(name);
    }
    this.clock.setTimer(RENEW_MS * (1 + 0.04 * this.random()), () => this.kubelet(name));
  }

  private show(name: string): void {
    const at = this.renewed.get(name) ?? 0;
    const spec = { renewTime: new Date(at).toISOString(), leaseDurationSeconds: NODE_LEASE_SECONDS };
    const object = { metadata: { uid: name, name, resourceVersion: `${at}` }, spec };
    const whole = { uid: name, name, namespace: "kube-node-lease", resourceVersion: `${at}`, object };
    this.leases.get(name)?.upsert(whole);
  }

  /** Up to 5 % of the packets are lost, another share in each hour. */
  private weather(): void {
    this.loss = 0.05 * this.random();
    this.clock.setTimer(HOUR_MS, () => this.weather());
  }

  /** About two outages an hour, of 1 s to 2 min, short ones more often. */
  private trouble(): void {
    this.clock.setTimer(2 * this.random() * 0.5 * HOUR_MS, () => {
      this.outages += 1;
      this.outage = { kind: this.random() < 0.5 ? "refused" : "silent", since: this.clock.monotonic() };
      this.clock.setTimer(SECOND_MS * 120 ** this.random(), () => {
        this.outage = undefined;
        this.trouble();
      });
    });
  }

  /** Health of a node has changed: as the controller of a pool, plan again. */
  private plan(): void {
    this.suspicions += 1;
    const { outage, clock } = this;
    if (outage !== undefined && clock.monotonic() - outage.since >= LEADS_MS) return;
    this.cloud.now = clock.now();
    const made = this.cloud.plan("web");
    const moving = made.sequences.flatMap(actionsOf).filter((action) => action.do === "assign");
    if (moving.length > 0) this.moves.push(`${new Date(clock.now()).toISOString()} ${made.explanation}`);
  }
}
