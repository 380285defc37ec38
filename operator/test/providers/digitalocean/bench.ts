/** DigitalOcean's provider behind all layers, in front of the simulator. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AuditRecord } from "../../../src/providers/audit.js";
import { callStack, type ProviderSet, type StackOptions, withMutationLayers } from "../../../src/providers/compose.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import { digitalOcean } from "../../../src/providers/digitalocean/index.js";
import type { IpFamily, ProviderId } from "../../../src/providers/types.js";
import { Redactor } from "../../../src/redactor.js";
import { LeaseFence } from "../../../src/runtime/fence.js";
import {
  type DigitalOceanSimulator,
  type DigitalOceanSimulatorOptions,
  startDigitalOceanSimulator,
} from "../../../src/sandbox/digitalocean/simulator.js";
import { digitalOceanOpenApi } from "../../support/digitalocean-openapi.js";
import { FakeClock } from "../../support/fake-clock.js";
import { seededRandom } from "../../support/seeded-random.js";
import type { Bench } from "../conformance/benches.js";
import { drive } from "../conformance/drive.js";

/** Long enough for whatever a test does. */
const LEASE_MS = 24 * 3_600_000;

export interface DigitalOceanBench extends Bench {
  readonly simulator: DigitalOceanSimulator;
  readonly clock: FakeClock;
  readonly set: ProviderSet;
  addNode(region?: string): ProviderId;
  removeNode(node: ProviderId): void;
  addAddress(family: IpFamily, holder?: ProviderId): string;
  /** Called after each request. */
  afterEach(look: () => void): void;
  /** Requests are not checked against the description: for faults that change them. */
  unchecked(): void;
}

export interface BenchOptions extends DigitalOceanSimulatorOptions {
  /** @default false */
  readonly dryRun?: boolean;
}

export async function startBench(options: BenchOptions = {}): Promise<DigitalOceanBench> {
  const clock = new FakeClock();
  const roomy = { reservedIpLimit: 10_000, reservedIpv6Limit: 10_000, dropletLimit: 10_000 };
  const simulator = await startDigitalOceanSimulator({ clock, account: roomy, ...options });
  const fence = new LeaseFence(clock);
  fence.extendTo(clock.monotonic() + LEASE_MS);
  const audit: AuditRecord[] = [];
  let look = () => {};
  const metrics = { calls: { inc: () => look() }, callSeconds: { observe: () => undefined } };
  const random = seededRandom(1);
  const sink = (record: AuditRecord) => void audit.push(record);
  const stack: StackOptions = { clock, random, metrics, fence, audit: sink, dryRun: options.dryRun ?? false };
  const set = buildSet(simulator, stack, clock);
  const control = controlOf(simulator);
  return {
    ...control,
    simulator,
    clock,
    set,
    audit,
    drive: (work) => drive(clock, () => simulator.journal.mark, work),
    pass: (ms) => clock.advance(ms),
    loseLease: () => fence.shut(),
    afterEach: (callback) => {
      look = callback;
    },
    close: async () => {
      await set.close();
      await simulator.close();
      const [bug] = simulator.bugs;
      if (bug !== undefined) throw bug;
      control.check();
    },
  };
}

function buildSet(simulator: DigitalOceanSimulator, stack: StackOptions, clock: FakeClock): ProviderSet {
  const credentials = fixedToken(simulator.token, new Redactor());
  const run = callStack(stack, digitalOcean.rateLimits, () => credentials.renew());
  const now = () => clock.now();
  const setup = { credentials, run, baseUrl: simulator.url, userAgent: "flipop-test", env: {}, now };
  return withMutationLayers(digitalOcean.build(setup), stack);
}

/** The hand on the simulated account. */
function controlOf(simulator: DigitalOceanSimulator) {
  const { state, journal, tokens } = simulator;
  const dropletOf = (node: ProviderId) => Number(node.replace("digitalocean://", ""));
  let checked = true;
  return {
    calls: () => journal.count(),
    addNode: (region?: string) => `digitalocean://${state.addDroplet(region === undefined ? {} : { region }).id}`,
    removeNode: (node: ProviderId) => state.deleteDroplet(dropletOf(node)),
    addAddress: (family: IpFamily, holder?: ProviderId) => {
      const held = holder === undefined ? {} : { dropletId: dropletOf(holder) };
      return canonicalIp(state.addAddress({ family: family === "IPv4" ? "ipv4" : "ipv6", ...held }).ip);
    },
    revokeToken: () => tokens.revoke(simulator.token),
    unchecked: () => {
      checked = false;
    },
    /** Every request that reached the simulator is one that the official description allows. */
    check: () => {
      if (!checked) return;
      for (const { method, path, query, body } of journal.entries) {
        const search = query.size === 0 ? "" : `?${query.toString()}`;
        digitalOceanOpenApi()?.checkRequest({ method, path: `${path}${search}`, body });
      }
    },
  };
}
