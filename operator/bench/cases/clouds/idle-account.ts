import { type FloatingIPPoolSpec, GROUP_VERSION } from "cdk8s-flipop/api";
import type { JournalEntry } from "flipop-sandbox/http";
import { inWorld, type World } from "../../../test/operator/world.js";
import type { Case } from "../../bench.js";
import type { Row } from "../../table.js";

const POOLS = 20;
const NODES = 45;
const ADDRESSES_OF_POOL = 2;
const ZONE = "example.com";
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const LIST_MINUTES = 5;
/** Each set is read somewhat more often than --drift-interval says. */
const READS_AN_HOUR = 7;
const LISTS = { IPv4: "GET /v2/reserved_ips", IPv6: "GET /v2/reserved_ipv6" } as const;
const RECORDS = "GET /v2/domains/{domain_name}/records";
const NAME = `${POOLS} pools of both families with DNS, ${POOLS / 2} NodeDNSRecordSets, an idle hour`;

/** On a virtual clock: what an account is asked while nothing happens, however many resources there are. */
export const accountCase: Case = {
  name: "account",
  about: "what an account is asked in an idle hour, DNS included",
  run: () => inWorld({ perMinute: 250 }, idleHour),
};

async function idleHour(world: World): Promise<readonly Row[]> {
  fill(world);
  world.start();
  const pools = Array.from({ length: POOLS }, (_, index) => `pool-${index}`);
  for (const name of pools) await world.fulfilled(name);
  await world.until("all records", () => pools.every((name) => world.condition(name, "DNSReady")?.status === "True"));
  await world.rest();
  // Until the status forgets what went wrong at the start.
  await world.clock.sleep(HOUR_MINUTES * MINUTE_MS);
  const { journal } = world.digitalocean;
  const [after, revision] = [journal.mark, world.kubernetes.revision];
  await world.clock.sleep(HOUR_MINUTES * MINUTE_MS);
  const reads = journal.calls({ after, on: RECORDS });
  const each = [...countBy(reads, ({ query }) => `${query.get("name")} ${query.get("type")}`).values()];
  const lists = Object.entries(LISTS).map(([family, on]): Row => {
    const ours = [journal.count({ after, on })];
    return { case: NAME, figure: `lists of ${family} addresses`, ours, target: HOUR_MINUTES / LIST_MINUTES };
  });
  return [
    ...lists,
    { case: NAME, figure: "reads of a record set, each", ours: each, target: READS_AN_HOUR },
    { case: NAME, figure: "reads of a whole zone", ours: [reads.filter(isWhole).length], target: 0 },
    { case: NAME, figure: "all calls", ours: [journal.count({ after })] },
    { case: NAME, figure: "writes to the API server", ours: [world.kubernetes.revision - revision], target: 0 },
  ];
}

function fill(world: World): void {
  for (let node = 0; node < NODES; node++) world.addNode(`node-${node}`);
  for (let index = 0; index < POOLS; index++) {
    const dnsRecordSet = { zone: ZONE, recordName: `pool-${index}` };
    world.addPool(`pool-${index}`, { ...addresses(world, index), dnsRecordSet });
  }
  for (let index = 0; index < POOLS / 2; index++) {
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: `nodes-${index}`, namespace: "default" },
      spec: {
        match: { nodeLabel: "kubernetes.io/hostname=node-1" },
        dnsRecordSet: { provider: "digitalocean", zone: ZONE, recordName: `nodes-${index}` },
      },
    });
  }
}

/** Of one family and the other in turn. */
function addresses({ digitalocean: { state } }: World, index: number): Partial<FloatingIPPoolSpec> {
  const family = index % 2 === 0 ? ("ipv4" as const) : ("ipv6" as const);
  return { ips: Array.from({ length: ADDRESSES_OF_POOL }, () => state.addAddress({ family }).ip) };
}

function isWhole({ query }: JournalEntry): boolean {
  return !query.has("name");
}

function countBy<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return counts;
}
