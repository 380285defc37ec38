/** Cloudflare's provider behind all layers, in front of the simulator. */

import { canonicalIp } from "cdk8s-flipop/api";
import {
  type CloudflareSimulator,
  type CloudflareSimulatorOptions,
  DEFAULT_TOKEN,
  startCloudflareSimulator,
} from "flipop-sandbox/cloudflare";
import { EVERY_FAULT } from "flipop-sandbox/http";
import { AnswerCheck } from "flipop-sandbox/testing/answer-check";
import { checkBatchRequest, checkCloudflareAnswer, checkReadRequest } from "flipop-sandbox/testing/cloudflare-openapi";
import { cloudflare } from "../../../src/providers/cloudflare/index.js";
import { startProviderStack } from "../../support/cloud/provider-stack.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import type { DnsBench, FaultBench } from "../conformance/benches.js";
import { drive } from "../conformance/drive.js";
import { BATCH_OPERATION, CLOUDFLARE_OPERATIONS } from "./operations.js";

const ZONE = "example.com";
/** Longer than the circuit rests and stale reads last. */
const HEALED_MS = 120_000;

export interface CloudflareBench extends DnsBench, FaultBench {
  readonly simulator: CloudflareSimulator;
  readonly clock: FakeClock;
}

export async function startDnsBench(options: CloudflareSimulatorOptions = {}): Promise<CloudflareBench> {
  const clock = new FakeClock();
  const answers = new AnswerCheck(checkCloudflareAnswer);
  const simulator = await startCloudflareSimulator({ clock, onAnswer: answers.listen, ...options });
  const stack = startProviderStack({ kind: cloudflare, clock, baseUrl: simulator.url, token: DEFAULT_TOKEN });
  const { set } = stack;
  if (set.dns === undefined) throw new Error("Cloudflare has DNS");
  return {
    ...handOn(simulator, clock),
    ...stack,
    simulator,
    clock,
    provider: set.dns,
    close: async () => {
      await set.close();
      await simulator.close();
      const [bug] = simulator.bugs;
      if (bug !== undefined) throw bug;
      for (const { body } of simulator.journal.calls({ on: BATCH_OPERATION })) checkBatchRequest(body);
      for (const entry of simulator.journal.calls({ mutating: false })) checkReadRequest(entry);
      CLOUDFLARE_OPERATIONS.indexResource(simulator.journal.entries);
      answers.done();
    },
  };
}

/** The hand on the simulated account and its time. */
function handOn(simulator: CloudflareSimulator, clock: FakeClock) {
  const full = (name: string) => (name === "@" ? ZONE : `${name}.${ZONE}`);
  return {
    zone: ZONE,
    calls: () => simulator.journal.count(),
    drive: <T>(work: Promise<T>) => drive(clock, () => simulator.journal.mark, work),
    pass: (ms: number) => clock.advance(ms),
    now: () => clock.now(),
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
    addRecord: (name: string, type: "A" | "AAAA" | "CNAME" | "NS", content: string, ttl: number) =>
      void simulator.addRecord(ZONE, { type, name, content, ttl }),
    records: (name: string, type: "A" | "AAAA") =>
      simulator
        .records(ZONE, full(name))
        .filter((record) => record.type === type)
        .map(({ content, ttl }) => `${canonicalIp(content)} ${ttl}`)
        .sort(),
  };
}
