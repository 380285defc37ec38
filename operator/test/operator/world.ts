/**
 * A cluster, a cloud and operators in this process, all on one clock: quiet hours pass in seconds, and work takes no
 * longer than it does on a usual one.
 */

import { type FloatingIPPoolSpec, type FloatingIPPoolStatus, GROUP_VERSION } from "cdk8s-flipop/api";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type ApiObject, type Emulator, type EmulatorOptions, startEmulator } from "flipop-sandbox/kubernetes";
import { addNode, removeNode } from "flipop-sandbox/nodes";
import { watchCalls } from "flipop-sandbox/story-calls";
import { StoryClock } from "flipop-sandbox/story-clock";
import { readSettings, type Settings } from "../../src/config.js";
import type { ClusterConfig } from "../../src/kube/config/cluster-config.js";
import { Transport } from "../../src/kube/transport/transport.js";
import { createOperator, type Operator, type OperatorOptions } from "../../src/operator.js";
import { until } from "../support/time/until.js";
import { misplacedWords } from "./places.js";
import { lineLogger } from "./process/line-logger.js";

/** Of the clock, while nothing is asked of any API. */
const SPEED = 600;
const LONG_MS = 180_000;
const UNLIMITED = 1_000_000;

export interface WorldOptions {
  /** How many nodes there are at the start: `node-1`, `node-2`, ... @default 0 */
  readonly nodes?: number;
  /** Seconds of the clock in a real one, at most. @default 600 */
  readonly speed?: number;
  /** Flags of `flipop run`, by name. @default no lease, no servers */
  readonly flags?: Readonly<Record<string, string>>;
  readonly definitions?: EmulatorOptions["definitions"];
  /** Of the operators, beside the simulator of DigitalOcean. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Calls of the account. @default a million a minute */
  readonly perMinute?: number;
  /** Creations of IPv4 addresses. @default a million a minute */
  readonly createsPerMinute?: number;
  /** Addresses that the account may have. @default 100 */
  readonly quota?: number;
  /** Time passes slowly while any request is under way. It takes long with hundreds of resources. @default false */
  readonly patient?: boolean;
  /** Answers the probes of the operators. @default sockets, which a fast clock lets time out */
  readonly probe?: OperatorOptions["probe"];
}

export interface Pool extends ApiObject {
  readonly spec: FloatingIPPoolSpec;
  readonly status?: FloatingIPPoolStatus;
}

/** Who an operator is to the APIs. */
export interface Identity {
  /** Of the providers. @default those of the world */
  readonly env?: OperatorOptions["env"];
  /** Of the Kubernetes API. @default the administrator's */
  readonly token?: string;
  /** Answers its probes. @default that of the world */
  readonly probe?: OperatorOptions["probe"];
}

/** One operator process, or what stands for it. */
export interface Running {
  readonly operator: Operator;
  /** As on SIGTERM. Resolves to the exit code. */
  stop(): Promise<number>;
  /** As on SIGKILL: nothing that it sends or hears from now on counts. */
  kill(): Promise<void>;
}

export class World {
  /** Warnings and errors of all operators. */
  readonly complaints: string[] = [];
  readonly logs: string[] = [];
  private readonly running = new Set<Running>();
  private operators = 0;

  private constructor(
    readonly clock: StoryClock,
    readonly kubernetes: Emulator,
    readonly digitalocean: DigitalOceanSimulator,
    private readonly options: WorldOptions & { readonly unwatch: () => void },
  ) {}

  static async create(options: WorldOptions = {}): Promise<World> {
    const clock = new StoryClock({ start: Date.now(), speed: options.speed ?? SPEED });
    const { definitions, quota = 100 } = options;
    const kubernetes = await startEmulator({ clock, tls: false, ...(definitions && { definitions }) });
    const account = { reservedIpLimit: quota, reservedIpv6Limit: quota, dropletLimit: 1000 };
    const { perMinute = UNLIMITED, createsPerMinute = UNLIMITED } = options;
    const limits = { perMinute, perHour: UNLIMITED, createsPerMinute };
    const digitalocean = await startDigitalOceanSimulator({ clock, account, limits });
    digitalocean.state.dns.addDomain("example.com");
    digitalocean.journal.subscribe(() => clock.traffic());
    kubernetes.onRequest(() => clock.traffic());
    clock.run();
    // On a busy machine a request may take a while to arrive; the deadline of a renewal is the shortest.
    const to = (origin: string, path: string) => {
      const isKubernetes = origin === new URL(kubernetes.url).origin;
      if (options.patient === true) return isKubernetes || origin === new URL(digitalocean.url).origin;
      return isKubernetes && path.includes("/leases/");
    };
    const unwatch = watchCalls({ to, asked: () => clock.asked() });
    const world = new World(clock, kubernetes, digitalocean, { ...options, unwatch });
    for (let number = 1; number <= (options.nodes ?? 0); number++) world.addNode(`node-${number}`);
    return world;
  }

  /** @returns the provider id. */
  addNode(name: string, more: Omit<Parameters<typeof addNode>[1], "name"> = {}): string {
    return addNode(this, { name, ...more });
  }

  removeNode(name: string): void {
    removeNode(this, name);
  }

  setReady(name: string, ready: boolean): void {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False", reason: "Tested" }];
    this.change(nodeRef(name), "status", { conditions });
  }

  addPool(name: string, spec: Partial<FloatingIPPoolSpec>, more: object = {}): void {
    this.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "FloatingIPPool",
      metadata: { name, namespace: "default" },
      spec: { provider: "digitalocean", region: "nyc3", ...spec },
      ...more,
    });
  }

  /** Unassigned addresses of the account. */
  addAddresses(count: number): readonly string[] {
    return Array.from({ length: count }, () => this.digitalocean.state.addAddress().ip);
  }

  pool(name: string): Pool {
    const pool = this.kubernetes.get(this.refTo(name));
    if (pool === undefined) throw new Error(`there is no pool ${name}`);
    return pool as Pool;
  }

  refTo(name: string) {
    return { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "default", name };
  }

  status(name: string): FloatingIPPoolStatus {
    return this.pool(name).status ?? {};
  }

  /** Changes the spec as a person does. */
  edit(name: string, change: Partial<FloatingIPPoolSpec>): void {
    this.change(this.refTo(name), "spec", change);
  }

  /** Changes some fields of an object. */
  change(ref: Parameters<Emulator["change"]>[0], part: "metadata" | "spec" | "status", fields: object): void {
    const edit = (object: Readonly<Record<string, unknown>>) => ({
      ...object,
      [part]: { ...(object[part] as object), ...fields },
    });
    this.kubernetes.change(ref, edit as Parameters<Emulator["change"]>[1], part === "status" ? "status" : undefined);
  }

  annotations(node: string): Readonly<Record<string, string>> {
    return this.kubernetes.get(nodeRef(node))?.metadata.annotations ?? {};
  }

  /** Provider id of the droplet that has an address. */
  holder(ip: string): string | undefined {
    const id = this.digitalocean.state.address(ip).dropletId;
    return id === undefined || id === null ? undefined : `digitalocean://${id}`;
  }

  events(reason: string): readonly ApiObject[] {
    return this.kubernetes.list("events.k8s.io/v1", "Event").filter((event) => event["reason"] === reason);
  }

  condition(pool: string, type: string) {
    return this.status(pool).conditions?.find((condition) => condition.type === type);
  }

  /** The droplet of a node. */
  droplet(node: string) {
    const spec = this.kubernetes.get(nodeRef(node))?.["spec"];
    const { providerID = "" } = (spec ?? {}) as { readonly providerID?: string };
    return this.digitalocean.state.droplet(Number(providerID.replace("digitalocean://", "")));
  }

  annotate(node: string, annotations: Readonly<Record<string, string>>): void {
    this.change(nodeRef(node), "metadata", { annotations });
  }

  /** An operator that does not run yet. @param env of the providers. @default those of this world */
  assemble(
    flags: Readonly<Record<string, string>> = {},
    { env = this.env(), token, probe = this.options.probe }: Identity = {},
  ) {
    const transport = new Transport({ config: this.config(token), clock: this.clock, env: {} });
    const identity = `operator-${++this.operators}`;
    const settings = this.settings(flags);
    const operator = createOperator({
      ...{ settings, transport, logger: lineLogger(this), env, clock: this.clock, identity },
      ...(probe && { probe }),
    });
    return { transport, operator };
  }

  start(flags: Readonly<Record<string, string>> = {}, identity: Identity = {}): Running {
    const { transport, operator } = this.assemble(flags, identity);
    const stop = new AbortController();
    const ended = operator.run(stop.signal).finally(() => transport.close());
    const running: Running = {
      operator,
      stop: async () => {
        stop.abort();
        const code = await ended;
        this.running.delete(running);
        return code;
      },
      kill: async () => {
        await transport.close();
        await running.stop();
      },
    };
    this.running.add(running);
    return running;
  }

  async until(what: string, condition: () => boolean, longestMs = LONG_MS): Promise<void> {
    await until(what, condition, longestMs).catch((error: unknown) => {
      const pools = this.kubernetes.list(GROUP_VERSION, "FloatingIPPool").map(({ status }) => status);
      throw new Error(`${String(error)}\n${JSON.stringify(pools, undefined, 1)}\n${this.logs.slice(-60).join("\n")}`);
    });
  }

  /** Waits until no API has been changed for a minute of the clock. */
  async rest(): Promise<void> {
    const mark = () => `${this.kubernetes.revision} ${this.digitalocean.journal.calls({ mutating: true }).length}`;
    for (let before = ""; before !== mark(); ) {
      before = mark();
      await this.clock.sleep(60_000);
    }
  }

  /** Waits until the pool says that it has all that it should. */
  fulfilled(pool: string): Promise<void> {
    return this.until(`${pool} is fulfilled`, () => {
      const { generation } = this.pool(pool).metadata;
      const condition = this.condition(pool, "Fulfilled");
      return condition?.status === "True" && condition.observedGeneration === generation;
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.running].map((running) => running.stop()));
    const misplaced = misplacedWords(this.kubernetes);
    await Promise.all([this.kubernetes.close(), this.digitalocean.close()]);
    this.options.unwatch();
    this.clock.stop();
    const [bug] = this.digitalocean.bugs;
    if (bug !== undefined) throw bug;
    if (misplaced.length > 0) throw new Error(`reason-places.ts does not know of ${misplaced.join(", ")}`);
  }

  private env(): OperatorOptions["env"] {
    const { token, url } = this.digitalocean;
    return { DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: url, ...this.options.env };
  }

  private config(token = this.kubernetes.adminToken): ClusterConfig {
    return {
      source: "the test",
      server: this.kubernetes.url,
      insecureSkipTlsVerify: false,
      auth: { kind: "token", token: { data: token } },
      namespace: "default",
    };
  }

  private settings(flags: Readonly<Record<string, string>>): Settings {
    const usual = { "leader-elect": "false", "metrics-bind-addr": "", "health-bind-addr": "", namespace: "default" };
    return readSettings({ flags: { ...usual, ...this.options.flags, ...flags }, env: {} });
  }
}

function nodeRef(name: string) {
  return { apiVersion: "v1", kind: "Node", name };
}

/** A scene in a world of its own. */
export async function inWorld<T>(options: WorldOptions, scene: (world: World) => Promise<T>): Promise<T> {
  const world = await World.create(options);
  try {
    return await scene(world);
  } finally {
    await world.close();
  }
}
