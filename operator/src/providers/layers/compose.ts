/**
 * The stack around every provider, from the outside in.
 *
 * Around each mutation, however many requests it takes:
 * 1. audit       outermost, so that withheld mutations are on record too
 * 2. dry run     ends here when it is on
 *
 * Around each request:
 * 3. secrets     outermost, so that no error shows a token or a part of one
 * 4. deadline    of the whole call, waits included
 * 5. retries     each attempt passes all layers below again, also the check of the token's account
 * 6. breaker     before the limiter: a call that it refuses does not wait and uses no budget
 * 7. limiter     the last layer that waits, and checks whether the decision still holds; before it, the limit of the call's group
 * 8. fence       after all waiting, right before a write is sent
 * 9. deadline    of one attempt
 * 10. direct     sends, and turns unknown errors into errors that callers know
 * 11. metrics    wrap `send` itself, so that they count no waits
 */

import type { Random } from "../../async.js";
import type { Clock } from "../../clock.js";
import type { Redactor } from "../../logging.js";
import { failedCalls, type Remedy } from "../../messages/failed-calls.js";
import type { Fence } from "../../runtime/fence.js";
import { SECOND_MS } from "../../timings.js";
import type { ApiCall, CallLayer, CallPriority, CallRunner, Requester, Send } from "../call.js";
import type { Credentials } from "../credentials.js";
import { isProviderError, ProviderError, shortened, withProps } from "../errors.js";
import type { FirewallProvider } from "../firewall-types.js";
import type { AddressProvider, DnsProvider, IpFamily } from "../types.js";
import type { SameAccount } from "./account-guard.js";
import { type TokenGuard, withCircuitBreaker } from "./circuit-breaker.js";
import { direct, withAttemptDeadline, withCallDeadline, withFence, withRetries } from "./deadlines-and-retries.js";
import { type GroupTurn, withGroupLimits } from "./group-limits.js";
import { type LimitWait, withRateLimit } from "./limiter.js";
import {
  type AuditSink,
  aroundAddresses,
  aroundDns,
  aroundFirewalls,
  type MutationLayer,
  withAudit,
  withDryRun,
} from "./mutations.js";
import { formRemedy } from "./refused-token-remedy.js";

/** What is the same for all providers of a process. */
export interface StackOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: CallMetrics;
  readonly fence: Fence;
  readonly audit: AuditSink;
  /** Knows the tokens. */
  readonly redactor: Pick<Redactor, "scrub">;
  /** Change nothing. */
  readonly dryRun: boolean;
}

/** What a cloud offers through one token. A provider without one of them leaves it out. */
export interface ProviderSet {
  readonly addresses?: AddressProvider;
  readonly dns?: DnsProvider;
  readonly firewalls?: FirewallProvider;
  /** Absent: it has no limits. */
  readonly longWait?: (priority: CallPriority) => LimitWait | undefined;
  /** Of a resource that is about to create an address: the turn that it must wait for. @default it may create now */
  readonly creationTurn?: (family: IpFamily, requester: Requester) => GroupTurn | undefined;
  /** Ends its connections. */
  close(): Promise<void>;
}

/**
 * Layers 3 to 11. Tokens are rotated: each attempt counts towards the limits of the token that is in use when it begins. If
 * another token replaces it while the attempt waits, the client sends the new token.
 */
export function callStack(
  { clock, random, metrics, fence, redactor }: StackOptions,
  credentials: Credentials,
  guardOf: (token: string) => TokenGuard,
  account?: Pick<SameAccount, "layer">,
): CallRunner {
  const layers: readonly CallLayer[] = [
    withoutSecrets(redactor),
    withTokenPlace(credentials),
    withCallDeadline(clock),
    withRetries({ clock, random, credentials }),
    ...(account ? [account.layer] : []),
    withGuard(() => guardOf(credentials.token()), clock, metrics),
    withFence(fence, clock),
    withAttemptDeadline(clock),
    withMetrics(metrics, clock),
  ];
  return stack(layers, direct);
}

/** Layers 4, 8, 9, 10 and 11, for a provider whose client retries by itself. */
export function tokenlessStack({ clock, metrics, fence }: StackOptions): CallRunner {
  const layers = [withCallDeadline(clock), withFence(fence, clock), withAttemptDeadline(clock)];
  return stack([...layers, withMetrics(metrics, clock)], direct);
}

/** Errors become conditions and Events, which more people may read than the token: an API may repeat what it was sent. */
function withoutSecrets(redactor: Pick<Redactor, "scrub">): CallLayer {
  return (next) => async (call, send) => {
    try {
      return await next(call, send);
    } catch (error) {
      if (!isProviderError(error)) throw error;
      const seen = shortened(redactor.scrub(error.seen));
      if (seen === error.seen) throw error;
      throw new ProviderError({ ...error.props, seen, cause: undefined });
    }
  };
}

/** Only who replaces the token can help: the message says where the operator reads it. */
function withTokenPlace(credentials: Pick<Credentials, "place" | "token">): CallLayer {
  return (next) => async (call, send) => {
    try {
      return await next(call, send);
    } catch (error) {
      const place = credentials.place();
      if (place === "" || !isProviderError(error, "Unauthorized") || !isOfToken(error)) throw error;
      // It is the error of a call that this one has made first, such as the one for the account.
      if (error.props.placed === true) throw error;
      throw withProps(error, {
        placed: true,
        remedy: formRemedy(credentials.token(), place) ?? tokenRemedy(error, place),
      });
    }
  };
}

/** Only a token that the API does not know is likely to be a wrong one. */
function tokenRemedy({ remedy, reason }: ProviderError, place: string): Remedy {
  if (typeof remedy !== "string") return remedy;
  const isKnown = reason === "LacksRight" || reason === "MalformedToken";
  return isKnown ? failedCalls.tokenPlace(remedy, place) : failedCalls.checkToken(remedy, place);
}

/** Where there is no token, its error says where to put one. */
function isOfToken({ outcome, reason }: ProviderError): boolean {
  return outcome !== "not-sent" || reason === "MalformedToken";
}

/** Layers 6 and 7. */
function withGuard(guard: () => TokenGuard, clock: Clock, metrics: CallMetrics): CallLayer {
  const waited = waitsIn(metrics);
  return (next) => (call, send) => {
    const { breakers, groups, limiter } = guard();
    const breaker = breakers[call.context.priority].of(call);
    const layers = [withCircuitBreaker(breaker), withGroupLimits(groups), withRateLimit(limiter, clock, waited)];
    return stack(layers, next)(call, send);
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

type CallLabels = Readonly<Record<"provider" | "call", string>>;
type RequesterLabels = Readonly<Record<"kind" | "namespace" | "name", string>>;

/** The metrics of calls; FlipopMetrics has them. */
export interface CallMetrics {
  readonly calls: {
    inc(labels: CallLabels & RequesterLabels & { readonly outcome: "success" | "error" }, by?: number): void;
  };
  readonly callSeconds: { observe(labels: CallLabels, seconds: number): void };
  readonly callWaitSeconds: { observe(labels: Readonly<Record<"provider" | "class", string>>, seconds: number): void };
  readonly limitWait?: { readFrom(source: () => ReadonlyMap<string, number>): void };
}

/** How long calls of each work class wait for the account's limits before they are sent. */
function waitsIn(metrics: CallMetrics): (call: ApiCall, ms: number) => void {
  return ({ provider, context }, ms) => {
    metrics.callWaitSeconds.observe({ provider, class: context.priority }, ms / SECOND_MS);
  };
}

/**
 * The duration contains no waits for the limiter and between retries. Calls that end while they wait, or that have no token,
 * do not count. Calls for which no connection could be opened do.
 */
export function withMetrics(metrics: CallMetrics, clock: Pick<Clock, "monotonic">): CallLayer {
  return (next) => (call, send) => next(call, measured(call, send));

  function measured<T>(call: ApiCall, send: Send<T>): Send<T> {
    const { kind, namespace, name } = call.context.requester;
    const labels = { provider: call.provider, call: call.name };
    const requester = { kind, namespace, name };
    return async (attempt) => {
      const start = clock.monotonic();
      const count = (outcome: "success" | "error") => {
        metrics.calls.inc({ ...labels, ...requester, outcome });
        // The other outcome exists from the first call on, or the rate of errors would miss the first error.
        metrics.calls.inc({ ...labels, ...requester, outcome: outcome === "success" ? "error" : "success" }, 0);
        metrics.callSeconds.observe(labels, (clock.monotonic() - start) / SECOND_MS);
      };
      try {
        const answer = await send(attempt);
        count("success");
        return answer;
      } catch (error) {
        if (!lacksToken(error)) count("error");
        throw error;
      }
    };
  }
}

/** Only an API that was asked can refuse a token. */
function lacksToken(error: unknown): boolean {
  return isProviderError(error, "Unauthorized") && error.outcome === "not-sent";
}
