import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { ASKER } from "../../../test/providers/conformance/benches.js";
import { startAddressBench } from "../../../test/providers/digitalocean/address-bench.js";
import { runStorm, STORM } from "../../../test/providers/digitalocean/storm.js";
import { LARGE_SCENES, LargeAccount, type LargeScene } from "../../../test/support/cloud/large-account.js";
import type { Case } from "../../bench.js";
import type { Row } from "../../table.js";

const ADDRESSES = 5_000;
const PAGE = 200;
const PLAN_MS = 50;
/** Before that, the engine has not seen the code often enough to compile it. */
const WARM_UP = 10;
const RUNS = 20;

/** DigitalOcean's simulator on a virtual clock, at the real limits; and what a plan of a large account costs here. */
export const cloudsCase: Case = {
  name: "clouds",
  about: "5,000 addresses in one account; a storm of node changes at the real limits",
  run: async () => [...LARGE_SCENES.map(planRow), ...(await listingRows()), ...(await stormRows())],
};

/** The view of the inventory included, as in each run of a controller. */
function planRow(scene: LargeScene): Row {
  const account = new LargeAccount(ADDRESSES, scene);
  // Of this process, however busy the machine is with others.
  const run = () => {
    const begun = process.cpuUsage();
    plan(account.snapshot());
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
  for (let count = 0; count < WARM_UP; count++) run();
  return {
    case: `${ADDRESSES} addresses, ${scene}`,
    figure: "gather and plan, CPU ms, median",
    ours: Array.from({ length: RUNS }, run),
    by: "median",
    target: PLAN_MS,
  };
}

async function listingRows(): Promise<readonly Row[]> {
  const bench = await startAddressBench();
  try {
    // A list without any holder is compared with the machines, which takes another call.
    for (let count = 0; count < ADDRESSES; count++) bench.addAddress("IPv4", count === 0 ? bench.addNode() : undefined);
    const begun = performance.now();
    await bench.drive(bench.provider.list(ASKER, { family: "IPv4", named: [] }));
    const seconds = (performance.now() - begun) / 1000;
    const name = `${ADDRESSES} addresses, a listing`;
    return [
      { case: name, figure: "calls", ours: [bench.calls()], target: ADDRESSES / PAGE },
      { case: name, figure: "seconds, the simulator's included", ours: [seconds] },
    ];
  } finally {
    await bench.close();
  }
}

async function stormRows(): Promise<readonly Row[]> {
  const bench = await startAddressBench();
  try {
    const { calls, refused, seconds, checksAhead, astray } = await runStorm(bench);
    const name = `storm of ${STORM.moves} node changes, 250 calls/min`;
    return [
      { case: name, figure: "answers 429", ours: [refused], target: 0 },
      { case: name, figure: "addresses on a wrong node", ours: [astray], target: 0 },
      { case: name, figure: "checks before assignments", ours: [checksAhead], target: STORM.checks / 20 },
      { case: name, figure: "calls", ours: [calls] },
      { case: name, figure: "minutes on the virtual clock", ours: [seconds / 60] },
    ];
  } finally {
    await bench.close();
  }
}
