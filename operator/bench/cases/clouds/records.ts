import { planRecordChanges } from "../../../src/providers/diff.js";
import { startDnsBench as startCloudflare } from "../../../test/providers/cloudflare/dns-bench.js";
import { ASKER, type DnsBench } from "../../../test/providers/conformance/benches.js";
import { startDnsBench as startDigitalOcean } from "../../../test/providers/digitalocean/dns-bench.js";
import type { Case } from "../../bench.js";
import type { Row } from "../../table.js";

/** Records that are replaced by as many others. */
const CHANGED = { digitalocean: 30, cloudflare: 500 } as const;
const KEPT = 10;
/** Of somebody else, in the same zone. */
const FOREIGN = 400;
const BATCH = 200;
const TTL = 120;
const BATCH_ROUTE = "POST /zones/{zone_id}/dns_records/batch";

/** Virtual clock, simulated clouds: what a change of a record set costs, and what the world sees meanwhile. */
export const recordsCase: Case = {
  name: "records",
  about: "a change of a record set at both clouds",
  run: async () => [...(await digitalOceanRows()), ...(await cloudflareRows())],
};

async function digitalOceanRows(): Promise<readonly Row[]> {
  const bench = await startDigitalOcean();
  const { calls, bad } = await change(bench, CHANGED.digitalocean);
  await bench.close();
  const name = `DigitalOcean: ${CHANGED.digitalocean} of ${CHANGED.digitalocean + KEPT} records replaced`;
  return [
    { case: name, figure: "calls, the read included", ours: [calls], target: CHANGED.digitalocean + 1 },
    { case: name, figure: "states that are empty or contain a foreign address", ours: [bad], target: 0 },
  ];
}

async function cloudflareRows(): Promise<readonly Row[]> {
  const bench = await startCloudflare();
  const { calls, bad } = await change(bench, CHANGED.cloudflare);
  const batches = bench.simulator.journal.count({ on: BATCH_ROUTE });
  await bench.close();
  const name = `Cloudflare: ${CHANGED.cloudflare} of ${CHANGED.cloudflare + KEPT} records replaced`;
  return [
    { case: name, figure: "batches", ours: [batches], target: Math.ceil(CHANGED.cloudflare / BATCH) },
    { case: name, figure: "calls, the reads included", ours: [calls] },
    { case: name, figure: "states that are empty or contain a foreign address", ours: [bad], target: 0 },
  ];
}

/** @returns requests, and how many states after one of them are wrong. */
async function change(bench: DnsBench, changed: number): Promise<{ readonly calls: number; readonly bad: number }> {
  const [kept, before, after] = [values(0, KEPT), values(1, changed), values(3, changed)];
  for (const value of [...kept, ...before]) bench.addRecord("www", "A", value, TTL);
  for (let index = 0; index < FOREIGN; index++) bench.addRecord(`foreign-${index}`, "A", "192.0.2.1", TTL);
  const known = new Set([...kept, ...before, ...after]);
  let bad = 0;
  bench.afterEach(() => {
    const shown = bench.records("www", "A").map((record) => record.split(" ")[0] ?? "");
    if (shown.length === 0 || shown.some((value) => !known.has(value))) bad++;
  });
  const from = bench.calls();
  const { provider, zone } = bench;
  const set = await bench.drive(provider.read(ASKER, { zone, name: "www", types: ["A"] }));
  const changes = planRecordChanges(set, { values: [...kept, ...after], ttl: TTL });
  await bench.drive(provider.apply(ASKER, changes));
  const calls = bench.calls() - from;
  const wanted = [...kept, ...after].map((value) => `${value} ${TTL}`).sort();
  if (`${bench.records("www", "A")}` !== `${wanted}`) throw new Error("the record set is not as wished");
  return { calls, bad };
}

/** Addresses of a block of their own. */
function values(block: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `10.${block}.${index >> 8}.${index & 255}`);
}
