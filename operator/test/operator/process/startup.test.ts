import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { CLAIMS_WAIT_MS } from "../../../src/timings.js";
import { World } from "../world.js";

const FEATURES = { features: "pools,dns,routedip" };

interface Fault {
  readonly kind: "status";
  readonly code: number;
}

const BROKEN: Fault = { kind: "status", code: 500 };

describe("operator in process: the start", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
  });

  afterEach(() => world.close());

  /** The server fails at the lists and watches of this kind. */
  const withhold = (fault: Fault, plural: string) =>
    world.kubernetes.setFaults(({ path, method }) => {
      const found = method === "GET" && path.split("?")[0]?.endsWith(`/${plural}`) === true;
      return found ? fault : undefined;
    });

  it("moves the addresses of pools while RoutedIPs cannot be read, and says so in /readyz", async () => {
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    const first = world.start(FEATURES);
    await world.fulfilled("web");
    await first.stop();
    withhold(BROKEN, "routedips");
    const { operator } = world.start(FEATURES);
    const failing = world.status("web").ips?.[ip]?.nodeName ?? "";
    const before = world.holder(ip);
    world.setReady(failing, false);
    await world.until("it has moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    expect(operator.health.report("readyz").text).to.include("routedips");
  });

  it("gives no pool an address that a RoutedIP may have, until all RoutedIPs are read", async () => {
    world.addNode("node-1");
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    withhold(BROKEN, "routedips");
    world.start(FEATURES);
    await world.until("the lists have failed", () => world.logs.some((line) => line.includes('"failures":2')));
    expect(world.holder(ip)).to.equal(undefined);
    world.kubernetes.setFaults(undefined);
    await world.until("it is assigned", () => world.holder(ip) !== undefined);
  });

  describe("releases no address that a RoutedIP may list", () => {
    let ip: string;
    const exists = () => world.digitalocean.state.addresses().some((address) => address.ip === ip);

    /** A deleted pool, whose address is to be released, and an operator that does not read RoutedIPs yet. */
    const startWith = async (fault: Fault) => {
      world.addNode("node-1");
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
      const first = world.start(FEATURES);
      await world.fulfilled("web");
      ip = Object.keys(world.status("web").ips ?? {})[0] ?? "";
      await first.stop();
      world.kubernetes.delete(world.refTo("web"));
      withhold(fault, "routedips");
      world.start(FEATURES);
    };

    for (const [what, code] of [
      ["cannot be read", 500],
      ["must not be read", 403],
    ] as const) {
      it(`while they ${what}, and says so on the pool`, async () => {
        await startWith({ kind: "status", code });
        await world.until("Accepted reports it", () => world.condition("web", "Accepted")?.reason === "UnderWay");
        expect(world.condition("web", "Accepted")?.message).to.include(ip).and.include("/readyz");
        expect(world.status("web").ips?.[ip]).to.include({ state: "disabled", reason: "UnderWay" });
        await world.clock.sleep(2 * CLAIMS_WAIT_MS);
        expect(exists(), "longer than claims wait").to.equal(true);
        world.kubernetes.setFaults(undefined);
        await world.until("it is released", () => !exists());
        await world.until("the pool is gone", () => world.kubernetes.get(world.refTo("web")) === undefined);
      });
    }

    it("but does not wait where there is no such kind", async () => {
      await startWith({ kind: "status", code: 404 });
      await world.until("it is released", () => !exists());
    });
  });

  it("serves record sets while pools cannot be read", async () => {
    world.addNode("node-1");
    withhold(BROKEN, "floatingippools");
    const { operator } = world.start(FEATURES);
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "nodes" } },
    });
    const published = () => world.digitalocean.state.dns.records("example.com", "nodes").length;
    await world.until("the record set is served", () => published() === 1);
    expect(operator.health.report("readyz").text).to.include("floatingippools");
  });
});
