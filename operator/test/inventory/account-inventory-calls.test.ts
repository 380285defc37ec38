import { expect } from "chai";
import { describe, it } from "mocha";
import { supersededError } from "../../src/providers/errors.js";
import { callOf, failure } from "../providers/support.js";
import { errorOf } from "../support/http-rig.js";
import { A, ASKER, B, FakeCloud, facts, MINUTE, start, V6, WEB } from "./account-rig.js";

describe("the calls of an account's inventory", () => {
  it("are none for a list that is just as old as it may be", async () => {
    const { clock, cloud, list } = start();
    await list();
    await clock.advance(300_000);
    await list(300);
    expect(cloud.asked).to.have.length(1);
  });

  it("do not bring an address back that the operator has released since the list began", async () => {
    const { clock, cloud, inventory, list } = start(facts(A));
    inventory.want(WEB, [A]);
    await list();
    await clock.advance(MINUTE);
    let answer = () => {};
    const gate = new Promise<void>((resolve) => (answer = resolve));
    const seen = [...cloud.addresses.values()];
    Object.assign(cloud.provider, { list: () => gate.then(() => seen) });
    const late = list();
    await clock.advance(1000);
    await inventory.release(cloud.provider, ASKER, A);
    answer();
    await late;
    expect([inventory.view().get(A), inventory.view().isGone(A, MINUTE)]).to.deep.equal([undefined, true]);
  });

  it("do not count a list in that began before a creation whose answer was lost", async () => {
    const { clock, cloud, inventory, list } = start();
    let open = (): void => undefined;
    cloud.gate = new Promise((resolve) => {
      open = resolve;
    });
    const early = list();
    await clock.advance(1_000);
    await inventory.create(cloud.provider, ASKER, { family: "IPv4", region: "r" });
    const late = list(300);
    open();
    await early;
    await late;
    expect(cloud.asked).to.deep.equal(["list", "list"]);
    expect(inventory.view().complete).to.equal(true);
  });

  it("do not believe a creation that names an address from before: its outcome is unknown", async () => {
    const { clock, cloud, inventory, list } = start(facts(A, "n2"));
    await list();
    await clock.advance(1_000);
    cloud.outcome = { kind: "created", address: facts(A) };
    const outcome = await inventory.create(cloud.provider, ASKER, { family: "IPv4", region: "r" });
    expect(outcome.kind).to.equal("unknown");
    expect(outcome.kind === "unknown" && outcome.error.seen).to.equal(
      `malformed answer: it names ${A}, which the account had before the creation`,
    );
    expect(inventory.view().complete, "the list is read again").to.equal(false);
    expect(inventory.view().get(A)?.holder).to.equal("n2");
  });

  it("are as urgent as the most urgent caller that waits for the list, and no longer than that", async () => {
    const { clock, cloud, inventory, list } = start();
    await inventory.ensure({ maxAgeSeconds: 0, priority: "assignment" });
    expect(cloud.priority).to.equal("assignment");
    await clock.advance(1_001);
    await list();
    expect(cloud.priority).to.equal("check");
  });

  it("become urgent when a move joins a list that has begun for a check", async () => {
    const { cloud, inventory, list } = start();
    const check = list();
    expect(cloud.urgency?.priority).to.equal("check");
    const move = inventory.ensure({ maxAgeSeconds: 300, priority: "assignment" });
    expect(cloud.urgency?.priority).to.equal("assignment");
    await Promise.all([check, move]);
    expect(cloud.asked).to.deep.equal(["list"]);
  });

  it("are none where a move was not sent because its decision no longer held", async () => {
    const { cloud, inventory, list } = start(facts(A));
    await list();
    cloud.refusal = supersededError(callOf(), "the target node has changed");
    expect(await errorOf(inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" }))).to.equal(cloud.refusal);
    expect(cloud.asked).to.deep.equal(["list"]);
  });

  it("are not made twice within a second, unless a name is new or a call has failed", async () => {
    const { clock, cloud, inventory } = start(facts(A));
    const ensure = (more: object = {}) => inventory.ensure({ maxAgeSeconds: 0, ...more });
    const lists = () => cloud.asked.filter((call) => call.startsWith("list")).length;
    await ensure();
    await clock.advance(999);
    await ensure();
    expect(lists()).to.equal(1);
    inventory.want(WEB, [A]);
    await ensure();
    expect(lists(), "the name is known").to.equal(1);
    inventory.want(WEB, [A, B]);
    await ensure();
    expect(lists(), "the name is new").to.equal(2);
    await clock.advance(1);
    await ensure({ since: clock.monotonic() });
    expect(lists(), "after a failure").to.equal(3);
    await clock.advance(1);
    await ensure({ since: clock.monotonic() - 2 });
    expect(lists(), "the list began after the failure").to.equal(3);
  });

  it("read an address once for all who ask within a second, and again after a refused call", async () => {
    const { clock, cloud, inventory, list } = start(facts(A));
    const gets = () => cloud.asked.filter((call) => call === `get ${A}`).length;
    await list();
    await inventory.read(ASKER, A);
    await clock.advance(500);
    await inventory.read(ASKER, A);
    expect(gets()).to.equal(1);
    cloud.refusal = failure({ kind: "Conflict", outcome: "refused" });
    await errorOf(inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" }));
    expect(gets()).to.equal(2);
  });

  it("are for the names of the own family alone", async () => {
    const { clock, cloud, inventory, list } = start();
    inventory.want(WEB, [A, V6]);
    await list();
    expect(cloud.asked).to.deep.equal([`list ${A}`, `get ${A}`]);
    await clock.advance(5_000);
    await list();
    expect([inventory.view().isGone(A), inventory.view().isGone(V6)]).to.deep.equal([true, false]);
  });

  it("forget what is gone when no resource names it any more, and when it is back", async () => {
    const { clock, cloud, inventory, list } = start();
    inventory.want(WEB, [A, B]);
    await list();
    cloud.addresses.set(A, facts(A));
    inventory.want(WEB, [A]);
    await clock.advance(1_001);
    await list();
    expect([A, B].map((ip) => inventory.view().isGone(ip))).to.deep.equal([false, false]);
  });

  it("show for how long an address is missing, which one that the operator released is for ever", async () => {
    const { clock, cloud, inventory, list } = start(facts(B));
    inventory.want(WEB, [A, B]);
    await list();
    const isGone = (ip: string, forMs?: number) => inventory.view().isGone(ip, forMs);
    expect(isGone(A), "after one read").to.equal(false);
    await clock.advance(5_000);
    await list();
    expect([isGone(A), isGone(A, MINUTE)]).to.deep.equal([true, false]);
    await clock.advance(MINUTE);
    await list();
    expect([isGone(A, MINUTE), isGone(A, MINUTE + 1)]).to.deep.equal([true, false]);
    cloud.addresses.set(A, facts(A));
    await clock.advance(MINUTE);
    await list();
    cloud.addresses.delete(A);
    await clock.advance(MINUTE);
    await list();
    expect(inventory.view().get(A)?.unconfirmed, "after one read").to.equal(true);
    await clock.advance(5_000);
    await list();
    expect([isGone(A), isGone(A, 1)], "since it was there").to.deep.equal([true, false]);
    await inventory.release(cloud.provider, ASKER, B);
    expect(isGone(B, MINUTE)).to.equal(true);
  });

  it("show an address that was released and is created again", async () => {
    const { cloud, inventory, list } = start(facts(A));
    await list();
    expect(inventory.view().addresses.size).to.equal(1);
    await inventory.release(cloud.provider, ASKER, A);
    expect(inventory.view().addresses.size).to.equal(0);
    cloud.outcome = { kind: "created", address: facts(A) };
    await inventory.create(cloud.provider, ASKER, { family: "IPv4", region: "r" });
    expect(inventory.view().isGone(A)).to.equal(false);
  });

  it("read an address alone that we wrote to and the list lacks, although no resource names it", async () => {
    const { clock, cloud, list, holder, move } = start(facts(A));
    await list();
    await move(A, "n1");
    cloud.unlisted.add(A);
    await clock.advance(MINUTE);
    await list();
    expect(cloud.asked).to.include(`get ${A}`);
    expect(holder()).to.equal("n1");
  });

  it("do without a look before a move at 15 s, and let nothing move that is doubted", async () => {
    const { clock, cloud, inventory, list, move } = start(facts(A));
    await list();
    await clock.advance(15_000);
    expect(await inventory.confirm(ASKER, A)).to.equal("holds");
    expect(cloud.asked).to.not.include(`get ${A}`);
    await move(A, "n1");
    cloud.addresses.set(A, facts(A, "n2"));
    await clock.advance(31_000);
    expect(await inventory.confirm(ASKER, A)).to.equal("unconfirmed");
  });

  it("read nothing after a change that was refused for its rate", async () => {
    const { cloud, inventory, list } = start(facts(A));
    await list();
    cloud.refusal = failure({ kind: "RateLimited", outcome: "refused" });
    await errorOf(inventory.assign(cloud.provider, ASKER, { ip: A, node: "n3" }));
    expect(cloud.asked).to.deep.equal(["list"]);
  });

  it("look again when the first of several doubts is due, and at once when that is past", async () => {
    const { clock, cloud, inventory, list, move } = start(facts(A), facts(B));
    await list();
    await move(A, "n1");
    await move(B, "n2");
    for (const ip of [A, B]) cloud.addresses.set(ip, facts(ip));
    await clock.advance(31_000);
    await inventory.read(ASKER, A);
    await clock.advance(2_000);
    await inventory.read(ASKER, B);
    expect(inventory.view().rereadSeconds).to.equal(3);
    await clock.advance(10_000);
    expect(inventory.view().rereadSeconds).to.equal(0);
  });

  it("try each token once where all are refused, and no other one where that is not the trouble", async () => {
    const { cloud, inventory, list } = start();
    const other = new FakeCloud();
    inventory.join(other.provider);
    cloud.refusal = failure({ kind: "Unauthorized", outcome: "refused" });
    other.refusal = failure({ kind: "Unauthorized", outcome: "refused" });
    expect(await errorOf(list())).to.equal(other.refusal);
    expect([cloud.asked, other.asked]).to.deep.equal([["list"], ["list"]]);
    other.refusal = failure({ kind: "Unavailable" });
    expect(await errorOf(list())).to.equal(other.refusal);
    expect(cloud.asked).to.have.length(1);
  });
});
