import { expect } from "chai";
import { describe, it } from "mocha";
import { Inventories } from "../../src/inventory/inventories.js";
import { digitalOcean } from "../../src/providers/digitalocean/index.js";
import { LIST_MAX_AGE_SECONDS } from "../../src/timings.js";
import { ASKER, closing } from "../providers/conformance/benches.js";
import { startAddressBench } from "../providers/digitalocean/address-bench.js";
import { startProviderStack } from "../support/cloud/provider-stack.js";

const POOLS = 50;
const ADDRESSES_OF_POOL = 4;
const HOUR_SECONDS = 3_600;
const RUN_SECONDS = 20;
const LISTS = HOUR_SECONDS / LIST_MAX_AGE_SECONDS;

describe("an idle hour", () => {
  const start = closing(startAddressBench);

  /** Another token of the same account, behind layers of its own: an issuer's. */
  async function startWithTwoTokens() {
    const bench = await start();
    const { simulator, clock } = bench;
    simulator.tokens.add({ name: "issuer", secret: "dop_v1_issuer" });
    const second = startProviderStack({
      kind: digitalOcean,
      clock,
      baseUrl: simulator.url,
      token: "dop_v1_issuer",
    });
    const issued = second.set.addresses;
    if (issued === undefined) throw new Error("DigitalOcean has addresses");
    return { bench, providers: [bench.provider, issued] as const, close: () => second.set.close() };
  }

  it("costs one list for each account and family in 5 min, however many pools, addresses and tokens there are", async function () {
    this.timeout(120_000);
    const { bench, providers, close } = await startWithTwoTokens();
    const inventories = new Inventories(bench.clock);
    const pools = Array.from({ length: POOLS }, (_, index) => {
      const family = index % 2 === 0 ? ("IPv4" as const) : ("IPv6" as const);
      const ips = Array.from({ length: ADDRESSES_OF_POOL }, () => bench.addAddress(family, bench.addNode()));
      const resource = { kind: "FloatingIPPool", namespace: "apps", name: `pool-${index}`, uid: `${index}` };
      return { family, ips, resource, provider: providers[index % 3 === 0 ? 1 : 0] };
    });
    const runs = async () => {
      await Promise.all(
        pools.map(async ({ provider, family, ips, resource }) => {
          const inventory = await inventories.for(ASKER, provider, family);
          inventory.want(resource, ips);
          await inventory.ensure({ maxAgeSeconds: LIST_MAX_AGE_SECONDS });
          expect(inventory.view().get(ips[0] ?? "")?.holder).to.be.a("string");
        }),
      );
    };

    for (let second = 0; second < HOUR_SECONDS; second += RUN_SECONDS) {
      await bench.drive(runs());
      await bench.pass(RUN_SECONDS * 1000);
    }
    await close();

    expect(Object.fromEntries(bench.simulator.journal.countByRoute())).to.deep.equal({
      // One for each token.
      "GET /v2/account": 2,
      "GET /v2/reserved_ips": LISTS,
      "GET /v2/reserved_ipv6": LISTS,
      // Whether the token may see who holds an IPv6 address, once.
      "GET /v2/droplets": 1,
    });
  });
});
