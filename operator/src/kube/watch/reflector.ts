import { Pacer, Waiters } from "../../async.js";
import { type Clock, systemClock } from "../../clock.js";
import { errorText, type Logger, silentLogger } from "../../logging.js";
import { SECOND_MS, WATCH_SILENCE_MS } from "../../timings.js";
import { isForbidden, isNotFound, type KubeClient, StatusError } from "../client.js";
import type { Cached, Transform, WatchEvent } from "../objects.js";
import { ProtobufError } from "../protobuf/reader.js";
import { Freshness, type Staleness } from "./freshness.js";
import { identify, type SafeTransform, safely, type WatchTarget } from "./list.js";
import { backoffMs, judge, type Memory, NO_FAILURES, type Phase, type Round, type Verdict } from "./reflector-rules.js";
import { listRound, NO_WATCH, type RoundProps, type Snapshot, watchListRound, watchRound } from "./rounds.js";
import { SilentWatchError } from "./watch.js";

/** Where a reflector puts what it sees; a {@link Store} is one. */
export interface ReflectorSink<T extends Cached> {
  replace(objects: Iterable<T>, pacer: Pacer): Promise<void>;
  upsert(object: T): void;
  remove(object: Cached): void;
}

/** What all reflectors of one server know together. */
export interface ServerFeatures {
  /** Turns false for good when the server refuses `sendInitialEvents`. */
  watchList: boolean;
}

/** For metrics. */
export interface ReflectorObserver {
  /** A complete set has been read, by pages or by a watch list. */
  listed(seconds: number, objects: number): void;
  watched(seconds: number, events: number): void;
  /** Called for sets and bookmarks, not for each event. */
  version(resourceVersion: string): void;
}

export interface ReflectorProps<T extends Cached> {
  readonly client: KubeClient;
  readonly target: WatchTarget;
  readonly transform: Transform<T>;
  readonly sink: ReflectorSink<T>;
  /** Asked when the server refuses the collection: whether its namespace is gone. @default it is there */
  readonly isGone?: (signal: AbortSignal) => Promise<boolean>;
  /** Share one among all reflectors of a server. @default its own, watch lists allowed */
  readonly features?: ServerFeatures;
  /** @default systemClock */
  readonly clock?: Clock;
  /** In [0, 1). @default Math.random */
  readonly random?: () => number;
  /** @default silent */
  readonly logger?: Logger;
  /** @default none */
  readonly observer?: ReflectorObserver;
}

export interface ReflectorState {
  /** The sink has held a complete set at least once. */
  readonly synced: boolean;
  /** A watch is open now. */
  readonly connected: boolean;
  /** Failed rounds in a row; 0 while connected. */
  readonly failures: number;
  /** Of the last failed round; `undefined` while connected. */
  readonly lastError: string | undefined;
  /** HTTP status with which the server refused it last; `undefined` while connected, or where no answer came. */
  readonly lastCode: number | undefined;
  /** The sink may differ from the server: for too long, no watch has followed the set, and no list of it has succeeded. */
  readonly stale: Staleness | undefined;
}

/** Keeps a sink equal to one collection of the API server, through every fault, until its signal aborts. */
export class Reflector<T extends Cached> {
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly logger: Logger;
  private readonly features: ServerFeatures;
  private readonly transform: SafeTransform<T>;
  private readonly syncWaiters = new Waiters();
  private readonly freshness: Freshness;
  /** `undefined`: the whole set has to be read. */
  private resourceVersion: string | undefined;
  /** Monotonic ms: when the server was last known to be there. */
  private aliveAt = 0;
  private memory: Memory = { silentWatches: 0, failures: 0, counts: NO_FAILURES };
  private probeFirst = false;
  private skipWatchList = false;
  /** What to ask for: without its decoder once an answer in protobuf could not be read. */
  private target: WatchTarget;
  private synced = false;
  private connected = false;
  /** The namespace of the collection is. */
  private gone = false;
  /** The last fault was silence: servers send no bookmarks of a kind of which nothing has changed since they started. */
  private quiet = false;
  private lastError: string | undefined;
  private lastCode: number | undefined;

  constructor(private readonly props: ReflectorProps<T>) {
    this.target = props.target;
    this.clock = props.clock ?? systemClock;
    this.random = props.random ?? Math.random;
    this.logger = props.logger ?? silentLogger;
    this.features = props.features ?? { watchList: true };
    this.freshness = new Freshness(this.clock);
    this.transform = safely(props.transform, props.target.name, this.logger);
  }

  get state(): ReflectorState {
    const { synced, connected } = this;
    const { stale } = this.freshness;
    if (connected) return { synced, connected, failures: 0, lastError: undefined, lastCode: undefined, stale };
    const { lastError, lastCode } = this;
    return { synced, connected, failures: this.memory.failures, lastError, lastCode, stale };
  }

  /** Resolves when the first complete set is in the sink; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.synced ? Promise.resolve() : this.syncWaiters.wait(signal);
  }

  /** Call once. Never rejects; when it has resolved, no event, socket or timer of it is left. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const round = await this.round(signal);
      this.connected = false;
      this.freshness.end();
      if (round.opened) this.noteWatch(round);
      if (signal.aborted) return;
      await this.conclude(round, signal);
    }
  }

  private async round(signal: AbortSignal): Promise<Round> {
    const phase = this.nextPhase();
    try {
      const props = this.roundProps(signal);
      if (phase === "list") return await listRound(props);
      if (phase === "watch-list") return await watchListRound(props);
      return await watchRound(props, this.resourceVersion ?? "", this.probeFirst);
    } catch (error) {
      return { ...NO_WATCH, phase: phase === "watch" ? "probe" : phase, error: error ?? new Error("aborted") };
    }
  }

  private nextPhase(): Phase {
    if (this.resourceVersion !== undefined) return "watch";
    return this.features.watchList && !this.skipWatchList ? "watch-list" : "list";
  }

  private roundProps(signal: AbortSignal): RoundProps<T> {
    const { client } = this.props;
    const { clock, random, target, transform } = this;
    const onOpen = () => {
      this.connected = true;
      // A watch list follows nothing before its set is complete.
      if (this.resourceVersion !== undefined) this.freshness.follow();
    };
    const adopt = (snapshot: Snapshot<T>) => this.adopt(snapshot);
    const apply = (event: WatchEvent) => this.apply(event);
    const gapMs = () => clock.monotonic() - this.aliveAt;
    return { client, target, clock, random, transform, signal, onOpen, adopt, apply, gapMs };
  }

  /** The set becomes the sink's content, and watching goes on from its version. */
  private async adopt({ objects, version, seconds, pacer }: Snapshot<T>): Promise<void> {
    await this.props.sink.replace(objects.values(), pacer);
    this.resourceVersion = version;
    this.aliveAt = this.clock.monotonic();
    this.freshness.noteSet();
    if (this.connected) this.freshness.follow();
    this.props.observer?.listed(seconds, objects.size);
    this.props.observer?.version(version);
    objects.clear();
    this.synced = true;
    this.syncWaiters.release();
  }

  private apply(event: WatchEvent): void {
    const version = event.object.metadata.resourceVersion;
    if (event.type === "BOOKMARK") {
      this.props.observer?.version(version);
    } else if (event.type === "DELETED") {
      this.props.sink.remove(identify(event.object));
    } else {
      const object = this.transform(event.object);
      if (object !== undefined) this.props.sink.upsert(object);
    }
    this.resourceVersion = version || this.resourceVersion;
  }

  private noteWatch({ seconds, events }: Round): void {
    this.aliveAt = this.clock.monotonic();
    this.props.observer?.watched(seconds, events);
  }

  private async conclude(round: Round, signal: AbortSignal): Promise<void> {
    const verdict = judge(round, this.memory);
    this.memory = verdict;
    this.probeFirst = verdict.probe;
    this.skipWatchList = verdict.watchList === "skip";
    if (verdict.watchList === "unsupported") this.features.watchList = false;
    if (verdict.relist !== undefined) this.resourceVersion = undefined;
    this.lastError = round.error === undefined ? undefined : errorText(round.error);
    this.lastCode = round.error instanceof StatusError ? round.error.code : undefined;
    if (round.error instanceof ProtobufError) this.useJson(round.error);
    await this.emptyIfGone(round, signal);
    if (this.gone || this.isAbsent(round)) this.freshness.noteSet();
    await this.pause(round, verdict, signal);
  }

  private useJson(error: ProtobufError): void {
    const { decoder: _decoder, ...target } = this.target;
    this.target = target;
    this.logger.warn(
      { reflector: target.name, path: target.path, error: errorText(error) },
      "cannot read the server's protobuf; the operator asks for JSON from now on",
    );
  }

  /** A namespace that is gone takes the right to read it along, and all that was in it. */
  private async emptyIfGone({ error }: Round, signal: AbortSignal): Promise<void> {
    const { isGone, sink, target } = this.props;
    const before = this.gone;
    this.gone = isForbidden(error) && isGone !== undefined && (await isGone(signal));
    if (!this.gone || before) return;
    this.logger.info(
      { reflector: target.name, path: target.path },
      "watched namespace does not exist; its objects count as deleted",
    );
    this.resourceVersion = undefined;
    await sink.replace([], new Pacer(this.clock));
    this.synced = true;
    this.syncWaiters.release();
  }

  private async pause(round: Round, verdict: Verdict, signal: AbortSignal): Promise<void> {
    const retryAfterSeconds = round.error instanceof StatusError ? round.error.retryAfterSeconds : undefined;
    const { pace, attempt, failures, relist } = verdict;
    const delayMs = backoffMs({ pace, failures: attempt, retryAfterSeconds, random: this.random() });
    if (round.error !== undefined || relist !== undefined) {
      const reflector = this.props.target.name;
      const level = this.levelOf(round, verdict);
      if (isQuiet(round)) this.logger[level]({ reflector }, QUIET);
      else {
        const fields = { reflector, phase: round.phase, error: this.lastError, relist, failures, delayMs };
        this.logger[level](fields, "list or watch ended with an error; it goes on after a pause");
      }
    }
    if (delayMs > 0) await this.clock.sleep(delayMs, signal).catch(() => {});
  }

  /** The cluster lacks the kind, as it may. */
  private isAbsent({ error }: Pick<Round, "error">): boolean {
    return this.props.target.optional === true && isNotFound(error);
  }

  /** A watch that has delivered events gets bookmarks: its silence is a fault. */
  private levelOf({ error, events }: Round, { relist, failures }: Verdict): "warn" | "info" | "debug" {
    const silent = error instanceof SilentWatchError;
    const again = silent && this.quiet;
    this.quiet = silent;
    if (this.gone || this.isAbsent({ error })) return "debug";
    if (isQuiet({ error, events })) return again ? "debug" : "info";
    // A server that is away for an hour is worth a dozen lines, not two thousand.
    return relist !== undefined || Number.isInteger(Math.log2(failures)) ? "warn" : "debug";
  }
}

/** Nothing has changed, or the connection is dead: a new list settles that, and it is no failure yet. */
function isQuiet({ error, events }: Pick<Round, "error" | "events">): boolean {
  return error instanceof SilentWatchError && events === 0;
}

const QUIET = `no event for ${WATCH_SILENCE_MS / SECOND_MS} s, so the operator reads the list again`;
