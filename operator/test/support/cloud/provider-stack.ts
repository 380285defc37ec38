/** A provider behind all layers, on a test's clock: the part that every bench shares. */

import { Redactor } from "../../../src/logging.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import { TokenGuards } from "../../../src/providers/layers/circuit-breaker.js";
import {
  callStack,
  type ProviderSet,
  type StackOptions,
  withMutationLayers,
} from "../../../src/providers/layers/compose.js";
import type { AuditRecord } from "../../../src/providers/layers/mutations.js";
import type { ProviderKind } from "../../../src/providers/registry.js";
import { LeaseFence } from "../../../src/runtime/fence.js";
import { seededRandom } from "../seeded-random.js";
import type { FakeClock } from "../time/fake-clock.js";

/** Long enough for whatever a test does. */
const LEASE_MS = 24 * 3_600_000;

export interface ProviderStackOptions {
  readonly kind: ProviderKind;
  readonly clock: FakeClock;
  /** Of the cloud that stands in. */
  readonly baseUrl: string;
  readonly token: string;
  /** @default false */
  readonly dryRun?: boolean;
}

export interface ProviderStack {
  readonly set: ProviderSet;
  readonly audit: readonly AuditRecord[];
  /** From now on: no lease. */
  loseLease(): void;
  /** Called after each request. */
  afterEach(evaluate: () => void): void;
}

/** Of calls: nothing is counted. */
export const NO_METRICS = {
  calls: { inc: () => undefined },
  callSeconds: { observe: () => undefined },
  callWaitSeconds: { observe: () => undefined },
};

export function startProviderStack(options: ProviderStackOptions): ProviderStack {
  const { kind, clock, baseUrl, token, dryRun = false } = options;
  const fence = new LeaseFence(clock);
  fence.extendTo(clock.monotonic() + LEASE_MS);
  const records: AuditRecord[] = [];
  let evaluate = () => {};
  const metrics = { ...NO_METRICS, calls: { inc: () => evaluate() } };
  const audit = (record: AuditRecord) => void records.push(record);
  const redactor = new Redactor();
  const stack: StackOptions = { clock, random: seededRandom(1), metrics, fence, audit, dryRun, redactor };
  const credentials = fixedToken(token, redactor);
  const guards = new TokenGuards(stack);
  const run = callStack(stack, credentials, (used) => guards.of(kind, used));
  const now = () => clock.now();
  const set = kind.build({
    credentials,
    run,
    baseUrl,
    userAgent: "flipop-test",
    env: {},
    now,
    monotonic: () => clock.monotonic(),
  });
  return {
    set: withMutationLayers(set, stack),
    audit: records,
    loseLease: () => fence.shut(),
    afterEach: (callback) => {
      evaluate = callback;
    },
  };
}
