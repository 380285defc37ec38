/** The rate limiter and the circuit breakers that calls share if the API counts them together: the calls with one token, or all calls. */

import { exponentialMs, jittered, type Random } from "../../async.js";
import type { Clock } from "../../clock.js";
import { failedCalls } from "../../messages/failed-calls.js";
import { BREAKER_FIRST_REST_MS, BREAKER_LONGEST_REST_MS, MAX_TOKEN_GUARDS, SECOND_MS } from "../../timings.js";
import {
  type ApiCall,
  CALL,
  type CallGroup,
  type CallLayer,
  type CallName,
  type CallPart,
  type CallPriority,
  callText,
  PART_OF,
} from "../call.js";
import { tokenHash } from "../credentials.js";
import { isAnswer5xx, isProviderError, isWithdrawn, ProviderError } from "../errors.js";
import { type GroupLimit, groupLimits } from "./group-limits.js";
import { RateLimiter } from "./limiter.js";
import { perClass, type RateLimit } from "./rate-windows.js";

/** Failures in a row that open it. */
const THRESHOLD = 5;
/** The same while calls about other things fail too, and none works. One alone may be a coincidence. */
const THRESHOLD_OF_MANY = 2;
const JITTER = 0.2;

const OF_THE_ACCOUNT: ReadonlySet<CallName> = new Set([CALL.account, CALL.listAddresses, CALL.listFirewalls]);

/** The failures in a row of all breakers of a work class. A success in any part shows that the API itself works. */
interface ClassFailures {
  count: number;
}

/**
 * Closed: calls pass. After `THRESHOLD` failures in a row it opens: calls are refused at once. After a rest one call
 * passes as a probe; its success closes the circuit, its failure doubles the rest. One for each part of the API in each
 * work class of each token: failing records say nothing about moves, and failing firewalls nothing about addresses.
 */
export class CircuitBreaker {
  private failures = 0;
  private rests = 0;
  private openUntil: number | undefined;
  private probing = false;
  /** Of the last call that spoke against the API. */
  private lastFailure: ProviderError | undefined;
  private lastCall: string | undefined;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly random: Random,
    private readonly ofClass: ClassFailures = { count: 0 },
  ) {}

  /** Seconds until the next call may pass; 0: now. */
  get restSeconds(): number {
    if (this.openUntil === undefined) return 0;
    return Math.max(0, this.openUntil - this.clock.monotonic()) / SECOND_MS;
  }

  /** Why it opened: the last failure. */
  get cause(): ProviderError | undefined {
    return this.lastFailure;
  }

  /** Whether a call may pass now. Each `true` must be followed by `settled`. */
  admit(): boolean {
    if (this.openUntil === undefined) return true;
    if (this.probing || this.restSeconds > 0) return false;
    this.probing = true;
    return true;
  }

  /**
   * The result of an admitted call: whether the API works. `undefined`: the call does not show it.
   * @param about one thing: what it alone causes counts once
   */
  settled(works: boolean | undefined, failure?: ProviderError, about?: string): void {
    this.probing = false;
    const again = about !== undefined && about === this.lastCall && this.openUntil === undefined;
    if (works === undefined || again) return;
    this.lastCall = about;
    if (works) {
      this.ofClass.count = 0;
      this.failures = 0;
      this.rests = 0;
      this.openUntil = undefined;
      this.lastFailure = undefined;
      return;
    }
    this.failures += 1;
    this.ofClass.count += 1;
    this.lastFailure = failure;
    if (this.failures < (this.ofClass.count > THRESHOLD ? THRESHOLD_OF_MANY : THRESHOLD)) return;
    const rest = jittered(
      exponentialMs(this.rests, BREAKER_FIRST_REST_MS, BREAKER_LONGEST_REST_MS),
      JITTER,
      this.random,
    );
    this.rests += 1;
    this.openUntil = this.clock.monotonic() + rest;
  }
}

/** Of one work class: a breaker for each part of the API. */
export class CircuitBreakers {
  private readonly parts = new Map<CallPart, CircuitBreaker>();
  private readonly failures: ClassFailures = { count: 0 };

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly random: Random,
  ) {}

  of({ name }: Pick<ApiCall, "name">): CircuitBreaker {
    const part = PART_OF[name];
    const breaker = this.parts.get(part) ?? new CircuitBreaker(this.clock, this.random, this.failures);
    this.parts.set(part, breaker);
    return breaker;
  }
}

export function withCircuitBreaker(breaker: CircuitBreaker): CallLayer {
  return (next) => async (call, send) => {
    if (!breaker.admit()) throw openError(call, breaker);
    try {
      const answer = await next(call, send);
      breaker.settled(true);
      return answer;
    } catch (error) {
      const ofOne = isAnswer5xx(error) && !OF_THE_ACCOUNT.has(call.name);
      breaker.settled(verdict(error), isProviderError(error) ? error : undefined, ofOne ? callText(call) : undefined);
      throw error;
    }
  };
}

/** Only `Unavailable` speaks against the API; any refusal shows that it works; a call given up shows nothing. */
function verdict(error: unknown): boolean | undefined {
  if (!isProviderError(error) || isWithdrawn(error)) return undefined;
  if (error.kind === "RateLimited" && error.outcome === "not-sent") return undefined;
  if (error.kind !== "Unavailable") return true;
  // Of calls that were never sent, only those that tried to connect tell something.
  const outOfTime = error.reason === "DeadlineExceeded" || error.reason === "LeaseEnding";
  return outOfTime && error.outcome === "not-sent" ? undefined : false;
}

/** It names what failed: nothing is known of the call that it withholds. */
function openError({ provider, name }: ApiCall, { restSeconds, cause }: CircuitBreaker): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: callText({ provider, subject: failedCalls.callsAbout(PART_OF[name]) }),
    ...failedCalls.circuitOpen(cause?.seen ?? "no answer"),
    outcome: "not-sent",
    reason: "CircuitOpen",
    retryAfterSeconds: restSeconds,
    cause,
  });
}

export interface TokenGuard {
  readonly limiter: RateLimiter;
  readonly groups: ReadonlyMap<CallGroup, GroupLimit>;
  /** One class's failures hold up no other. */
  readonly breakers: Readonly<Record<CallPriority, CircuitBreakers>>;
}

interface NamedGuard extends TokenGuard {
  /** Of the API. */
  readonly name: string;
}

/** Whose token it is, and how many calls the API allows with it. */
interface GuardedApi {
  readonly name: string;
  readonly rateLimits: readonly RateLimit[];
  /** @default true */
  readonly movesAddresses?: boolean;
  /** @default false */
  readonly countsAllTokens?: boolean;
}

/** One token that several issuers and the environment have is one to the API: they share its limits. */
export class TokenGuards {
  private readonly guards = new Map<string, NamedGuard>();

  constructor(private readonly options: { readonly clock: Clock; readonly random: Random }) {}

  of(api: GuardedApi, token: string): TokenGuard {
    const { name, rateLimits, movesAddresses = true, countsAllTokens = false } = api;
    const { clock, random } = this.options;
    const key = countsAllTokens ? name : `${name} ${tokenHash(token)}`;
    const guard = this.guards.get(key) ?? {
      name,
      limiter: new RateLimiter(
        clock,
        rateLimits.filter(({ group }) => group === undefined),
        { movesAddresses },
      ),
      groups: groupLimits(rateLimits, clock),
      breakers: perClass(() => new CircuitBreakers(clock, random)),
    };
    this.guards.delete(key);
    this.guards.set(key, guard);
    const [oldest] = this.guards.keys();
    if (this.guards.size > MAX_TOKEN_GUARDS && oldest !== undefined) this.guards.delete(oldest);
    return guard;
  }

  /** For each API, the longest time in seconds for which a token may not be used. */
  limitSeconds(): ReadonlyMap<string, number> {
    const longest = new Map<string, number>();
    for (const { name, limiter } of this.guards.values()) {
      longest.set(name, Math.max(longest.get(name) ?? 0, limiter.limitSeconds));
    }
    return longest;
  }
}
