import { ROUTES } from "../../../test/e2e/support/clouds.js";
import { spareOne } from "../../../test/e2e/support/spare.js";
import type { World } from "../../../test/e2e/support/world.js";
import type { Case } from "../../bench.js";
import { followCalls, inWorld, onPlane, QUIET } from "../../in-world.js";

/** Installs that live side by side: each kill takes as long as a Lease lasts. */
const WORLDS = 5;

/** The leader is killed and a holder fails with it: how long until the standby assigns. The Lease is the usual one. */
export const leaderCase: Case = {
  name: "leader",
  about: "the leader is killed while a holder fails",
  run: ({ options: { kills } }) =>
    onPlane(async (plane) => {
      const shares = Array.from({ length: WORLDS }, (_, index) => Math.floor((kills + index) / WORLDS));
      const seen = await Promise.all(
        shares.map((share) => inWorld(plane, { alone: true }, (world) => killings(world, share))),
      );
      const row = {
        case: `leader killed, a holder fails, ${kills} times`,
        figure: "kill to assign call, s, median",
        ...{ ours: seen.flat(), target: 17, go: 16.6 },
      };
      return [{ ...row, by: "median" }];
    }),
};

async function killings(world: World, kills: number): Promise<readonly number[]> {
  await world.fleet.addAll(["a", "b", "c"]);
  const ip = spareOne(world);
  const pool = await world.pool("web", { ips: [ip] });
  let leader = await world.start(QUIET);
  const seen: number[] = [];
  for (let run = 0; run < kills; run++) {
    await pool.is("Fulfilled", "True");
    const standby = await world.launch(QUIET);
    await standby.until("it to stand by", async () => (await standby.lines("standing by")).length > 0);
    const holder = world.fleet.holderOf(ip);
    const calls = followCalls(world);
    const killed = performance.now();
    await world.kill(leader);
    await holder?.node.setReady(false);
    await world.until(`${ip} to move`, () => ![undefined, holder].includes(world.fleet.holderOf(ip)));
    const assigned = calls.first(ROUTES.act) ?? Number.POSITIVE_INFINITY;
    calls.close();
    await holder?.node.setReady(true);
    seen.push((assigned - killed) / 1000);
    leader = standby;
  }
  return seen;
}
