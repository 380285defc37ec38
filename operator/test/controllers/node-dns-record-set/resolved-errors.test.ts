import { expect } from "chai";
import { describe, it } from "mocha";
import { timeOf } from "../../../src/clock.js";
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
