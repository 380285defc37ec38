import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../../operator/world.js";

const NODES = ["n1", "n2", "n3", "n4", "n5", "n6"];

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe("the controller of node record sets", function () {
  this.timeout(120_000);
  let world: World;

  const start = async (options: Parameters<typeof World.create>[0] = {}) => {
    world = await World.create(options);
    for (const node of NODES) world.addNode(node);
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "nodes" } },
    });
  };
  const published = () => world.digitalocean.state.dns.records("example.com", "nodes").length;

  afterEach(() => world.close());

  it("writes once for nodes that change one right after the other", async () => {
    await start();
    const running = world.start();
    await world.until("all are published", () => published() === NODES.length);
    await world.rest();
    // Time nearly stands still, so that even a busy machine changes them at nearly the same time.
    world.clock.speed = 0.001;
    for (const node of NODES.slice(2)) {
      world.setReady(node, false);
      await pauseMs(20);
    }
    // Slow enough for the last change to arrive before the batch ends.
    world.clock.speed = 0.1;
    await world.until("two are left", () => published() === 2);
    world.clock.speed = 600;
    await running.stop();
    expect(world.events("RecordsChanged").map((event) => event["message"])).to.have.length(2);
  });

  it("says in /readyz and in the log that it lacks a right, and keeps the records", async () => {
    await start();
    const token = world.kubernetes.addIdentity("go-operator", [
      { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["create", "patch"], apiGroups: ["events.k8s.io"], resources: ["events"] },
    ]);
    const { operator } = world.start({ features: "pools,dns" }, { token });
    await world.until("all are published", () => published() === NODES.length);
    const readyz = () => operator.health.report("readyz").text;
    await world.until("/readyz reports it", () => readyz().includes("role too old"));
    expect(readyz()).to.include("nodednsrecordsets/status").and.include("apply the roles of this release");
    const logged = () => world.logs.filter((line) => line.includes("Resources are served in part only"));
    await world.until("logged", () => logged().length > 0);
    await world.rest();
    expect(logged(), "once").to.have.length(1);
  });
});
