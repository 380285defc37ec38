/** A simulated Cloudflare on a clock that stands still, and our provider in front of it. */

import { type CloudflareSimulatorOptions, DEFAULT_TOKEN } from "flipop-sandbox/cloudflare";
import {
  type CloudflareRig as SimulatorRig,
  startCloudflareRig as startSimulatorRig,
} from "flipop-sandbox/testing/cloudflare-rig";
import type { CallContext, CallRunner } from "../../../src/providers/call.js";
import { cloudflare } from "../../../src/providers/cloudflare/index.js";
import { stack } from "../../../src/providers/layers/compose.js";
import { direct, withAttemptDeadline } from "../../../src/providers/layers/deadlines-and-retries.js";
import type { DnsProvider } from "../../../src/providers/types.js";

export { BATCH, LIST } from "flipop-sandbox/testing/cloudflare-rig";

export interface ProviderOptions {
  /** Read for each call. @default DEFAULT_TOKEN */
  readonly token?: () => string;
  /** @default the simulator's */
  readonly baseUrl?: string;
  /** @default direct, with the deadline of an attempt on the rig's clock */
  readonly run?: CallRunner;
}

export interface CloudflareRig extends SimulatorRig {
  /** A new provider: nothing is known to it yet. */
  provider(options?: ProviderOptions): DnsProvider;
}

export const context: CallContext = {
  requester: { kind: "FloatingIPPool", namespace: "default", name: "web" },
  why: "a test",
  priority: "assignment",
};

export async function startCloudflareRig(options: CloudflareSimulatorOptions = {}): Promise<CloudflareRig> {
  const rig = await startSimulatorRig(options);
  const { clock, simulator } = rig;
  const closers: (() => Promise<void>)[] = [];
  const own = stack([withAttemptDeadline(clock)], direct);
  return {
    ...rig,
    provider: ({ token = () => DEFAULT_TOKEN, baseUrl = simulator.url, run = own } = {}) => {
      const credentials = { token, renew: () => undefined, place: () => "" };
      const [now, monotonic] = [() => clock.now(), () => clock.monotonic()];
      const { dns, close } = cloudflare.build({
        credentials,
        run,
        baseUrl,
        userAgent: "flipop-test",
        env: {},
        now,
        monotonic,
      });
      closers.push(close);
      if (dns === undefined) throw new Error("Cloudflare offers DNS");
      return dns;
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await rig.close();
    },
  };
}

/** What rejects, as it rejected. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}
