import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { FaultRequest } from "flipop-sandbox/kubernetes";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const CREATE = "POST /v2/reserved_ips";
const MINUTE_MS = 60_000;
const FORGET = "flipop.digitalocean.com/forget-creation";
const COPY = "flipop.digitalocean.com/pending-creation";

describe("operator in process: a creation in doubt", function () {
  this.timeout(120_000);
  let world: World;
  afterEach(() => world.close());

  const { state, faults, journal } = {
    state: () => world.digitalocean.state,
    faults: () => world.digitalocean.faults,
    journal: () => world.digitalocean.journal,
  };
  const creations = () => journal().count({ on: CREATE });
  const account = () =>
    state()
      .addresses()
      .map(({ ip }) => ip);
  const created = (pool: string) => world.status(pool).createdIPs ?? [];
  const notes = (reason: string) => world.events(reason).map(({ message, note }) => String(note ?? message));
  const exists = (pool: string) => world.kubernetes.get(world.refTo(pool)) !== undefined;
  const isIntent = ({ method, headers: _headers, path }: FaultRequest) =>
    method === "PATCH" && path.includes("/floatingippools/");
  /** Until the first creation has reached the provider, all goes well; then the API server takes no patch of a pool. */
  const refusePatchesAfterCreate = (status: 403 | 500) => {
    world.kubernetes.setFaults((request) => {
      return isIntent(request) && creations() > 0 ? { kind: "status", code: status } : undefined;
    });
  };
  const change = (
    pool: string,
    edit: (object: Record<string, unknown>) => Record<string, unknown>,
    part?: "status",
  ) => {
    world.kubernetes.change(world.refTo(pool), edit as never, part);
  };

  describe("that was refused", () => {
    it("is no creation of unknown outcome: another one's new address is not adopted", async () => {
      world = await World.create({ nodes: 1 });
      state().startEvent(world.droplet("node-1").id, "power_cycle", 10 * MINUTE_MS);
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
      world.start();
      await world.until("the creation was refused", () => creations() > 0);
      const foreign = state().addAddress({ region: "nyc3" }).ip;
      await world.clock.sleep(5 * MINUTE_MS);
      expect(created("web").map(({ ip }) => ip)).not.to.include(foreign);
      expect(world.status("web")).not.to.have.property("pendingCreation");
      await world.fulfilled("web");
      expect(created("web")).to.have.length(1);
      expect(created("web")[0]).not.to.have.property("inferred");
      expect(account()).to.have.members([foreign, ...created("web").map(({ ip }) => ip)]);
    });

    it("is none either while the status can't be written", async () => {
      world = await World.create({ nodes: 1 });
      world.addPool("web", { desiredIPs: 1 });
      faults().inject({ kind: "status", status: 403 }, { on: CREATE });
      let down = true;
      world.kubernetes.setFaults((request) => {
        return down && isIntent(request) && creations() > 0 ? { kind: "status", code: 500 } : undefined;
      });
      world.start();
      await world.until("the creation was refused", () => creations() > 0);
      await world.clock.sleep(5_000);
      const foreign = state().addAddress({ region: "nyc3" }).ip;
      down = false;
      await world.fulfilled("web");
      expect(created("web").map(({ ip }) => ip)).not.to.include(foreign);
      expect(account()).to.have.length(2);
    });
  });

  describe("that was answered", () => {
    for (const status of [403, 500] as const) {
      it(`is the pool's, though the API server answers its status with ${status}`, async () => {
        world = await World.create({ nodes: 2 });
        world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
        refusePatchesAfterCreate(status);
        world.start();
        await world.until("one was created", () => account().length === 1);
        const [first = ""] = account();
        await world.until("it is on its node", () => world.holder(first) !== undefined);
        await world.until("its node is annotated", () =>
          ["node-1", "node-2"].some((node) => Object.values(world.annotations(node)).includes(first)),
        );
        await world.clock.sleep(5 * MINUTE_MS);
        expect(creations(), "no second creation before the first is on record").to.equal(1);
        world.kubernetes.setFaults(() => undefined);
        await world.fulfilled("web");
        await world.until("its creation is on record", () => created("web").some(({ ip }) => ip === first));
        expect(created("web").some(({ inferred }) => inferred)).to.equal(false);
        expect(account()).to.have.length(2);
        world.kubernetes.delete(world.refTo("web"));
        await world.until("it is gone", () => !exists("web"));
        expect(account(), "both were the pool's to release").to.deep.equal([]);
      });
    }

    for (const node of ["node-1", undefined]) {
      it(`counts though no read finds the address for 8 s, ${node === undefined ? "in the region" : "on a node"}`, async () => {
        world = await World.create({ nodes: node === undefined ? 0 : 1 });
        world.addPool("web", { desiredIPs: 1, dnsRecordSet: { zone: "example.com", recordName: "web" } });
        faults().inject({ kind: "stale-reads", ms: 8_000 }, { on: CREATE });
        world.start();
        await world.until("one was created", () => account().length === 1);
        if (node === undefined) world.addNode("node-1");
        await world.fulfilled("web");
        expect(["AddressNotFound", "AssignFailed"].flatMap(notes)).to.deep.equal([]);
        expect(journal().count({ on: "GET /v2/reserved_ips" }), "it needed no second list").to.equal(1);
        expect(creations()).to.equal(1);
      });
    }

    it("is found by its intent after a crash, and then never released", async () => {
      world = await World.create({ nodes: 1 });
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
      refusePatchesAfterCreate(500);
      const first = world.start();
      await world.until("it is on its node", () => account().some((ip) => world.holder(ip) !== undefined));
      await first.kill();
      world.kubernetes.setFaults(() => undefined);
      world.start();
      await world.fulfilled("web");
      const [ip = ""] = account();
      expect(created("web")).to.have.length(1);
      expect(created("web")[0]).to.include({ ip, inferred: true });
      expect(notes("CreationSettled")[0]).to.match(new RegExp(`${ip}.*never release`));
      world.kubernetes.delete(world.refTo("web"));
      await world.until("it is gone", () => !exists("web"));
      await world.until("its Event names the address", () =>
        notes("CleanupAbandoned").some((note) => note.includes(ip)),
      );
      expect(account()).to.deep.equal([ip]);
    });
  });

  describe("whose answer was lost", () => {
    /** Two addresses of others appear at the same time. */
    const ambiguous = async (pool: string) => {
      faults().inject({ kind: "reset", when: "before" }, { on: CREATE });
      world.addPool(pool, { desiredIPs: 1, reclaimPolicy: "Delete", match: { nodeLabel: "none=such" } });
      world.start();
      await world.until("it was sent", () => creations() > 0);
      const others = [1, 2].map(() => state().addAddress({ region: "nyc3" }).ip);
      return others;
    };

    for (const ends of ["assigns it", "lists it"] as const) {
      it(`creates no second address beside a new one that was on no machine, until a person ${ends}`, async () => {
        world = await World.create({ nodes: 2 });
        world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
        faults().inject({ kind: "status", status: 502 }, { on: CREATE });
        world.start();
        await world.until("the creation failed", () => creations() > 0);
        const { ip } = state().addAddress({ region: "nyc3" });
        const named = `${ip} may be the new address (it was never on a machine`;
        await world.until(
          "a condition names it",
          () => world.condition("web", "Accepted")?.message.includes(named) === true,
        );
        await world.clock.sleep(10 * MINUTE_MS);
        expect(world.condition("web", "Accepted")?.message).to.include(named);
        expect([creations(), account()]).to.deep.equal([1, [ip]]);
        if (ends === "lists it") world.edit("web", { ips: [ip] });
        else state().setHolder(ip, world.droplet("node-2").id);
        await world.fulfilled("web");
        expect(creations()).to.equal(ends === "lists it" ? 1 : 2);
        expect(created("web").map((each) => each.ip)).not.to.include(ip);
      });
    }

    it("keeps the resource from creating beside such an address for an hour; then an Event names it, and it is never released", async () => {
      world = await World.create({ nodes: 1 });
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
      faults().inject({ kind: "status", status: 502 }, { on: CREATE });
      world.start();
      await world.until("the creation failed", () => creations() > 0);
      const { ip } = state().addAddress({ region: "nyc3" });
      const began = world.clock.now();
      const message = () => world.condition("web", "Accepted")?.message ?? "";
      await world.until("a condition says for how long", () => message().includes("otherwise the operator creates"));
      await world.clock.sleep(55 * MINUTE_MS);
      expect([creations(), account()]).to.deep.equal([1, [ip]]);
      await world.fulfilled("web");
      expect(world.clock.now() - began).to.be.within(59 * MINUTE_MS, 90 * MINUTE_MS);
      expect([creations(), created("web").map((each) => each.ip)]).to.deep.equal([
        2,
        account().filter((each) => each !== ip),
      ]);
      expect(notes("CreateFailed").join()).to.include(`may have made ${ip}, which no resource uses`);
      world.kubernetes.delete(world.refTo("web"));
      await world.until("it is gone", () => !exists("web"));
      expect(account()).to.deep.equal([ip]);
    });

    it("is reported on the resource, and keeps no resource from creating on a node", async () => {
      world = await World.create({ nodes: 1 });
      const others = await ambiguous("lost");
      world.addPool("web", { desiredIPs: 1 });
      await world.fulfilled("web");
      await world.until(
        "the status reports it",
        () => world.condition("lost", "Accepted")?.reason === "CreationUnsettled",
      );
      await world.until("the addresses are named", () =>
        others.every((ip) => world.condition("lost", "Accepted")?.message.includes(ip)),
      );
      expect(world.condition("lost", "Accepted")?.message).to.include(FORGET);
      expect(notes("CreationUnsettled").join()).to.include(FORGET);
      expect(created("lost")).to.deep.equal([]);
    });

    it("keeps creations in a region waiting no longer than an answer may be on its way", async () => {
      world = await World.create();
      await ambiguous("lost");
      const began = world.clock.now();
      world.addPool("region", { desiredIPs: 1, match: { nodeLabel: "none=such" } });
      await world.until(
        "the status reports it",
        () => world.condition("region", "Fulfilled")?.reason === "CreationUnsettled",
      );
      expect(world.condition("region", "Fulfilled")?.message).to.include("default/lost").and.to.include(FORGET);
      await world.until("it was created", () => created("region").length === 1);
      expect(world.clock.now() - began).to.be.below(3 * MINUTE_MS);
      expect(created("region")[0]).not.to.have.property("inferred");
      expect(world.condition("lost", "Accepted")?.reason).to.equal("CreationUnsettled");
    });

    it("of a deleted resource ends with its finalizer, and its Event names what may be its address", async () => {
      world = await World.create();
      const others = await ambiguous("lost");
      world.kubernetes.delete(world.refTo("lost"));
      await world.until(
        "the status reports it",
        () => world.condition("lost", "Accepted")?.reason === "CreationUnsettled",
      );
      const began = world.clock.now();
      await world.until("it is gone", () => !exists("lost"));
      expect(world.clock.now() - began).to.be.below(5 * MINUTE_MS);
      expect(account()).to.have.members(others);
      await world.until("its Event names them", () =>
        others.every((ip) => notes("CleanupAbandoned").join().includes(ip)),
      );
    });

    for (const ends of ["wiped", "restored from before it"] as const) {
      it(`is not forgotten where the status is ${ends}`, async () => {
        world = await World.create();
        faults().inject({ kind: "reset", when: "after" }, { on: CREATE });
        world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", match: { nodeLabel: "none=such" } });
        const first = world.start();
        await world.until("it was sent", () => account().length === 1);
        await first.kill();
        expect(world.pool("web").metadata.annotations).to.have.property(COPY);
        const status = ends === "wiped" ? {} : { ips: {}, createdIPs: [], conditions: [] };
        change("web", (object) => ({ ...object, status }), "status");
        world.start();
        await world.until("it is settled", () => created("web").length === 1);
        await world.rest();
        expect(creations()).to.equal(1);
        expect(created("web")[0]).to.include({ ip: account()[0], inferred: true });
        expect(world.pool("web").metadata.annotations).not.to.have.property(COPY);
      });
    }

    it("never takes the address of another region, nor gives back what it took when the pool shrinks", async () => {
      world = await World.create();
      faults().inject({ kind: "reset", when: "after" }, { on: CREATE });
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", match: { nodeLabel: "none=such" } });
      world.start();
      await world.until("it was sent", () => account().length === 1);
      const [own = ""] = account();
      const elsewhere = state().addAddress({ region: "ams3" }).ip;
      await world.until("it is settled", () => created("web").length === 1);
      expect(created("web")[0]).to.include({ ip: own, inferred: true });
      const { ip: listed } = state().addAddress({ region: "nyc3" });
      world.edit("web", { ips: [listed], desiredIPs: 1 });
      await world.until(
        "the status reports it",
        () => world.condition("web", "Accepted")?.reason === "OwnershipInferred",
      );
      expect(world.condition("web", "Accepted")?.message).to.include(own);
      await world.rest();
      expect(account()).to.have.members([own, elsewhere, listed]);
      expect(world.kubernetes.list(GROUP_VERSION, "FloatingIPPool")).to.have.length(1);
    });
  });
});
