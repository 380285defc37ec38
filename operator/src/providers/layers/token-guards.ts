/** What all calls share that an API counts together, whoever makes them: those with one token, or all. */

import type { Random } from "../../async/backoff.js";
import { MAX_TOKEN_GUARDS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import { tokenHash } from "../credentials.js";
import type { CallPriority } from "../urgency.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { perClass } from "./fair-queue.js";
import { RateLimiter } from "./limiter.js";
import type { RateLimit } from "./rate-window.js";

export interface TokenGuard {
  readonly limiter: RateLimiter;
  /** One class's failures hold up no other. */
  readonly breakers: Readonly<Record<CallPriority, CircuitBreaker>>;
}

/** Whose token it is, and how many calls the API allows with it. */
export interface GuardedApi {
  readonly name: string;
  readonly rateLimits: readonly RateLimit[];
  /** @default true */
  readonly movesAddresses?: boolean;
  /** @default false */
  readonly countsAllTokens?: boolean;
}

/** One token that several issuers and the environment have is one to the API: they share its limits. */
export class TokenGuards {
  private readonly guards = new Map<string, TokenGuard>();

  constructor(private readonly options: { readonly clock: Clock; readonly random: Random }) {}

  of(api: GuardedApi, token: string): TokenGuard {
    const { name, rateLimits, movesAddresses = true, countsAllTokens = false } = api;
    const { clock, random } = this.options;
    const key = countsAllTokens ? name : `${name} ${tokenHash(token)}`;
    const guard = this.guards.get(key) ?? {
      limiter: new RateLimiter(clock, rateLimits, { movesAddresses }),
      breakers: perClass(() => new CircuitBreaker(clock, random)),
    };
    this.guards.delete(key);
    this.guards.set(key, guard);
    const [oldest] = this.guards.keys();
    if (this.guards.size > MAX_TOKEN_GUARDS && oldest !== undefined) this.guards.delete(oldest);
    return guard;
  }
}
