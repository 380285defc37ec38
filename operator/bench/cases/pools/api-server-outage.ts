import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "flipop-testbed";
import { ROUTES } from "../../../test/e2e/support/clouds.js";
import type { Machine } from "../../../test/e2e/support/fleet.js";
import { spareOne } from "../../../test/e2e/support/spare.js";
import type { World } from "../../../test/e2e/support/world.js";
import type { Case } from "../../bench.js";
import { followCalls, inWorld, onPlane, QUIET } from "../../in-world.js";

/** Before the server is started again, which takes it a second or more: 5 s in all. */
const AWAY_MS = 3_900;
const RETRY_MS = 20;
const RUNS = 5;
/** A busy machine may start the server more slowly than the usual Lease allows, and then the operator ends, as it must. */
const PATIENT = ["--leader-elect-lease-duration=60", "--leader-elect-renew-deadline=50"];

interface Outage {
  readonly outage: number;
  readonly toAssign: number;
}

/** The API server is away while a holder fails: how long after its return the address goes elsewhere. Seconds. */
export const outageCase: Case = {
  name: "outage",
  about: "the API server is away while a holder fails",
  run: () =>
    onPlane(async (plane) => {
      // A server that has just started knows no roles for a moment.
      const seen = await inWorld(plane, { mayBeRefused: true }, (world) => outages(plane, world));
      const name = `API server away, a holder fails, ${RUNS} runs`;
      return [
        {
          case: name,
          figure: "its return to assign call, s",
          ours: seen.map(({ toAssign }) => toAssign),
          target: 5,
          go: 5.3,
        },
        { case: name, figure: "outage, s", ours: seen.map(({ outage }) => outage) },
      ];
    }),
};

async function outages(plane: ControlPlane, world: World): Promise<readonly Outage[]> {
  await world.fleet.addAll(["a", "b", "c"]);
  const ip = spareOne(world);
  const pool = await world.pool("web", { ips: [ip] });
  await world.start([...QUIET, ...PATIENT]);
  const seen: Outage[] = [];
  for (let run = 0; run < RUNS; run++) {
    await pool.is("Fulfilled", "True");
    seen.push(await outage(plane, world, ip));
  }
  return seen;
}

async function outage({ apiserver }: ControlPlane, world: World, ip: string): Promise<Outage> {
  const holder = world.fleet.holderOf(ip);
  if (holder === undefined) throw new Error(`no node holds ${ip}`);
  const calls = followCalls(world);
  const gone = performance.now();
  await apiserver.kill();
  await sleep(AWAY_MS);
  const starting = apiserver.start();
  const returned = await failAtOnce(holder);
  await starting;
  await world.until(`${ip} to move`, () => ![undefined, holder].includes(world.fleet.holderOf(ip)));
  const assigned = calls.first(ROUTES.act) ?? Number.POSITIVE_INFINITY;
  calls.close();
  await holder.node.setReady(true);
  return { outage: (returned - gone) / 1000, toAssign: (assigned - returned) / 1000 };
}

/** The first write that the server takes again. Resolves to when that was, performance.now(). */
async function failAtOnce({ node }: Machine): Promise<number> {
  for (;;) {
    const taken = await node.setReady(false).then(
      () => true,
      () => false,
    );
    if (taken) return performance.now();
    await sleep(RETRY_MS);
  }
}
