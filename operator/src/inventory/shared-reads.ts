/** Shared reads: simultaneous callers share one, the next one follows after a pause, and any token that works may send it. */

import { familyOf } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import { unusableAnswers } from "../messages/calls/unusable-answers.js";
import { failedCalls } from "../messages/failed-calls.js";
import { type CallContext, type CallPriority, callText, type Urgency } from "../providers/call.js";
import { isAnswer5xx, isProviderError, ProviderError, withProps } from "../providers/errors.js";
import type { AddressFacts, AddressProvider, CreateAddress, CreateOutcome, IpFamily } from "../providers/types.js";
import { READ_PAUSE_MS, SECOND_MS, SHARED_READ_SECONDS } from "../timings.js";
import { awaitingRead, type CachedState, isJustCreated } from "./cached-address.js";
import type { PicturedMap } from "./view.js";

const NOT_FOUND = 404;

export interface EnsureOptions {
  /** A whole list older than this is read again. */
  readonly maxAgeSeconds: number;
  /**
   * A call failed then, monotonic ms: only a list that began later shows whether the account answers. The caller keeps
   * the pause.
   */
  readonly since?: number;
  /** @default check */
  readonly priority?: CallPriority;
  /** The caller gives up; the read goes on for others. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `read` at most once at a time. Who asks while one runs that began after `since` joins it; else the next one
 * serves all who came meanwhile. A caller that gives up leaves the read to the others.
 */
export class Coalesced {
  private current: { readonly startedAt: number; readonly done: Promise<void> } | undefined;
  private next: Promise<void> | undefined;

  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "setTimer">,
    private readonly read: () => Promise<void>,
  ) {}

  /** @param since monotonic ms: a read that began earlier is too old. */
  run(since: number, signal?: AbortSignal): Promise<void> {
    const { current } = this;
    if (current === undefined) return abortable(this.start(), signal);
    if (current.startedAt >= since) return abortable(current.done, signal);
    this.next ??= current.done.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return abortable(this.next, signal);
  }

  private startNext(): Promise<void> {
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<void> {
    const done = this.bounded(this.read()).finally(() => {
      if (this.current?.done === done) this.current = undefined;
    });
    this.current = { startedAt: this.clock.monotonic(), done };
    return done;
  }

  private bounded(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(SHARED_READ_SECONDS * SECOND_MS, () => reject(tooLong()));
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

function tooLong(): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: "a read that several resources share",
    ...failedCalls.sharedReadLate(SHARED_READ_SECONDS),
    outcome: "refused",
  });
}

function abortable(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

interface Answer<T> {
  /** When the read began, monotonic ms. */
  readonly askedAt: number;
  readonly value: Promise<T>;
}

interface Read<T> extends Answer<T> {
  /** The rate limit may delay a read for far longer than the pause. */
  pending: boolean;
  readonly urgency: Urgency;
}

export class ReadGate<T> {
  /** Oldest first. */
  private readonly reads = new Map<string, Read<T>>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /**
   * Sends the read, or returns the one that waits, or the last answer, a failure included.
   * @param urgency of this caller; if the caller's read is sent, the class that later callers raise
   */
  read(key: string, send: () => Promise<T>, urgency: Urgency): Answer<T> {
    const now = this.clock.monotonic();
    this.forgetBefore(now - READ_PAUSE_MS);
    const last = this.reads.get(key);
    last?.urgency.raise(urgency.priority);
    if (last !== undefined) return last;
    const read: Read<T> = { askedAt: now, value: send(), pending: true, urgency };
    this.reads.set(key, read);
    const settle = (error?: unknown) => {
      read.pending = false;
      // A caller that gave up says nothing about the fact.
      const gaveUp = isProviderError(error) && error.reason === "Cancelled";
      if (gaveUp && this.reads.get(key) === read) this.changed(key);
    };
    read.value.then(() => settle(), settle);
    return read;
  }

  /** The operator changed the fact, or a refused call shows that something did. */
  changed(key: string): void {
    this.reads.delete(key);
  }

  /** When the key may be read again, monotonic ms; `undefined`: at once. */
  nextAt(key: string): number | undefined {
    const last = this.reads.get(key);
    if (last === undefined) return undefined;
    return (last.pending ? this.clock.monotonic() : last.askedAt) + READ_PAUSE_MS;
  }

  private forgetBefore(oldest: number): void {
    for (const [key, { askedAt, pending }] of this.reads) {
      if (askedAt > oldest) return;
      if (!pending) this.reads.delete(key);
    }
  }
}

export class InventoryReader {
  private readonly providers: AddressProvider[];

  constructor(
    first: AddressProvider,
    private readonly family: IpFamily,
  ) {
    this.providers = [first];
  }

  join(provider: AddressProvider): void {
    if (!this.providers.includes(provider)) this.providers.push(provider);
  }

  /** Its connections are about to end. Returns whether another token is left. */
  leave(provider: AddressProvider): boolean {
    const at = this.providers.indexOf(provider);
    if (at >= 0) this.providers.splice(at, 1);
    return this.providers.length > 0;
  }

  /** Whether an address is of this family. */
  private covers(ip: string): boolean {
    return familyOf(ip) === this.family;
  }

  list(context: CallContext, named: readonly string[]): Promise<readonly AddressFacts[]> {
    const wanted = named.filter((ip) => this.covers(ip));
    return this.withToken((provider) => provider.list(context, { family: this.family, named: wanted }));
  }

  get(context: CallContext, ip: string): Promise<AddressFacts | undefined> {
    return this.withToken((provider) => provider.get(context, ip));
  }

  /** What somebody counts on, or what we did ourselves, and the list lacks. */
  absent(
    listed: ReadonlyMap<string, unknown>,
    named: readonly string[],
    known: Iterable<readonly [string, CachedState]>,
  ): readonly string[] {
    const own = [...known].filter(([, { writtenAt }]) => writtenAt !== undefined).map(([ip]) => ip);
    return [...new Set([...named, ...own])].filter((ip) => !listed.has(ip) && this.covers(ip));
  }

  /** A token that is refused goes to the end of the line; each is tried once. */
  private async withToken<T>(read: (provider: AddressProvider) => Promise<T>): Promise<T> {
    for (let left = this.providers.length; ; left--) {
      const [provider] = this.providers;
      if (provider === undefined) throw new Error("an inventory whose last provider has left is asked for a read");
      try {
        return await read(provider);
      } catch (error) {
        if (left <= 1 || !isProviderError(error, "Unauthorized")) throw error;
        this.providers.push(...this.providers.splice(0, 1));
      }
    }
  }
}

/** One address that alone cannot be read stays as it is: only its own resource waits for it. Rejects at two in a row. */
export async function eachButOne(ips: readonly string[], read: (ip: string) => Promise<void>): Promise<void> {
  let failed = false;
  for (const ip of ips) {
    try {
      await read(ip);
      failed = false;
    } catch (error) {
      if (failed || !isAnswer5xx(error)) throw error;
      failed = true;
    }
  }
}

/** An API that does not find an address that it has only just created is called again soon. */
export function foundLater(error: unknown, cachedState: CachedState | undefined, now: number): unknown {
  const isMissing = isProviderError(error, "NotFound") && error.status === NOT_FOUND;
  return isMissing && isJustCreated(cachedState, now) ? withProps(error, { kind: "Conflict" }) : error;
}

/**
 * A release or an unassignment that the provider did not send, because a read shows the address elsewhere: soon after an
 * action of ours the read may be late, so the change waits until reads count.
 */
export function lateReads(
  states: Pick<PicturedMap<string, CachedState>, "get" | "set">,
  clock: Pick<Clock, "monotonic">,
) {
  return (ip: string) =>
    (error: unknown): never => {
      if (!isProviderError(error) || error.reason !== "HeldElsewhere") throw error;
      const late = awaitingRead(states.get(ip), clock.monotonic());
      if (late === undefined) throw error;
      states.set(ip, late);
      throw withProps(error, { reason: "Superseded", outcome: "not-sent", retrySafe: false });
    };
}

/** A creation. The outcome is unknown where the answer was lost, or where it names an address that the account had before. */
export async function createAddress(
  provider: AddressProvider,
  context: CallContext,
  request: CreateAddress,
  known: Pick<ReadonlyMap<string, unknown>, "keys">,
): Promise<CreateOutcome> {
  const before = new Set(known.keys());
  const outcome = await provider.create(context, request).catch(lostAnswer);
  // Another resource may use that address, and the answer says nothing of a new one.
  if (outcome.kind === "created" && before.has(outcome.address.ip)) {
    return { kind: "unknown", error: contradictory(provider, outcome.address) };
  }
  return outcome;
}

export function lostAnswer(error: unknown): CreateOutcome {
  if (isProviderError(error) && error.outcome === "unknown") return { kind: "unknown", error };
  throw error;
}

function contradictory({ name }: AddressProvider, { ip, family }: AddressFacts): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: callText({ provider: name, subject: `create an ${family} address` }),
    ...unusableAnswers.createdBefore(ip),
    outcome: "unknown",
    reason: "MalformedAnswer",
  });
}
