/** The wall clock is set while the operator runs: here in this process, whose clock can be set. */

import { expect } from "chai";
import { describe, it } from "mocha";
import { type Clock, systemClock } from "../../src/clock.js";
import { readSettings } from "../../src/config.js";
import { loadClusterConfig } from "../../src/kube/config/load-config.js";
import { Transport } from "../../src/kube/transport/transport.js";
import { silentLogger } from "../../src/logging.js";
import { createOperator } from "../../src/operator.js";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import { spare } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const DAY_MS = 24 * 3_600_000;

/** Real time, but for what the clock on the wall shows. */
class SettableClock implements Clock {
  offsetMs = 0;
  readonly monotonic = systemClock.monotonic;
  readonly sleep = systemClock.sleep;
  readonly setTimer = systemClock.setTimer;
  now(): number {
    return systemClock.now() + this.offsetMs;
  }
}

describe("clock jumps", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  for (const [name, first, second] of [
    ["back a day, then forward two", -DAY_MS, DAY_MS],
    ["forward a day, then back two", DAY_MS, -DAY_MS],
  ] as const) {
    it(`${name}: every address is served, the cool-off holds, nothing moves without need`, async () => {
      const world = await worlds.create();
      await world.fleet.addAll(["a", "b", "c", "d"]);
      const { faults, journal } = world.clouds.digitalocean;
      const ips = spare(world, 3);
      const dnsRecordSet = { zone: DOMAIN, recordName: "www" };
      const pool = await world.pool("web", { ips, dnsRecordSet, assignmentCoolOffSeconds: 2 });
      const clock = new SettableClock();
      const stop = new AbortController();
      const running = runHere(world, clock, stop.signal);
      await world.until("the first assignment", () => journal.count({ on: ROUTES.act }) === 1);
      clock.offsetMs = first;
      faults.inject({ kind: "status", status: 503 }, { on: ROUTES.act, times: 2 });
      await world.until("a failure", () => journal.count({ on: ROUTES.act, status: 503 }) === 1);
      clock.offsetMs = second;
      await pool.is("Fulfilled", "True");
      await pool.is("DNSReady", "True");
      const accepted = journal.calls({ on: ROUTES.act, status: 201 });
      expect(accepted.length).to.equal(3);
      const holder = world.fleet.holderOf(ips[0] ?? "");
      await holder?.node.setReady(false);
      await world.until("the move", () => ![undefined, holder].includes(world.fleet.holderOf(ips[0] ?? "")));
      expect(journal.count({ on: ROUTES.act, status: 201 })).to.equal(4);
      await world.until("all in the record set", () => world.clouds.published("www").join() === ips.join());
      stop.abort();
      expect(await running).to.equal(0);
    });
  }
});

/** The operator in this process, under the identity of the install. Resolves to its exit code. */
async function runHere(world: World, clock: Clock, stop: AbortSignal): Promise<number> {
  const config = loadClusterConfig({ kubeconfig: world.install.kubeconfig, env: {} });
  const transport = new Transport({ config, clock, env: {} });
  const flags = { namespace: world.install.namespace, "metrics-bind-addr": "", "health-bind-addr": "", resync: "1" };
  const settings = readSettings({ flags, env: {} });
  const operator = createOperator({ settings, transport, logger: silentLogger, env: world.clouds.env, clock });
  const code = await operator.run(stop);
  await transport.close();
  return code;
}
