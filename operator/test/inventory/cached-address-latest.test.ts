import { expect } from "chai";
import { describe, it } from "mocha";
import { AccountInventory } from "../../src/inventory/account-inventory.js";
import type { CallContext } from "../../src/providers/call.js";
import type {
  ActionFacts,
  AddressFacts,
  AddressProvider,
  LatestAction,
  ProviderId,
} from "../../src/providers/types.js";
import { failure } from "../providers/support.js";
import { FakeClock } from "../support/time/fake-clock.js";

const IP = "203.0.113.7";
const CONTEXT: CallContext = {
  requester: { kind: "FloatingIPPool", namespace: "apps", name: "web" },
  why: "a test asks",
  priority: "assignment",
};
const FREE: AddressFacts = { ip: IP, family: "IPv4", region: "r" };

describe("a lost answer, with a list of actions", () => {
  /** An assign call to n1 whose answer is lost, 600 ms after a full second. */
  async function lose(latest: LatestAction | (() => Promise<never>) | undefined) {
    const clock = new FakeClock();
    const asked: string[] = [];
    const cloud = { address: FREE, state: "in-progress" as ActionFacts["state"], latest };
    const provider = {
      list: async () => [cloud.address],
      get: async () => {
        asked.push("get");
        return cloud.address;
      },
      assign: async () => ({ id: "", ip: IP, state: "in-progress" as const }),
      action: async (_: CallContext, { id }: { readonly id: string }) => {
        asked.push(`action ${id}`);
        return { id, ip: IP, state: cloud.state };
      },
      latestAction: async () => {
        asked.push("latest");
        return typeof cloud.latest === "function" ? cloud.latest() : cloud.latest;
      },
    } satisfies Partial<AddressProvider> as Partial<AddressProvider> as AddressProvider;
    const inventory = new AccountInventory(provider, "IPv4", clock);
    await inventory.ensure({ maxAgeSeconds: 0 });
    await clock.advance(1_000 - (clock.now() % 1_000) + 600);
    await inventory.assign(provider, CONTEXT, { ip: IP, node: "n1" });
    const poll = async (id = "") => {
      await clock.advance(5_000);
      return inventory.poll(provider, CONTEXT, { ip: IP, id, expected: "n1" });
    };
    const held = (holder: ProviderId) => {
      cloud.address = { ...FREE, holder };
    };
    return { asked, clock, cloud, held, inventory, poll, view: () => inventory.view().get(IP) };
  }

  function action(more: Partial<LatestAction> = {}): LatestAction {
    const second = Math.floor(new FakeClock().now() / 1_000) * 1_000 + 1_000;
    return { id: "9", ip: IP, verb: "assign", state: "in-progress", startedAt: second, ...more };
  }

  it("is followed by the id that the list has, from then on", async () => {
    const { asked, poll, view } = await lose(action());
    expect(await poll()).to.deep.equal({ id: "9", ip: IP, state: "in-progress" });
    expect(view()?.inFlight).to.deep.equal({ id: "9", expected: "n1" });
    await poll();
    await poll("9");
    expect(asked).to.deep.equal(["latest", "action 9", "action 9"]);
  });

  it("ends as completed where the list and the address agree", async () => {
    const { asked, held, poll, view } = await lose(action({ state: "completed" }));
    held("n1");
    expect((await poll()).state).to.equal("completed");
    expect(view()?.inFlight).to.equal(undefined);
    expect(asked).to.deep.equal(["latest", "get"]);
  });

  it("ends as errored at once where the list says so", async () => {
    const { asked, poll, view } = await lose(action({ state: "errored" }));
    expect(await poll()).to.deep.equal({ id: "9", ip: IP, state: "errored" });
    expect(view()?.inFlight).to.equal(undefined);
    expect(asked).to.deep.equal(["latest", "get"]);
  });

  for (const [when, at] of [
    ["in the list", "list"],
    ["later", "poll"],
  ] as const) {
    it(`is not completed where the action was for another node: the address shows it (${when})`, async () => {
      const { cloud, held, poll } = await lose(action({ state: at === "list" ? "completed" : "in-progress" }));
      held("n2");
      if (at === "poll") await poll();
      cloud.state = "completed";
      expect((await poll()).state, "one read is not enough").to.equal("in-progress");
      expect(await poll("9")).to.deep.include({ state: "errored" });
    });
  }

  for (const [what, latest] of [
    ["an action that began before the call", action({ startedAt: action().startedAt - 1 })],
    ["the end of an assignment", action({ verb: "unassign" })],
    ["no action", undefined],
    ["an error", () => Promise.reject(failure())],
  ] as const) {
    it(`is decided by holder and lock where the list has ${what}, and the list is not read again`, async () => {
      const { asked, held, poll } = await lose(latest);
      expect((await poll()).state).to.equal("in-progress");
      held("n1");
      expect((await poll()).state).to.equal("completed");
      expect(asked).to.deep.equal(["latest", "get", "get"]);
    });
  }

  it("is not taken for an action whose id the API gave before", async () => {
    const made = await lose(undefined);
    made.held("n1");
    await made.poll();
    const provider = { action: async () => ({ id: "9", ip: IP, state: "errored" as const }), get: async () => FREE };
    const known = { ...provider, assign: async () => ({ id: "9", ip: IP, state: "in-progress" as const }) };
    const named = known as Partial<AddressProvider> as AddressProvider;
    await made.inventory.assign(named, CONTEXT, { ip: IP, node: "n1" });
    await made.inventory.poll(named, CONTEXT, { ip: IP, id: "9", expected: "n1" });
    const lost = { ...known, assign: async () => ({ id: "", ip: IP, state: "in-progress" as const }) };
    const again = { ...lost, latestAction: async () => action({ state: "errored", startedAt: made.clock.now() }) };
    const unnamed = again as Partial<AddressProvider> as AddressProvider;
    await made.inventory.assign(unnamed, CONTEXT, { ip: IP, node: "n1" });
    await made.clock.advance(1_000);
    const facts = await made.inventory.poll(unnamed, CONTEXT, { ip: IP, id: "", expected: "n1" });
    expect(facts.state).to.equal("in-progress");
  });

  it("of a former process is followed where an action runs, and no older one counts", async () => {
    for (const [state, id] of [
      ["in-progress", "9"],
      ["errored", ""],
    ] as const) {
      const { inventory, clock } = await lose(undefined);
      const other = { list: async () => [FREE], get: async () => FREE, latestAction: async () => action({ state }) };
      const provider = other as Partial<AddressProvider> as AddressProvider;
      const next = new AccountInventory(provider, "IPv4", clock);
      await next.ensure({ maxAgeSeconds: 0 });
      expect(await next.poll(provider, CONTEXT, { ip: IP, id: "", expected: "n1" })).to.include({
        state: "in-progress",
        id,
      });
      expect(inventory.view().get(IP)?.inFlight?.id).to.equal("");
    }
  });
});
