import type { FloatingIPPoolSpec, TenantLimits } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Killer } from "../killer.js";
import { type Identity, World } from "../world.js";

const RELEASE = "DELETE /v2/reserved_ips/{reserved_ip}";

describe("operator in process: an address that one pool created and another one gets", function () {
  this.timeout(120_000);
  let world: World;
  /** Another address of the account. */
  let byHand = "";
  afterEach(() => world.close());

  const account = () => world.digitalocean.state.addresses().flatMap(({ ip }) => (ip === byHand ? [] : [ip]));
  const releases = () => world.digitalocean.journal.count({ on: RELEASE });
  const createdBy = (name: string) => world.status(name).createdIPs?.map(({ ip }) => ip) ?? [];
  const isGone = (name: string) => world.kubernetes.get(world.refTo(name)) === undefined;
  const start = (limits: TenantLimits, identity?: Identity) =>
    world.start({ "tenant-limits": JSON.stringify(limits) }, identity);
  const limit = (limits: object): TenantLimits => ({ namespaces: [{ names: ["default"], ...limits }] });

  /** Pool `web` with one address, and pool `site` that lists it. */
  async function listed(
    limits: TenantLimits,
    site: Partial<FloatingIPPoolSpec> = {},
    web: Partial<FloatingIPPoolSpec> = {},
  ): Promise<string> {
    world = await World.create({ nodes: 3 });
    [byHand = ""] = world.addAddresses(1);
    world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", ...web });
    const first = start(limits);
    await world.fulfilled("web");
    const [ip = ""] = createdBy("web");
    world.addPool("site", { ips: [ip], reclaimPolicy: "Delete", ...site });
    await world.until("the claim", () => world.condition("site", "Conflict") !== undefined);
    await world.rest();
    await first.stop();
    return ip;
  }

  async function remove(name: string): Promise<void> {
    world.kubernetes.delete(world.refTo(name));
    await world.until(`the end of ${name}`, () => isGone(name));
  }

  it("counts for the new pool, which releases it under reclaimPolicy Delete", async () => {
    const ip = await listed({});
    const { createdTime } = world.status("web").createdIPs?.[0] ?? {};
    start({});
    await remove("web");
    await world.fulfilled("site");
    await world.rest();
    expect(world.status("site").createdIPs).to.deep.equal([{ ip, createdTime, inSpec: true }]);
    expect(releases()).to.equal(0);
    await remove("site");
    expect(account()).to.deep.equal([]);
  });

  it("counts for the maximum of the namespace, and no more than once", async () => {
    const limits = limit({ maxCreatedAddresses: 1 });
    const ip = await listed(limits);
    start(limits);
    await remove("web");
    await world.fulfilled("site");
    world.addPool("more", { desiredIPs: 1, reclaimPolicy: "Delete" });
    await world.until("the refusal", () => world.condition("more", "Fulfilled")?.reason === "CreationNotAllowed");
    await world.rest();
    expect(account()).to.deep.equal([ip]);
    await remove("site");
    await world.fulfilled("more");
    expect(account()).to.have.length(1);
  });

  it("is released where a maximum counts it and the new pool would retain it", async () => {
    const limits = limit({ maxCreatedAddresses: 1 });
    const ip = await listed(limits, { reclaimPolicy: "Retain" });
    expect(world.condition("site", "Accepted")).to.include({ status: "False", reason: "AddressNotAllowed" });
    expect(world.condition("site", "Accepted")?.message).to.contain(ip).and.contain("set reclaimPolicy to Delete");
    start(limits);
    await remove("web");
    expect(account()).to.deep.equal([]);
  });

  it("is allowed by Created once the first pool is gone", async () => {
    const limits = limit({ allowedAddresses: ["Created"] });
    const ip = await listed(limits);
    const first = start(limits);
    await remove("web");
    await world.fulfilled("site");
    await first.stop();
    start(limits);
    await world.rest();
    expect(world.condition("site", "Accepted")?.status).to.equal("True");
    expect([createdBy("site"), account()]).to.deep.equal([[ip], [ip]]);
  });

  it("counts for the new pool if both retain it, so that Created goes on allowing it", async () => {
    const limits = limit({ allowedAddresses: ["Created"] });
    const ip = await listed(limits, { reclaimPolicy: "Retain" }, { reclaimPolicy: "Retain" });
    start(limits);
    await remove("web");
    await world.fulfilled("site");
    await world.rest();
    expect(createdBy("site")).to.deep.equal([ip]);
    await remove("site");
    await world.rest();
    expect(account()).to.deep.equal([ip]);
  });

  it("is never released after the first pool retained it", async () => {
    const ip = await listed({}, {}, { reclaimPolicy: "Retain" });
    start({});
    await remove("web");
    await world.fulfilled("site");
    await remove("site");
    await world.rest();
    expect(account()).to.deep.equal([ip]);
  });

  it("does not pass on to a namespace whose maximum is reached: it is released", async () => {
    const limits = { namespaces: [{ names: ["default"] }, { names: ["other"], maxCreatedAddresses: 0 }] };
    world = await World.create({ nodes: 3 });
    world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
    start(limits);
    await world.fulfilled("web");
    const ips = createdBy("web");
    world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
    world.addPool("site", { ips, reclaimPolicy: "Delete" }, { metadata: { name: "site", namespace: "other" } });
    const ref = { ...world.refTo("site"), namespace: "other" };
    await world.until("the refusal", () => JSON.stringify(world.kubernetes.get(ref)).includes("AddressNotAllowed"));
    await remove("web");
    expect(account()).to.deep.equal([]);
  });

  it("on a node is named with the pool that lists it and may not use it", async () => {
    world = await World.create({ nodes: 1 });
    const { ip } = world.digitalocean.state.addAddress({ dropletId: world.droplet("node-1").id });
    world.addPool("site", { ips: [ip] });
    start(limit({ allowedAddresses: ["Created"] }));
    await world.until("the refusal", () => world.condition("site", "Accepted")?.reason === "AddressNotAllowed");
    world.addPool("more", { desiredIPs: 1 });
    const says = () => world.condition("more", "Fulfilled")?.message ?? "";
    await world.until("the obstacle", () => says().includes("node-1 already holds"));
    expect(says()).to.contain(`${ip}, which FloatingIPPool default/site lists, but may not use`);
  });

  it("passes on when the first pool no longer wants it", async () => {
    const ip = await listed({});
    start({});
    world.edit("web", { ips: [byHand] });
    await world.until("the new owner", () => createdBy("site").length === 1 && createdBy("web").length === 0);
    await world.fulfilled("site");
    expect(account()).to.deep.equal([ip]);
  });

  for (const moment of ["before", "after"] as const)
    for (const change of ["deleted", "edited"] as const)
      it(`is always counted, and never released, killed ${moment} a change: ${change}`, async () => {
        for (let at = 1; ; at++) {
          if (world !== undefined && at > 1) await world.close();
          const limits = limit({ maxCreatedAddresses: 1 });
          const ip = await listed(limits);
          const killer = new Killer(world, "first", at, moment);
          const first = start(limits, killer.identity);
          killer.watch(first);
          const isPassed = () =>
            createdBy("site").length === 1 && (change === "deleted" ? isGone("web") : createdBy("web").length === 0);
          if (change === "deleted") world.kubernetes.delete(world.refTo("web"));
          else world.edit("web", { ips: [byHand] });
          await world.until("killed or done", () => killer.killed !== undefined || isPassed());
          await killer.killed;
          world.digitalocean.faults.clear();
          const names = ["web", "site"].filter((name) => !isGone(name));
          expect(names.flatMap(createdBy), `after change ${at}`).to.include(ip);
          if (killer.killed === undefined) break;
          start(limits);
          await world.until(`passed on after change ${at}`, isPassed);
          await world.fulfilled("site");
          expect(account()).to.deep.equal([ip]);
          expect(releases()).to.equal(0);
        }
      });
});
