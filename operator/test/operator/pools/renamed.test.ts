import type { FloatingIPPoolSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const RELEASE = "DELETE /v2/reserved_ips/{reserved_ip}";

describe("operator in process: an address that a resource created and another one lists", function () {
  this.timeout(40_000);
  let world: World;
  afterEach(() => world.close());

  const account = () => world.digitalocean.state.addresses().map(({ ip }) => ip);
  const releases = () => world.digitalocean.journal.count({ on: RELEASE });

  async function created(spec: Partial<FloatingIPPoolSpec>): Promise<string> {
    world = await World.create({ nodes: 2 });
    world.addPool("old", { reclaimPolicy: "Delete", ...spec });
    world.start();
    await world.fulfilled("old");
    return Object.keys(world.status("old").ips ?? {}).sort()[0] ?? "";
  }

  async function deleteOld(): Promise<void> {
    world.kubernetes.delete(world.refTo("old"));
    await world.until("the end of the old pool", () => world.kubernetes.get(world.refTo("old")) === undefined);
  }

  it("goes to the other one when its pool is deleted, also under reclaimPolicy Delete, and stays on its node", async () => {
    const ip = await created({ desiredIPs: 1 });
    const holder = world.holder(ip);
    world.addPool("new", { ips: [ip] });
    await world.until("the new pool waits", () => world.condition("new", "Conflict")?.status === "True");
    await deleteOld();
    await world.fulfilled("new");
    expect(account()).to.deep.equal([ip]);
    expect(world.holder(ip)).to.equal(holder);
    expect(releases()).to.equal(0);
  });

  it("goes to the other one when its pool wants fewer addresses", async () => {
    await created({ desiredIPs: 2 });
    const [first = "", second = ""] = Object.keys(world.status("old").ips ?? {}).sort();
    world.addPool("new", { ips: [first, second] });
    await world.until("the new pool waits", () => world.condition("new", "Conflict")?.status === "True");
    world.kubernetes.change(world.refTo("old"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), desiredIPs: 1 },
    }));
    await world.until("the new pool has one", () => world.status("new").counts?.active === 1);
    expect(account()).to.have.members([first, second]);
    expect(world.status("old").createdIPs).to.have.length(1);
    expect(releases()).to.equal(0);
  });

  it("is released where the other one is being deleted, too", async () => {
    const ip = await created({ desiredIPs: 1 });
    world.addPool("new", { ips: [ip] });
    await world.until("the new pool waits", () => world.condition("new", "Conflict")?.status === "True");
    world.kubernetes.change(world.refTo("new"), (object) => ({
      ...object,
      metadata: { ...(object["metadata"] as object), finalizers: ["example.com/held"] },
    }));
    world.kubernetes.delete(world.refTo("new"));
    await deleteOld();
    expect(account()).to.deep.equal([]);
  });
});
