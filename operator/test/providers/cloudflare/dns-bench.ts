/** Cloudflare's provider behind all layers, in front of the simulator. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AuditRecord } from "../../../src/providers/audit.js";
import { cloudflare } from "../../../src/providers/cloudflare/index.js";
import { callStack, type ProviderSet, type StackOptions, withMutationLayers } from "../../../src/providers/compose.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import { Redactor } from "../../../src/redactor.js";
import { LeaseFence } from "../../../src/runtime/fence.js";
import {
  type CloudflareSimulator,
  type CloudflareSimulatorOptions,
  DEFAULT_TOKEN,
  startCloudflareSimulator,
} from "../../../src/sandbox/cloudflare/index.js";
import { EVERY_FAULT } from "../../../src/sandbox/http/fault.js";
import { checkBatchRequest } from "../../support/cloudflare-openapi.js";
import { BATCH } from "../../support/cloudflare-rig.js";
import { FakeClock } from "../../support/fake-clock.js";
import { seededRandom } from "../../support/seeded-random.js";
import type { DnsBench, FaultBench } from "../conformance/benches.js";
import { drive } from "../conformance/drive.js";

const ZONE = "example.com";
/** Long enough for whatever a test does. */
const LEASE_MS = 24 * 3_600_000;
/** Longer than the circuit rests and stale reads last. */
const HEALED_MS = 120_000;

export interface CloudflareBench extends DnsBench, FaultBench {
  readonly simulator: CloudflareSimulator;
  readonly clock: FakeClock;
}

export async function startDnsBench(options: CloudflareSimulatorOptions = {}): Promise<CloudflareBench> {
  const clock = new FakeClock();
  const simulator = await startCloudflareSimulator({ clock, ...options });
  const fence = new LeaseFence(clock);
  fence.extendTo(clock.monotonic() + LEASE_MS);
  const audit: AuditRecord[] = [];
  let look = () => {};
  const metrics = { calls: { inc: () => look() }, callSeconds: { observe: () => undefined } };
  const sink = (record: AuditRecord) => void audit.push(record);
  const set = buildSet(simulator, { clock, random: seededRandom(1), metrics, fence, audit: sink, dryRun: false });
  if (set.dns === undefined) throw new Error("Cloudflare has DNS");
  return {
    ...handOn(simulator, clock),
    simulator,
    clock,
    audit,
    provider: set.dns,
    loseLease: () => fence.shut(),
    afterEach: (callback) => {
      look = callback;
    },
    close: async () => {
      await set.close();
      await simulator.close();
      const [bug] = simulator.bugs;
      if (bug !== undefined) throw bug;
      for (const { body } of simulator.journal.calls({ on: BATCH })) checkBatchRequest(body);
    },
  };
}

function buildSet(simulator: CloudflareSimulator, stack: StackOptions): ProviderSet {
  const credentials = fixedToken(DEFAULT_TOKEN, new Redactor());
  const run = callStack(stack, cloudflare.rateLimits, () => credentials.renew());
  const now = () => stack.clock.now();
  const setup = { credentials, run, baseUrl: simulator.url, userAgent: "flipop-test", env: {}, now };
  return withMutationLayers(cloudflare.build(setup), stack);
}

/** The hand on the simulated account and its time. */
function handOn(simulator: CloudflareSimulator, clock: FakeClock) {
  const full = (name: string) => (name === "@" ? ZONE : `${name}.${ZONE}`);
  return {
    zone: ZONE,
    calls: () => simulator.journal.count(),
    drive: <T>(work: Promise<T>) => drive(clock, () => simulator.journal.mark, work),
    pass: (ms: number) => clock.advance(ms),
    revokeToken: () => simulator.tokens.revoke(DEFAULT_TOKEN),
    inject: (name: string, nth: number) => {
      const fault = EVERY_FAULT[name];
      if (fault === undefined) throw new Error(`there is no fault "${name}"`);
      simulator.faults.inject(fault, { nth });
    },
    heal: async () => {
      simulator.faults.clear();
      simulator.tokens.add({ name: "sandbox", secret: DEFAULT_TOKEN });
      await clock.advance(HEALED_MS);
    },
    addRecord: (name: string, type: "A" | "AAAA" | "CNAME", content: string, ttl: number) =>
      void simulator.addRecord(ZONE, { type, name, content, ttl }),
    records: (name: string, type: "A" | "AAAA") =>
      simulator
        .records(ZONE, full(name))
        .filter((record) => record.type === type)
        .map(({ content, ttl }) => `${canonicalIp(content)} ${ttl}`)
        .sort(),
  };
}
