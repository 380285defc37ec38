import { type SlimPod, slimPods } from "../../../src/kube/cache/slim-objects.js";
import { Store, type StoreEvent } from "../../../src/kube/cache/store.js";
import type { ClusterConfig } from "../../../src/kube/config/cluster-config.js";
import type { KubeObject } from "../../../src/kube/objects.js";
import { Decoders } from "../../../src/kube/protobuf/decoder.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { Reflector, type ServerFeatures } from "../../../src/kube/watch/reflector.js";
import { silentLogger } from "../../../src/logging.js";
import { FaultProxy } from "../fault-proxy.js";
import { Heard } from "../heard.js";
import { scaledClock } from "../time/scaled-clock.js";
import { until } from "../time/until.js";
import { FakeApi } from "./fake-api.js";

/** Minutes of waiting become seconds. */
const SPEED = 100;

export function plainConfig(server: string): ClusterConfig {
  return { source: "test", server, insecureSkipTlsVerify: false, auth: { kind: "none" }, namespace: "default" };
}

/** A reflector on a store, behind the fault proxy, in front of the fake API server; everything over real sockets. */
export class ReflectorRig {
  readonly clock: ReturnType<typeof scaledClock>;
  readonly store = new Store<SlimPod>();
  readonly events: string[] = [];
  readonly warnings: string[] = [];
  readonly notes: string[] = [];
  readonly features: ServerFeatures = { watchList: true };
  readonly transport: Transport;
  readonly reflector: Reflector<SlimPod>;
  private readonly heard = new Heard(this.store);
  private readonly controller = new AbortController();
  private running: Promise<void> | undefined;

  private constructor(
    readonly api: FakeApi,
    readonly proxy: FaultProxy,
    speed: number,
  ) {
    this.clock = scaledClock(speed);
    this.transport = new Transport({ config: plainConfig(proxy.url), clock: this.clock, env: {} });
    this.reflector = new Reflector<SlimPod>({
      client: this.transport,
      target: { name: "pods", path: "/api/v1/pods", decoder: new Decoders([]).pods },
      transform: slimPods(),
      sink: this.store,
      clock: this.clock,
      features: this.features,
      logger: {
        ...silentLogger,
        warn: (fields) => this.warnings.push(JSON.stringify(fields)),
        info: (fields, message) => this.notes.push(`${message} ${JSON.stringify(fields)}`),
      },
    });
    this.store.listen((event: StoreEvent<SlimPod>) => this.events.push(`${event.type} ${event.object.name}`));
  }

  /** @param speed how many times as fast as real time the reflector waits. */
  static async create({ speed = SPEED, protobuf = false } = {}): Promise<ReflectorRig> {
    const api = await FakeApi.start();
    api.protobuf = protobuf;
    return new ReflectorRig(api, await FaultProxy.start(api.url), speed);
  }

  start(): void {
    this.running = this.reflector.run(this.controller.signal);
  }

  async synced(): Promise<void> {
    this.start();
    await this.reflector.whenSynced(this.controller.signal);
  }

  /** Aborts and waits until `run` has resolved. */
  async stop(): Promise<void> {
    this.controller.abort();
    await this.running;
  }

  /** Whether a watch hangs on the server, as the server sees it. */
  async watching(): Promise<void> {
    await until("the watch is open", () => this.reflector.state.connected && this.api.openWatches === 1);
  }

  /** Waits until the store is what the server has, and has emitted all of it. */
  async equal(): Promise<void> {
    const same = () => this.difference() === undefined && this.heard.isAll;
    await until("the store equals the server", same).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${this.difference()}; ${JSON.stringify(this.reflector.state)}`);
    });
  }

  difference(): string | undefined {
    const here = [...this.store.list()].map((pod) => line(pod.name, pod.uid, pod.labels)).sort();
    const there = [...this.api.collection.objects.values()].map(lineOf).sort();
    return here.join() === there.join() ? undefined : `store: ${here.join()} server: ${there.join()}`;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.transport.close();
    await this.proxy.close();
    await this.api.stop();
  }
}

function line(name: string, uid: string, labels: Readonly<Record<string, string>>): string {
  return `${name}/${uid}/${JSON.stringify(labels)}`;
}

function lineOf({ metadata }: KubeObject): string {
  return line(metadata.name, metadata.uid, metadata.labels ?? {});
}
