/** DigitalOcean's provider behind all layers, in front of the simulator. */

import { canonicalIp } from "cdk8s-flipop/api";
import {
  type DigitalOceanSimulator,
  type DigitalOceanSimulatorOptions,
  startDigitalOceanSimulator,
} from "flipop-sandbox/digitalocean";
import { AnswerCheck } from "flipop-sandbox/testing/answer-check";
import { checkJournalRequests, digitalOceanOpenApi } from "flipop-sandbox/testing/digitalocean-openapi";
import { digitalOcean } from "../../../src/providers/digitalocean/index.js";
import type { ProviderSet } from "../../../src/providers/layers/compose.js";
import type { IpFamily, ProviderId } from "../../../src/providers/types.js";
import { startProviderStack } from "../../support/cloud/provider-stack.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import type { Bench } from "../conformance/benches.js";
import { drive } from "../conformance/drive.js";
import { DIGITALOCEAN_OPERATIONS } from "./operations.js";

export interface DigitalOceanBench extends Bench {
  readonly simulator: DigitalOceanSimulator;
  readonly clock: FakeClock;
  readonly set: ProviderSet;
  addNode(region?: string): ProviderId;
  removeNode(node: ProviderId): void;
  addAddress(family: IpFamily, holder?: ProviderId): string;
  /** Called after each request. */
  afterEach(evaluate: () => void): void;
}

export interface BenchOptions extends DigitalOceanSimulatorOptions {
  /** @default false */
  readonly dryRun?: boolean;
}

export async function startBench(options: BenchOptions = {}): Promise<DigitalOceanBench> {
  const { dryRun = false, ...simulated } = options;
  const clock = new FakeClock();
  const roomy = { reservedIpLimit: 10_000, reservedIpv6Limit: 10_000, dropletLimit: 10_000 };
  const answers = new AnswerCheck((request, answer) => digitalOceanOpenApi()?.checkAnswer(request, answer));
  const { listen: onAnswer } = answers;
  const simulator = await startDigitalOceanSimulator({ clock, account: roomy, onAnswer, ...simulated });
  const { url: baseUrl, token } = simulator;
  const { set, ...stack } = startProviderStack({ kind: digitalOcean, clock, baseUrl, token, dryRun });
  return {
    ...controlOf(simulator),
    ...stack,
    simulator,
    clock,
    set,
    drive: (work) => drive(clock, () => simulator.journal.mark, work),
    pass: (ms) => clock.advance(ms),
    now: () => clock.now(),
    close: async () => {
      await set.close();
      await simulator.close();
      const [bug] = simulator.bugs;
      if (bug !== undefined) throw bug;
      checkJournalRequests(simulator.journal);
      DIGITALOCEAN_OPERATIONS.indexResource(simulator.journal.entries);
      answers.done();
    },
  };
}

/** The hand on the simulated account. */
function controlOf(simulator: DigitalOceanSimulator) {
  const { state, journal, tokens } = simulator;
  const dropletOf = (node: ProviderId) => Number(node.replace("digitalocean://", ""));
  return {
    calls: () => journal.count(),
    addNode: (region?: string) => `digitalocean://${state.addDroplet(region === undefined ? {} : { region }).id}`,
    removeNode: (node: ProviderId) => state.deleteDroplet(dropletOf(node)),
    addAddress: (family: IpFamily, holder?: ProviderId) => {
      const held = holder === undefined ? {} : { dropletId: dropletOf(holder) };
      return canonicalIp(state.addAddress({ family: family === "IPv4" ? "ipv4" : "ipv6", ...held }).ip);
    },
    revokeToken: () => tokens.revoke(simulator.token),
  };
}
