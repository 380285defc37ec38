import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const CREATE = "POST /v2/reserved_ips";
const MINUTE_MS = 60_000;
const COPY = "flipop.digitalocean.com/pending-creation";

describe("operator in process: a RoutedIP whose creation is in doubt", function () {
  this.timeout(120_000);
  let made: RoutedWorld;
  afterEach(() => made.close());

  const start = async () => {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.serve({ node: "n1" });
  };
  const account = () => made.world.digitalocean.state.addresses().map(({ ip }) => ip);
  const creations = () => made.world.digitalocean.journal.count({ on: CREATE });
  const copy = () => made.object("a")?.metadata.annotations?.[COPY];
  const isGone = () => made.object("a") === undefined;
  const refusePatchesAfterCreate = (code: number) => {
    made.world.kubernetes.setFaults(({ method, path }) => {
      const own = method === "PATCH" && path.includes("/routedips/");
      return own && creations() > 0 ? { kind: "status", code } : undefined;
    });
  };
  const remove = async () => {
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("it is gone", isGone);
  };

  for (const code of [403, 500]) {
    it(`has the address that was answered, though the API server answers its status with ${code}`, async () => {
      await start();
      made.addRouted("a");
      refusePatchesAfterCreate(code);
      made.world.start();
      await made.until("it is on its node", () => account().some((ip) => made.world.holder(ip) !== undefined));
      await made.world.clock.sleep(5 * MINUTE_MS);
      expect(creations()).to.equal(1);
      made.world.kubernetes.setFaults(() => undefined);
      await made.ready("a");
      await made.until("its creation is on record", () => made.status("a").created === true);
      expect(made.status("a").routedIP).to.equal(account()[0]);
      expect(made.status("a")).not.to.have.any.keys("inferred", "pendingCreation");
      await made.until("the copy is gone", () => copy() === undefined);
      expect(creations()).to.equal(1);
      await remove();
      expect(account()).to.deep.equal([]);
    });
  }

  it("finds the address by its intent after a crash, though the status is lost, and never releases it", async () => {
    await start();
    made.addRouted("a");
    refusePatchesAfterCreate(500);
    const first = made.world.start();
    await made.until("it is on its node", () => account().some((ip) => made.world.holder(ip) !== undefined));
    await first.kill();
    expect(copy()).to.be.a("string");
    made.world.kubernetes.setFaults(() => undefined);
    made.world.kubernetes.change(made.refTo("a"), ((object: object) => ({ ...object, status: {} })) as never, "status");
    made.world.start();
    await made.ready("a");
    const [ip = ""] = account();
    expect(made.status("a")).to.include({ routedIP: ip, created: true, inferred: true });
    expect(creations()).to.equal(1);
    await remove();
    const notes = () => made.world.events("CleanupAbandoned").map(({ message, note }) => String(note ?? message));
    await made.until("its Event names the address", () => notes().some((note) => note.includes(ip)));
    expect(account()).to.deep.equal([ip]);
  });

  it("adopts no address of others after a refusal", async () => {
    await start();
    const { state } = made.world.digitalocean;
    state.startEvent(made.world.droplet("n1").id, "power_cycle", 10 * MINUTE_MS);
    made.addRouted("a");
    made.world.start();
    await made.until("the creation was refused", () => creations() > 0);
    const foreign = state.addAddress({ region: "nyc3" }).ip;
    await made.world.clock.sleep(5 * MINUTE_MS);
    expect(made.status("a").routedIP).not.to.equal(foreign);
    await made.ready("a");
    expect(made.status("a").routedIP).not.to.equal(foreign);
    await remove();
    expect(account()).to.deep.equal([foreign]);
  });

  it("creates at once where the answer to its intent was lost, since no creation was sent", async () => {
    await start();
    let lostAt: number | undefined;
    made.world.kubernetes.setFaults(({ method, path, body }) => {
      const isIntent = method === "PATCH" && path.endsWith("/status") && body.includes("startedAt");
      if (lostAt !== undefined || !isIntent) return undefined;
      lostAt = made.world.clock.now();
      return { kind: "lose-answer" };
    });
    made.addRouted("a");
    made.world.start();
    await made.ready("a");
    expect(made.world.clock.now() - (lostAt ?? 0)).to.be.below(15_000);
    expect(made.status("a")).not.to.have.any.keys("inferred", "pendingCreation");
    await made.until("the copy is gone", () => copy() === undefined);
    expect(creations()).to.equal(1);
  });
});
