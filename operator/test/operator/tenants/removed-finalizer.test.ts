import { Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { type Running, World } from "../world.js";

const REFUSED = { kind: "status", status: 409 } as const;
const RELEASE = { on: "DELETE /v2/reserved_ips/{reserved_ip}", times: 1000 };

describe("operator in process: a deleted pool whose finalizer a user removes", function () {
  this.timeout(60_000);
  let world: World;
  let running: Running;

  afterEach(() => world.close());

  const notes = (reason: string) => world.events(reason).map((event) => String(event["note"] ?? event["message"]));

  async function deletePool(): Promise<string> {
    world = await World.create({ nodes: 1 });
    world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
    running = world.start();
    await world.fulfilled("web");
    const [ip = ""] = Object.keys(world.status("web").ips ?? {});
    world.digitalocean.faults.inject(REFUSED, RELEASE);
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the release fails", () => world.events("ReleaseFailed").length > 0);
    return ip;
  }

  it("is reported with what stays behind, and counted", async () => {
    const ip = await deletePool();
    world.change(world.refTo("web"), "metadata", { finalizers: [] });
    await world.until("the Events", () => world.events("CleanupAbandoned").length > 0 && notes("Retained").length > 0);
    expect(notes("CleanupAbandoned")[0]).to.equal(
      `finalizer ${Finalizer.cleanup} was removed before the operator had cleaned up; left behind, remove by hand: address ${ip}`,
    );
    expect(notes("Retained")[0], "the operator may have taken it from its node").not.to.contain("node");
    const metrics = await running.operator.registry.text();
    const labels = 'kind="FloatingIPPool",namespace="default",name="web"';
    expect(metrics).to.contain(`flipop_cleanup_abandoned_total{${labels}} 1`);
  });

  it("is not reported if the operator removes it", async () => {
    await deletePool();
    world.digitalocean.faults.clear();
    await world.until("the end", () => world.kubernetes.get(world.refTo("web")) === undefined);
    await world.rest();
    expect(world.events("CleanupAbandoned")).to.deep.equal([]);
  });
});
