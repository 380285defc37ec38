import { expect } from "chai";
import { describe, it } from "mocha";
import { failure } from "../providers/support.js";
import { errorOf } from "../support/http-rig.js";
import { A, ASKER, B, facts, start } from "./account-rig.js";

describe("the actions of an account's inventory", () => {
  it("resolve an action that the API calls unfinished for 120 s from the address alone", async () => {
    const { clock, cloud, inventory, list } = start(facts(A));
    await list();
    await inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" });
    const poll = () => inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: "n1" });
    await clock.advance(119_000);
    expect((await poll()).state).to.equal("in-progress");
    await clock.advance(1_000);
    expect(await poll()).to.deep.include({
      state: "errored",
      message: "the address is on no node, 120 s after the call",
    });
    expect(inventory.view().get(A)).to.deep.include({ ended: { id: "7", expected: "n1" } });
  });

  it("ask for a read of an overdue action that no caller polls", async () => {
    const { clock, cloud, inventory, list } = start(facts(A));
    await list();
    await inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" });
    expect(inventory.view().rereadSeconds).to.equal(130);
    await clock.advance(130_000);
    expect(inventory.view().get(A)?.unconfirmed).to.equal(true);
    await inventory.read(ASKER, A);
    expect(inventory.view().rereadSeconds).to.equal(undefined);
    expect(inventory.view().get(A)?.action).to.equal(undefined);
  });

  it("ask for the end that this process knows, whatever the status says", async () => {
    const { cloud, inventory, list, holder } = start(facts(A));
    await list();
    await inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" });
    cloud.state = "completed";
    await inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: "n9" });
    await inventory.poll(cloud.provider, ASKER, { ip: B, id: "8", expected: "n9" });
    expect(cloud.asked.slice(1)).to.deep.equal(["action 7 n1", "action 8 n9"]);
    expect(holder()).to.equal("n1");
  });

  it("read an address again whose action has failed", async () => {
    const { cloud, inventory, list, holder } = start(facts(A));
    await list();
    await inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" });
    cloud.addresses.set(A, facts(A, "n2"));
    cloud.state = "errored";
    await inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: "n1" });
    expect(holder()).to.equal("n2");
  });

  it("follow an address that was created on a node and that no read finds yet", async () => {
    const { clock, cloud, inventory, list, holder } = start();
    await list();
    const action = { id: "7", ip: A, state: "in-progress" } as const;
    cloud.outcome = { kind: "created", address: facts(A), action };
    await inventory.create(cloud.provider, ASKER, { family: "IPv4", node: "n1" });
    const poll = () => inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: "n1" });
    cloud.gone = true;
    await clock.advance(1_000);
    expect((await poll()).state).to.equal("in-progress");
    await list();
    expect([inventory.view().isGone(A), inventory.view().get(A)?.inFlight?.id]).to.deep.equal([false, "7"]);
    cloud.gone = false;
    cloud.state = "completed";
    await clock.advance(7_000);
    expect((await poll()).state).to.equal("completed");
    expect(holder()).to.equal("n1");
  });

  it("give up an address that no read finds 30 s after its creation, at the second read of its action", async () => {
    const { clock, cloud, inventory, list } = start();
    await list();
    const action = { id: "7", ip: A, state: "in-progress" } as const;
    cloud.outcome = { kind: "created", address: facts(A), action };
    await inventory.create(cloud.provider, ASKER, { family: "IPv4", node: "n1" });
    cloud.gone = true;
    await clock.advance(30_000);
    const poll = () => inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: "n1" });
    expect(await poll()).to.deep.include({ state: "in-progress" });
    await clock.advance(5_000);
    expect(await poll()).to.deep.include({ state: "errored", message: "the address is gone" });
    expect(inventory.view().isGone(A)).to.equal(true);
    expect(cloud.asked).to.deep.equal(["list", "action 7 n1", "action 7 n1"]);
  });

  it("are tried again soon where the API does not find the address that it has just created", async () => {
    const { clock, cloud, inventory, list } = start();
    await list();
    cloud.outcome = { kind: "created", address: facts(A) };
    await inventory.create(cloud.provider, ASKER, { family: "IPv4", region: "r" });
    cloud.refusal = failure({ kind: "NotFound", outcome: "refused", status: 404 });
    const assign = () => errorOf(inventory.assign(cloud.provider, ASKER, { ip: A, node: "n1" }));
    expect(await assign()).to.include({ kind: "Conflict" });
    expect(inventory.view().isGone(A)).to.equal(false);
    await clock.advance(30_000);
    expect(await assign()).to.include({ kind: "NotFound" });
  });

  for (const [what, props] of Object.entries({
    "that is in conflict": { kind: "Conflict", outcome: "refused" },
    "that finds nothing": { kind: "NotFound", outcome: "refused" },
    "whose answer is lost": { kind: "Unavailable", outcome: "unknown" },
  } as const)) {
    it(`believe what they read after a change ${what}, even against an action of a moment ago`, async () => {
      const { cloud, inventory, list, holder, move } = start(facts(A));
      await list();
      await move(A, "n1");
      cloud.addresses.set(A, facts(A, "n2"));
      cloud.refusal = failure(props);
      expect(await errorOf(inventory.assign(cloud.provider, ASKER, { ip: A, node: "n3" }))).to.equal(cloud.refusal);
      expect(holder()).to.equal("n2");
    });
  }

  for (const [what, node] of [
    ["release", undefined],
    ["unassignment", "n2"],
  ] as const) {
    it(`hold back the ${what} of an address that late reads show where it was before, for 30 s`, async () => {
      const late = failure({ kind: "Conflict", reason: "HeldElsewhere", outcome: "refused" });
      const { clock, cloud, inventory, list, holder } = start(facts(A, "n1"));
      const unassign = (from: string) => inventory.unassign(cloud.provider, ASKER, { ip: A, from });
      Object.assign(cloud.provider, { unassign: cloud.provider.assign });
      await list();
      await (node === undefined ? unassign("n1") : inventory.assign(cloud.provider, ASKER, { ip: A, node }));
      cloud.state = "completed";
      await inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: node });
      const refuse = () => Promise.reject(late);
      Object.assign(cloud.provider, { unassign: refuse, release: refuse });
      const change = () => (node === undefined ? inventory.release(cloud.provider, ASKER, A) : unassign(node));
      expect(await errorOf(change())).to.include({ reason: "Superseded", outcome: "not-sent" });
      for (let reads = 0; reads < 5; reads++) {
        const { rereadSeconds } = inventory.view();
        expect([inventory.view().get(A)?.unconfirmed, rereadSeconds, holder()]).to.deep.equal([true, 5, node]);
        await clock.advance(5_000);
        await inventory.read(ASKER, A);
      }
      cloud.addresses.set(A, facts(A, node));
      await clock.advance(5_000);
      await inventory.read(ASKER, A);
      expect([inventory.view().get(A)?.unconfirmed, holder()]).to.deep.equal([false, node]);
      expect(await errorOf(change())).to.equal(late);
    });
  }

  it("do not believe a read that began before our action and was answered after its end", async () => {
    const { clock, cloud, inventory, list, holder } = start(facts(A, "n1"));
    await list();
    let open = (): void => undefined;
    cloud.gate = new Promise((resolve) => {
      open = resolve;
    });
    const slow = inventory.read(ASKER, A);
    cloud.gate = Promise.resolve();
    await clock.advance(5_000);
    await inventory.assign(cloud.provider, ASKER, { ip: A, node: "n3" });
    cloud.addresses.set(A, facts(A, "n2"));
    cloud.state = "errored";
    await inventory.poll(cloud.provider, ASKER, { ip: A, id: "7", expected: "n3" });
    open();
    await slow;
    expect(holder()).to.equal("n2");
  });
});
