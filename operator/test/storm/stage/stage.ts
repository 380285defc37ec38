/** Everything that a round runs on: control plane, clouds, install, nodes, resources, replicas, and who records. */

import { setTimeout as delay } from "node:timers/promises";
import { OperatorFeature } from "cdk8s-flipop";
import { LEASE_NAME } from "cdk8s-flipop/api";
import { type Client, ControlPlane, freePort } from "flipop-testbed";
import { type Install, installKinds, installOperator } from "../../e2e/support/install.js";
import { bundledOperator } from "../../support/bundle.js";
import { FaultProxy } from "../../support/fault-proxy.js";
import { type Clock, Clouds, systemClock, ZONE } from "../clouds.js";
import type { ResourceKind } from "../history.js";
import { type Schedule, type Step, stepText } from "../schedule/steps.js";
import { follow, type Watched } from "./follow.js";
import { byHand } from "./hand.js";
import { Mishaps } from "./mishaps.js";
import { Nodes, slotName } from "./nodes.js";
import { ProbeTroubles } from "./probe-trouble.js";
import { Recorder } from "./recorder.js";
import { Replicas } from "./replicas.js";
import { Resources } from "./resources.js";
import { type AnyResource, createdAddresses, knownAddresses, PLURALS } from "./specs.js";
import { Troubles } from "./trouble.js";

const DURATIONS = { assign: 250, unassign: 200, event: 500 };
const FEATURES = [
  ...[OperatorFeature.POOLS, OperatorFeature.DNS, OperatorFeature.ROUTED_IP],
  OperatorFeature.HEALTH_CHECKS,
];
/** Slots of the nodes that replicas run on. */
const REPLICA_PLACES = [0, 1] as const;
const LOOP_LOOK_MS = 50;
const LOOP_LATE_MS = 200;

interface Parts {
  readonly plane: ControlPlane;
  readonly clouds: Clouds;
  readonly proxy: FaultProxy;
  readonly install: Install;
  readonly recorder: Recorder;
  readonly replicas: Replicas;
  readonly nodes: Nodes;
  readonly resources: Resources;
}

export interface StageOptions {
  readonly schedule: Schedule;
  readonly round: number;
}

export class Stage {
  static async create({ schedule, round }: StageOptions): Promise<Stage> {
    const plane = await ControlPlane.start();
    try {
      return new Stage(await build(plane, schedule, round));
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  private readonly pendingWarnings: Troubles;
  private readonly mishaps: Mishaps;
  private readonly probes: ProbeTroubles;
  private readonly watching = new AbortController();
  /** One after the other: what changes the cluster, and what signals replicas. */
  private cluster: Promise<void> = Promise.resolve();
  private signals: Promise<void> = Promise.resolve();
  private readonly problems: string[] = [];

  private constructor(readonly parts: Parts) {
    this.pendingWarnings = new Troubles(parts);
    this.mishaps = new Mishaps({ ...parts, queue: (act) => this.queue(act) });
    this.probes = new ProbeTroubles({ ...parts, queue: (act) => this.queue(act) });
    this.watch();
    void this.watchLoop();
  }

  get client(): Client {
    return this.parts.plane.client();
  }

  /** Mistakes of the storm itself. */
  get mistakes(): readonly string[] {
    const { clouds } = this.parts;
    const bugs = [...clouds.digitalocean.bugs, ...clouds.cloudflare.bugs];
    return [...this.problems, ...bugs.map((bug) => `a simulator failed: ${bug.stack ?? bug.message}`)];
  }

  perform(step: Step): void {
    const { recorder, clouds, nodes, resources, replicas } = this.parts;
    recorder.step(stepText(step));
    switch (step.kind) {
      case "node":
        this.queue(() => nodes.act(step.slot, step.act, step.group));
        break;
      case "pod":
        this.queue(() => nodes.pod(step.slot, step.act));
        break;
      case "resource":
        this.queue(() => resources.act(step.template, step));
        break;
      case "endpoint":
        this.queue(() => resources.endpoint(step.template, step.slot, step.act));
        break;
      case "hand":
        void this.guard(async () => byHand({ clouds, nodes, recorder }, step.act, step));
        break;
      case "operator":
        this.signals = this.signals.then(() => this.guard(() => replicas.hit(step.which, step.act, step.ms)));
        break;
      case "probe":
        void this.guard(() => this.probes.runActions(step));
        break;
      case "mishap":
        this.mishaps.runActions(step.act);
        break;
      default:
        this.pendingWarnings.runActions(step);
    }
  }

  /** Ends all faults; what was asked of the cluster is done when it resolves. */
  async calm(): Promise<void> {
    this.mishaps.calm();
    await this.pendingWarnings.calm();
    await this.probes.calm();
    await this.signals;
    await this.parts.replicas.resumeAll();
    await this.cluster;
  }

  /** Everything ends. */
  async close(): Promise<void> {
    const { replicas, clouds, proxy, plane, nodes } = this.parts;
    await this.guard(() => replicas.close());
    nodes.close();
    this.watching.abort();
    await this.guard(() => proxy.close());
    await this.guard(() => clouds.close());
    await plane.stop();
  }

  private queue(act: () => Promise<void>): void {
    this.cluster = this.cluster.then(() => this.guard(act));
  }

  private async guard(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  private watch(): void {
    const { resources, recorder, install } = this.parts;
    const { client } = this;
    const { signal } = this.watching;
    const gap = (from: number, to: number) =>
      void recorder.unsure.push({ from, to, what: "the storm's watch was down" });
    const path = `/apis/coordination.k8s.io/v1/namespaces/${install.namespace}/leases`;
    void follow<LeaseObject>({ client, path, signal, gap, indexResource: (lease) => this.seeLease(lease) });
    for (const kind of Object.keys(PLURALS) as ResourceKind[]) {
      const indexResource = (object: AnyResource, deleted: boolean) => this.seeResource(kind, object, deleted);
      void follow<AnyResource>({ client, path: resources.collection(kind), signal, indexResource });
    }
  }

  private seeLease({ metadata, spec }: LeaseObject): void {
    if (metadata.name !== LEASE_NAME) return;
    const { holderIdentity = "", renewTime } = spec;
    const renewedAt = renewTime === undefined ? 0 : Date.parse(renewTime);
    this.parts.recorder.leases.push({ at: Date.now(), holder: holderIdentity, renewedAt });
  }

  private seeResource(kind: ResourceKind, object: AnyResource, deleted: boolean): void {
    const { name, uid } = object.metadata;
    const pending = object.status?.pendingCreation !== undefined;
    const addresses = { known: knownAddresses(object), created: createdAddresses(object), pending };
    this.parts.recorder.objects.push({ at: Date.now(), name, kind, uid, deleted, ...addresses });
  }

  /** A machine that is too busy makes all times inexact. */
  private async watchLoop(): Promise<void> {
    const { signal } = this.watching;
    let last = Date.now();
    while (!signal.aborted) {
      await delay(LOOP_LOOK_MS);
      const now = Date.now();
      if (now - last > LOOP_LATE_MS) {
        this.parts.recorder.unsure.push({ from: last, to: now, what: "the storm's event loop stood still" });
      }
      last = now;
    }
  }
}

interface LeaseObject extends Watched {
  readonly spec: { readonly holderIdentity?: string; readonly renewTime?: string };
}

async function build(plane: ControlPlane, schedule: Schedule, round: number): Promise<Parts> {
  const client = plane.client();
  const bundled = bundledOperator();
  await installKinds(client);
  await bundled;
  // The recorder asks for the processes only once there are some.
  const later: { replicas?: Replicas } = {};
  const recorder = new Recorder(
    { seed: schedule.seed, round, replicaNodes: REPLICA_PLACES.map(slotName) },
    () => later.replicas?.facts() ?? [],
  );
  const clouds = await startClouds(schedule.seed, recorder);
  const proxy = await FaultProxy.start(plane.url, plane.caData);
  const install = await installOperator(plane, { features: FEATURES }, proxy.url);
  const namespace = await client.tempNamespace("storm");
  const port = await freePort();
  const nodes = new Nodes({ client, clouds, recorder, namespace, port });
  const { templates } = schedule;
  const ownNamespace = install.namespace;
  const resources = new Resources({ client, clouds, recorder, namespace, ownNamespace, templates, port });
  const replicas = new Replicas({ plane, install, clouds, leases: recorder.leases, places: REPLICA_PLACES });
  later.replicas = replicas;
  await nodes.start();
  await resources.start();
  return { plane, clouds, proxy, install, recorder, replicas, nodes, resources };
}

/** The recorder looks at the account after each timer of the simulator: addresses change their holders there. */
async function startClouds(seed: number, recorder: Recorder): Promise<Clouds> {
  const clock: Clock = {
    ...systemClock,
    setTimer: (ms, fn) =>
      systemClock.setTimer(ms, () => {
        fn();
        recorder.sample("api");
      }),
  };
  const clouds = await Clouds.start({
    digitalocean: { clock, seed, durations: DURATIONS },
    cloudflare: { seed, zones: [{ name: ZONE }] },
  });
  recorder.attach(clouds);
  return clouds;
}
