/**
 * The stack around every provider, from the outside in.
 *
 * Around each mutation (one entry, however many requests it takes):
 * 1. audit       who, why, before, after, outcome; outermost, so that withheld ones are on record too
 * 2. dry run     ends here when it is on
 *
 * Around each request:
 * 3. deadline    of the whole call, waits included: everything below ends with it
 * 4. retries     outside of all that must be asked again before each attempt
 * 5. breaker     before the limiter: an API at rest costs no tokens and no waiting
 * 6. limiter     the last thing that waits; asks whether the decision behind a write still holds
 * 7. fence       after all waiting, right before a write is sent
 * 8. deadline    of one attempt
 * 9. direct      sends, and lets out nothing but errors that callers know
 * 10. metrics    exactly what is sent, without waits: they wrap `send` itself, as the limiter does to hear of its limits
 */

import type { Random } from "../../async/backoff.js";
import type { Clock } from "../../clock.js";
import type { Fence } from "../../runtime/fence.js";
import type { CallLayer, CallRunner } from "../call.js";
import type { Credentials } from "../credentials.js";
import type { AddressProvider, DnsProvider, FirewallProvider } from "../types.js";
import { type AuditSink, withAudit } from "./audit.js";
import { withCircuitBreaker } from "./circuit-breaker.js";
import { withAttemptDeadline, withCallDeadline } from "./deadlines.js";
import { direct } from "./direct.js";
import { withDryRun } from "./dry-run.js";
import { withFence } from "./fenced.js";
import { withRateLimit } from "./limiter.js";
import { type CallMetrics, waitsIn, withMetrics } from "./metered.js";
import { aroundAddresses, aroundDns, aroundFirewalls, type MutationLayer } from "./mutations.js";
import { withRetries } from "./retrying.js";
import type { TokenGuard } from "./token-guards.js";

/** What is the same for all providers of a process. */
export interface StackOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: CallMetrics;
  readonly fence: Fence;
  readonly audit: AuditSink;
  /** Change nothing. */
  readonly dryRun: boolean;
}

/** What a cloud offers through one token. A provider without one of them leaves it out. */
export interface ProviderSet {
  readonly addresses?: AddressProvider;
  readonly dns?: DnsProvider;
  readonly firewalls?: FirewallProvider;
  /** Ends its connections. */
  close(): Promise<void>;
}

/**
 * Layers 3 to 10. Tokens are rotated: each attempt goes by the limits of the token that is in use when it begins. One
 * that takes its place while the attempt waits is the one that is sent, and counts by its predecessor's limits.
 */
export function callStack(
  { clock, random, metrics, fence }: StackOptions,
  credentials: Credentials,
  guardOf: (token: string) => TokenGuard,
): CallRunner {
  const layers: readonly CallLayer[] = [
    withCallDeadline(clock),
    withRetries({ clock, random, credentials }),
    withGuard(() => guardOf(credentials.token()), clock, metrics),
    withFence(fence, clock),
    withAttemptDeadline(clock),
    withMetrics(metrics, clock),
  ];
  return stack(layers, direct);
}

/** Layers 5 and 6. */
function withGuard(guard: () => TokenGuard, clock: Clock, metrics: CallMetrics): CallLayer {
  const waited = waitsIn(metrics);
  return (next) => (call, send) => {
    const { breakers, limiter } = guard();
    const breaker = breakers[call.context.priority];
    return stack([withCircuitBreaker(breaker), withRateLimit(limiter, clock, waited)], next)(call, send);
  };
}

/** The first layer is the outermost, here as below. */
export function stack(layers: readonly CallLayer[], innermost: CallRunner): CallRunner {
  return layers.reduceRight((next, layer) => layer(next), innermost);
}

/** Layers 1 and 2. */
export function withMutationLayers(set: ProviderSet, { audit, dryRun }: StackOptions): ProviderSet {
  const layers: readonly MutationLayer[] = [withAudit(audit), ...(dryRun ? [withDryRun] : [])];
  return {
    ...set,
    ...(set.addresses && { addresses: layers.reduceRight(aroundAddresses, set.addresses) }),
    ...(set.dns && { dns: layers.reduceRight(aroundDns, set.dns) }),
    ...(set.firewalls && { firewalls: layers.reduceRight(aroundFirewalls, set.firewalls) }),
  };
}
