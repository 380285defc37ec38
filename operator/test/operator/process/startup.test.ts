import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

const FEATURES = { features: "pools,dns,routedip" };
const BROKEN = { kind: "status", code: 500 } as const;

describe("operator in process: the start", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
  });

  afterEach(() => world.close());

  /** The server fails at the lists and watches of these kinds. */
  const withhold = (...plurals: readonly string[]) =>
    world.kubernetes.setFaults(({ path, method }) => {
      const found = method === "GET" && plurals.some((plural) => path.split("?")[0]?.endsWith(`/${plural}`));
      return found ? BROKEN : undefined;
    });

  it("moves the addresses of pools while RoutedIPs cannot be read, and says so in /readyz", async () => {
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    const first = world.start(FEATURES);
    await world.fulfilled("web");
    await first.stop();
    withhold("routedips");
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
    withhold("routedips");
    world.start(FEATURES);
    await world.until("the lists have failed", () => world.logs.some((line) => line.includes('"failures":2')));
    expect(world.holder(ip)).to.equal(undefined);
    world.kubernetes.setFaults(undefined);
    await world.until("it is assigned", () => world.holder(ip) !== undefined);
  });

  it("serves record sets while pools cannot be read", async () => {
    world.addNode("node-1");
    withhold("floatingippools");
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
