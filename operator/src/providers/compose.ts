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
 * 6. limiter     the last thing that waits
 * 7. fence       after all waiting, right before a write is sent
 * 8. deadline    of one attempt
 * 9. metrics     exactly what is sent, without waits
 * 10. direct     sends, and lets out nothing but errors that callers know
 */

import type { Random } from "../async/backoff.js";
import type { Clock } from "../clock.js";
import type { Fence } from "../runtime/fence.js";
import { type AuditSink, withAudit } from "./audit.js";
import type { CallLayer, CallRunner } from "./call.js";
import { withCircuitBreaker } from "./circuit-breaker.js";
import type { Credentials } from "./credentials.js";
import { withAttemptDeadline, withCallDeadline } from "./deadlines.js";
import { direct } from "./direct.js";
import { withDryRun } from "./dry-run.js";
import { withFence } from "./fenced.js";
import { withRateLimit } from "./limiter.js";
import { type CallMetrics, withMetrics } from "./metered.js";
import { aroundAddresses, aroundDns, aroundFirewalls, type MutationLayer } from "./mutations.js";
import { withRetries } from "./retrying.js";
import type { TokenGuard } from "./token-guards.js";
import type { AddressProvider, DnsProvider, FirewallProvider } from "./types.js";

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

/** Layers 3 to 10. Tokens are rotated: each attempt goes by the limits of the token that it uses. */
export function callStack(
  { clock, random, metrics, fence }: StackOptions,
  credentials: Credentials,
  guardOf: (token: string) => TokenGuard,
): CallRunner {
  const layers: readonly CallLayer[] = [
    withCallDeadline(clock),
    withRetries({ clock, random, credentials }),
    withGuard(() => guardOf(credentials.token())),
    withFence(fence, clock),
    withAttemptDeadline(clock),
    withMetrics(metrics, clock),
  ];
  return stack(layers, direct);
}

/** Layers 5 and 6. */
function withGuard(guard: () => TokenGuard): CallLayer {
  return (next) => (call, send) => {
    const { breaker, limiter } = guard();
    return stack([withCircuitBreaker(breaker), withRateLimit(limiter)], next)(call, send);
  };
}

/** The first layer is the outermost. */
export function stack(layers: readonly CallLayer[], innermost: CallRunner): CallRunner {
  return layers.reduceRight((next, layer) => layer(next), innermost);
}

/** Layers 1 and 2. */
export function withMutationLayers(set: ProviderSet, { audit, dryRun }: StackOptions): ProviderSet {
  const layers: readonly MutationLayer[] = [...(dryRun ? [withDryRun] : []), withAudit(audit)];
  return {
    ...set,
    ...(set.addresses && { addresses: layers.reduce(aroundAddresses, set.addresses) }),
    ...(set.dns && { dns: layers.reduce(aroundDns, set.dns) }),
    ...(set.firewalls && { firewalls: layers.reduce(aroundFirewalls, set.firewalls) }),
  };
}
