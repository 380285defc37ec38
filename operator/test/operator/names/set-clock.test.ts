import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const MINUTE_MS = 60_000;

describe("operator in process: a name that has no node any more, while somebody sets the clock", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  const published = (): readonly string[] =>
    world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);

  it("keeps its records for five minutes all the same", async () => {
    world = await World.create({ nodes: 1 });
    const dnsRecordSet = { provider: "digitalocean", zone: "example.com", recordName: "www" };
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "names", namespace: "default" } },
      spec: { emptyPolicy: "Delete", match: { nodeLabel: "kubernetes.io/hostname=node-1" }, dnsRecordSet },
    });
    world.change({ apiVersion: "v1", kind: "Node", name: "node-1" }, "metadata", {
      labels: { "kubernetes.io/hostname": "node-1" },
    });
    world.start();
    await world.until("the record", () => published().length === 1);
    const { clock } = world;
    world.removeNode("node-1");
    const left = clock.monotonic();
    await clock.sleep(MINUTE_MS);
    const unset = clock.now.bind(clock);
    clock.now = () => unset() + 10 * MINUTE_MS;
    await world.until("its end", () => published().length === 0);
    expect(clock.monotonic() - left).to.be.at.least(5 * MINUTE_MS);
  });
});
