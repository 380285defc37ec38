/** Several electors, one API server, a virtual clock, and everything that may go wrong between them. */

import { type Clock, sleepWith, type Timer } from "../../src/clock.js";
import type { KubeClient, KubeRequest } from "../../src/kube/client.js";
import { LeaseLock } from "../../src/kube/write/lease.js";
import { silentLogger } from "../../src/logging.js";
import { type Fence, fenced } from "../../src/runtime/fence.js";
import { LeaderElector } from "../../src/runtime/leader-elector.js";
import { MemoryKube, type StoredObject, status } from "./kube/memory-kube.js";
import { seededRandom } from "./seeded-random.js";
import { FakeClock } from "./time/fake-clock.js";

/** What was sent arrives within this, or never: less than lease - renew deadline + call margin, 7 s. */
const MAX_TRANSIT_MS = 6_000;
const WRITES_PATH = "/writes";

export interface WorldOptions {
  readonly seed: number;
  readonly electors: number;
  /** Leave the fence out: the world must notice. */
  readonly unfenced?: boolean;
}

export class ElectionWorld {
  readonly clock = new FakeClock();
  readonly random: () => number;
  readonly violations: string[] = [];
  readonly slots: Slot[];
  /** Identities in the order of their first write; the last one may write. */
  readonly writers: string[] = [];
  lastWriteMs = 0;
  writes = 0;
  private readonly server = new MemoryKube();

  constructor(readonly options: WorldOptions) {
    this.random = seededRandom(options.seed);
    this.slots = Array.from({ length: options.electors }, (_, index) => new Slot(this, `p${index}`));
  }

  between(min: number, max: number): number {
    return min + this.random() * (max - min);
  }

  /** What the server does with a request that has arrived. */
  arrive(request: KubeRequest, from: string): StoredObject {
    if (request.path !== WRITES_PATH) return this.server.apply(request);
    this.writes += 1;
    this.lastWriteMs = this.clock.monotonic();
    if (!this.writers.includes(from)) this.writers.push(from);
    if (this.writers.at(-1) !== from) {
      this.violations.push(`${from} wrote at ${this.lastWriteMs} ms, after the first write of ${this.writers.at(-1)}`);
    }
    return {};
  }

  /** Something goes wrong every now and then, for `ms`. */
  async chaos(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    while (this.clock.monotonic() < end) {
      this.misfortune();
      await this.clock.advance(this.between(1_000, 60_000));
    }
  }

  /** Nothing goes wrong any more. */
  async calm(ms: number): Promise<void> {
    for (const slot of this.slots) slot.heal();
    await this.clock.advance(ms);
  }

  private misfortune(): void {
    const slot = this.slots[Math.floor(this.random() * this.slots.length)];
    if (slot === undefined) return;
    const faults = [
      () => slot.block(20_000),
      () => slot.block(this.between(100, 30_000)),
      () => slot.partition(this.between(1_000, 40_000)),
      () => slot.degradedReason({ lost: 0.5, refused: 0, slow: 0 }, this.between(5_000, 40_000)),
      () => slot.degradedReason({ lost: 0, refused: 0.6, slow: 0 }, this.between(5_000, 40_000)),
      () => slot.degradedReason({ lost: 0.2, refused: 0.2, slow: 0.8 }, this.between(5_000, 40_000)),
      () => slot.stepWallClock(this.between(-3_600_000, 3_600_000)),
      () => slot.terminate(),
      () => slot.kill(),
    ];
    faults[Math.floor(this.random() * faults.length)]?.();
  }
}

interface PendingWarning {
  /** Shares of requests: answer lost, refused with 409 or 500, held up on the way. */
  readonly lost: number;
  readonly refused: number;
  readonly slow: number;
}

const HEALTHY: PendingWarning = { lost: 0, refused: 0, slow: 0 };

/** A place where one process after the other runs, as a Deployment's replica. */
export class Slot {
  private incarnation = 0;
  private process: SimProcess | undefined;
  skewMs: number;
  partitionedUntil = 0;
  private state = HEALTHY;
  private stateUntil = 0;

  constructor(
    readonly world: ElectionWorld,
    readonly name: string,
  ) {
    this.skewMs = world.between(-3_600_000, 3_600_000);
    this.start();
  }

  get currentTrouble(): PendingWarning {
    return this.world.clock.monotonic() < this.stateUntil ? this.state : HEALTHY;
  }

  get partitioned(): boolean {
    return this.world.clock.monotonic() < this.partitionedUntil;
  }

  block(ms: number): void {
    this.process?.block(ms);
  }

  partition(ms: number): void {
    this.partitionedUntil = this.world.clock.monotonic() + ms;
  }

  degradedReason(state: PendingWarning, ms: number): void {
    this.state = state;
    this.stateUntil = this.world.clock.monotonic() + ms;
  }

  stepWallClock(ms: number): void {
    this.skewMs += ms;
  }

  terminate(): void {
    this.process?.stop.abort();
  }

  kill(): void {
    this.process?.kill();
    this.restart();
  }

  heal(): void {
    this.partitionedUntil = 0;
    this.stateUntil = 0;
  }

  restart(): void {
    this.process = undefined;
    this.world.clock.setTimer(this.world.between(500, 5_000), () => this.start());
  }

  private start(): void {
    if (this.process !== undefined) return;
    this.incarnation += 1;
    const process = new SimProcess(this, `${this.name}-${this.incarnation}`);
    this.process = process;
    void process.live().then(() => {
      if (this.process === process) this.restart();
    });
  }
}

/** One process: its clocks, its event loop that may block, its connection to the server. */
class SimProcess implements KubeClient {
  readonly stop = new AbortController();
  private blockedUntil = 0;
  private dead = false;
  private readonly backlog: (() => void)[] = [];

  constructor(
    private readonly slot: Slot,
    private readonly identity: string,
  ) {}

  private get world(): ElectionWorld {
    return this.slot.world;
  }

  async live(): Promise<void> {
    const elector = new LeaderElector({
      lock: new LeaseLock(this, "default", "lease"),
      identity: this.identity,
      clock: this.clock,
      logger: silentLogger,
      random: this.world.random,
    });
    const free: Fence = { assertHeld: () => undefined, remainingMs: () => 8_000 };
    const client = fenced(this, this.world.options.unfenced ? free : elector.fence);
    await elector.run(this.stop.signal, async (lost) => {
      while (!lost.aborted && !this.stop.signal.aborted) await this.writeOnce(client);
      return { release: true };
    });
  }

  private async writeOnce(client: KubeClient): Promise<void> {
    await this.clock.sleep(this.world.between(200, 3_000));
    try {
      await client.request({ method: "POST", path: WRITES_PATH, body: {} });
    } catch {
      // Refused by the fence, or by the server: the next one follows.
    }
  }

  block(ms: number): void {
    const { clock } = this.world;
    this.blockedUntil = Math.max(this.blockedUntil, clock.monotonic() + ms);
    clock.setTimer(ms, () => this.resume());
  }

  kill(): void {
    this.dead = true;
  }

  readonly clock: Clock = {
    now: () => this.world.clock.now() + this.slot.skewMs,
    monotonic: () => this.world.clock.monotonic(),
    sleep: (ms, signal) => sleepWith(this.clock, ms, signal),
    setTimer: (ms, fn): Timer => {
      let cancelled = false;
      const timer = this.world.clock.setTimer(ms, () => this.deliver(() => cancelled || fn()));
      return {
        cancel: () => {
          cancelled = true;
          timer.cancel();
        },
      };
    },
  };

  request<T>(request: KubeRequest): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error) => this.deliver(() => reject(error));
      const deadline = this.clock.setTimer((request.deadlineSeconds ?? 30) * 1000, () => fail(new Error("deadline")));
      const answer = (settle: () => void) => {
        if (this.slot.partitioned || this.world.random() < this.slot.currentTrouble.lost) return;
        this.transit(() => {
          deadline.cancel();
          this.deliver(settle);
        });
      };
      if (this.slot.partitioned) return;
      this.transit(() => {
        if (this.slot.partitioned) return;
        try {
          if (this.world.random() < this.slot.currentTrouble.refused) throw this.refusal();
          const object = this.world.arrive(request, this.identity);
          answer(() => resolve(object as T));
        } catch (error) {
          answer(() => reject(error));
        }
      });
    });
  }

  open(): Promise<never> {
    return Promise.reject(new Error("no watches here"));
  }

  private refusal(): Error {
    return this.world.random() < 0.5 ? status(409, "Conflict") : status(500, "InternalError");
  }

  private transit(arrive: () => void): void {
    const slow = this.world.random() < this.slot.currentTrouble.slow;
    const ms = slow ? this.world.between(500, MAX_TRANSIT_MS) : this.world.between(1, 50);
    this.world.clock.setTimer(ms, arrive);
  }

  /** Runs a callback of this process, once its event loop is free. */
  private deliver(fn: () => void): void {
    if (this.dead) return;
    if (this.world.clock.monotonic() < this.blockedUntil) this.backlog.push(fn);
    else fn();
  }

  /** What has piled up runs in any order: timers before answers, or after them. */
  private resume(): void {
    if (this.dead || this.world.clock.monotonic() < this.blockedUntil) return;
    const waiting = this.backlog.splice(0);
    while (waiting.length > 0) {
      const [fn] = waiting.splice(Math.floor(this.world.random() * waiting.length), 1);
      if (fn !== undefined) this.world.clock.setTimer(0, () => this.deliver(fn));
    }
  }
}
