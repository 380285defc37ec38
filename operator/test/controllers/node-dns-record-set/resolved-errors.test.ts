import { expect } from "chai";
import { describe, it } from "mocha";
import { timeOf } from "../../../src/clock.js";
import { conditionEvents } from "../../../src/controllers/node-dns-record-set/events.js";
import { no, type PlannedCondition, yes } from "../../../src/reconcile/conditions.js";
import { providerError } from "../../records/fake-dns.js";
import { settled } from "./world.js";

/** The records of a set are refused from now on, and the set has noticed. */
async function refused(kind: "Unauthorized" | "Unavailable") {
  const world = await settled(["n1", "n2"]);
  world.dns.fault = () => ({ error: providerError(kind) });
  world.addNode("n3");
  await world.run("game");
  const status = () => world.resource("game").status;
  return { world, status };
}

describe("a node record set whose provider refuses its records", () => {
  it("says when it tries again, where that is in a minute, and not once that has worked", async () => {
    const { world, status } = await refused("Unauthorized");
    expect((timeOf(status().retryAt) ?? 0) - world.clock.now()).to.equal(60_000);
    const first = status();
    await world.clock.advance(30_000);
    await world.run("game");
    expect(status(), "nothing is written between two tries").to.deep.equal(first);
    await world.clock.advance(30_000);
    await world.run("game");
    expect((timeOf(status().retryAt) ?? 0) - world.clock.now(), "it looks as often as before").to.equal(60_000);
    world.dns.fault = () => undefined;
    await world.clock.advance(60_000);
    await world.run("game");
    expect(status()).to.include({ state: "active" });
    expect([status().error, status().retryAt]).to.deep.equal([undefined, undefined]);
  });

  it("does not say so for the short waits of an outage: each would be a write", async () => {
    const { status } = await refused("Unavailable");
    expect(status().error).not.to.equal(undefined);
    expect(status().retryAt).to.equal(undefined);
  });

  it("does not show the error while it is paused: no call can show that it is over", async () => {
    const { world, status } = await refused("Unauthorized");
    expect(world.condition("game", "Accepted")).to.equal("False/Unauthorized");
    world.edit("game", { paused: true });
    await world.run("game");
    expect(world.condition("game", "Accepted")).to.equal("True/Paused");
    expect(world.condition("game", "DNSReady")).not.to.contain("False");
    expect(world.condition("game", "ProviderReachable")).not.to.contain("False");
    expect([status().error, status().retryAt]).to.deep.equal([undefined, undefined]);
    world.edit("game", { paused: false });
    await world.run("game");
    expect(world.condition("game", "Accepted"), "not paused any more").to.equal("False/Unauthorized");
  });
});

describe("the Events about the conditions of a node record set", () => {
  const REFUSED = { reason: "Unauthorized", message: "the token is refused" } as const;
  const bad = no("DNSReady", REFUSED);
  const good = yes("DNSReady", { reason: "Observed", message: "the records hold 2 addresses" });
  const open: PlannedCondition = { ...bad, status: "Unknown", reason: "NotObserved" };
  const events = (before: readonly PlannedCondition[], now: readonly PlannedCondition[]) => {
    const seen = before.map((condition) => ({ ...condition, lastTransitionTime: "2025-06-01T10:00:00Z" }));
    return conditionEvents(seen, now).map(({ type, reason }) => `${type} ${reason}`);
  };

  it("come when one turns bad, or bad for another reason, and not again while it stays so", () => {
    expect(events([], [bad])).to.deep.equal(["Warning Unauthorized"]);
    expect(events([good], [bad])).to.deep.equal(["Warning Unauthorized"]);
    expect(events([no("DNSReady", { ...REFUSED, reason: "RecordExists" })], [bad])).to.deep.equal([
      "Warning Unauthorized",
    ]);
    expect(events([bad], [bad])).to.deep.equal([]);
  });

  it("come when the records are good again, and not while that is open, was never otherwise, or is of another condition", () => {
    expect(events([bad], [good])).to.deep.equal(["Normal DNSReady"]);
    expect(events([bad], [open])).to.deep.equal([]);
    expect(events([good], [good])).to.deep.equal([]);
    expect(events([], [good])).to.deep.equal([]);
    expect(events([no("Accepted", REFUSED)], [yes("Accepted", { ...REFUSED, reason: "Observed" })])).to.deep.equal([]);
  });

  it("come once where two conditions have one reason", () => {
    expect(events([], [bad, no("Ready", REFUSED), no("Accepted", { ...REFUSED, reason: "Invalid" })])).to.deep.equal([
      "Warning Unauthorized",
      "Warning Invalid",
    ]);
  });
});
