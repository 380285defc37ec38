import { expect } from "chai";
import { describe, it } from "mocha";
import { AccountInventory } from "../../src/inventory/account-inventory.js";
import { PicturedMap } from "../../src/inventory/pictured-map.js";
import type { CallContext } from "../../src/providers/call.js";
import { supersededError } from "../../src/providers/decision.js";
import type { ProviderError } from "../../src/providers/errors.js";
import type {
  ActionFacts,
  AddressFacts,
  AddressProvider,
  CreateOutcome,
  ProviderId,
} from "../../src/providers/types.js";
import { callOf, failure } from "../providers/support.js";
import { FakeClock } from "../support/fake-clock.js";
import { errorOf } from "../support/http-rig.js";

const WEB = { kind: "FloatingIPPool", namespace: "apps", name: "web", uid: "1" };
const MAIL = { ...WEB, name: "mail", uid: "2" };
const ASKER: CallContext = { requester: WEB, why: "a test asks", priority: "check" };
const [A, B, V6] = ["203.0.113.7", "203.0.113.8", "2001:db8::1"];
const MINUTE = 60_000;

function facts(ip: string, holder?: ProviderId): AddressFacts {
  return { ip, family: "IPv4", region: "r", ...(holder === undefined ? {} : { holder }) };
}

/** Answers from a map, or as it is told; notes what it is asked. */
class FakeCloud {
  readonly addresses = new Map<string, AddressFacts>();
  readonly asked: string[] = [];
  /** Missing in lists, though they are there. */
  readonly unlisted = new Set<string>();
  refusal: ProviderError | undefined;
  state: ActionFacts["state"] = "in-progress";
  outcome: CreateOutcome = { kind: "unknown", error: failure() };
  gate: Promise<void> = Promise.resolve();
  priority: string | undefined;
  urgency: CallContext["urgency"];

  readonly provider = {
    list: async (context: CallContext, { named }: { readonly named: readonly string[] }) => {
      this.asked.push(`list ${named.join(" ")}`.trim());
      this.priority = context.priority;
      this.urgency = context.urgency;
      await this.gate;
      if (this.refusal !== undefined) throw this.refusal;
      return [...this.addresses.values()].filter(({ ip }) => !this.unlisted.has(ip));
    },
    get: async (_: CallContext, ip: string) => {
      this.asked.push(`get ${ip}`);
      const seen = this.addresses.get(ip);
      await this.gate;
      return seen;
    },
    assign: async (_: CallContext, { ip }: { readonly ip: string }) => {
      if (this.refusal !== undefined) throw this.refusal;
      return { id: "7", ip, state: "in-progress" } as const;
    },
    action: async (_: CallContext, { ip, id }: { readonly ip: string; readonly id: string }, expected?: ProviderId) => {
      this.asked.push(`action ${id} ${expected}`);
      return { id, ip, state: this.state };
    },
    create: async () => this.outcome,
    release: async (_: CallContext, ip: string) => void this.addresses.delete(ip),
  } satisfies Partial<AddressProvider> as Partial<AddressProvider> as AddressProvider;
}

describe("the calls of an account's inventory", () => {
  function start(...addresses: readonly AddressFacts[]) {
    const [clock, cloud] = [new FakeClock(), new FakeCloud()];
    for (const address of addresses) cloud.addresses.set(address.ip, address);
    const inventory = new AccountInventory(cloud.provider, "IPv4", clock);
    const list = (maxAgeSeconds = 0) => inventory.ensure({ maxAgeSeconds });
    const holder = (ip = A) => inventory.view().get(ip)?.holder;
    /** An action of ours on an address, up to its end. */
    const move = async (ip: string, node: ProviderId) => {
      await inventory.assign(cloud.provider, ASKER, { ip, node });
      cloud.state = "completed";
      await inventory.poll(cloud.provider, ASKER, { ip, id: "7", expected: node });
      cloud.addresses.set(ip, facts(ip, node));
    };
    return { clock, cloud, inventory, list, holder, move };
  }

  it("are none for a list that is just as old as it may be", async () => {
    const { clock, cloud, list } = start();
    await list();
    await clock.advance(300_000);
    await list(300);
    expect(cloud.asked).to.have.length(1);
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

  it("are as urgent as whoever waits for the list, and no longer than that", async () => {
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

  it("ask for a read of an overdue action that nobody polls", async () => {
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

  it("leave a reservation that nobody releases to others after 600 s", async () => {
    const { clock, inventory, list } = start();
    await list();
    inventory.reserve("n1", WEB);
    await clock.advance(599_000);
    expect(inventory.reserve("n1", MAIL)).to.equal(undefined);
    await clock.advance(1_000);
    expect(inventory.view().reservedFor("n1")).to.equal(undefined);
    expect(inventory.reserve("n1", MAIL)).not.to.equal(undefined);
  });

  it("are for the names of the own family alone", async () => {
    const { cloud, inventory, list } = start();
    inventory.want(WEB, [A, V6]);
    await list();
    expect(cloud.asked).to.deep.equal([`list ${A}`, `get ${A}`]);
    expect([inventory.view().isGone(A), inventory.view().isGone(V6)]).to.deep.equal([true, false]);
  });

  it("forget what is gone when nobody names it any more, and when it is back", async () => {
    const { clock, cloud, inventory, list } = start();
    inventory.want(WEB, [A, B]);
    await list();
    cloud.addresses.set(A, facts(A));
    inventory.want(WEB, [A]);
    await clock.advance(1_001);
    await list();
    expect([A, B].map((ip) => inventory.view().isGone(ip))).to.deep.equal([false, false]);
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

  it("read an address alone that we wrote to and the list lacks, though nobody names it", async () => {
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

  it("read nothing after a change that was refused for its rate", async () => {
    const { cloud, inventory, list } = start(facts(A));
    await list();
    cloud.refusal = failure({ kind: "RateLimited", outcome: "refused" });
    await errorOf(inventory.assign(cloud.provider, ASKER, { ip: A, node: "n3" }));
    expect(cloud.asked).to.deep.equal(["list"]);
  });

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

  it("leave a node to the one that has it now, when a former holder gives it back late", () => {
    const { inventory } = start();
    const previous = inventory.reserve("n1", WEB);
    inventory.forget(WEB);
    inventory.reserve("n1", MAIL);
    previous?.release();
    expect(inventory.view().reservedFor("n1")).to.equal(MAIL);
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

  it("show the addresses of a node in order, however the list has them", async () => {
    const { inventory, list } = start(facts(B, "n1"), facts(A, "n1"));
    await list();
    const held = inventory.view().heldBy("n1");
    expect(held.map(({ ip }) => ip)).to.deep.equal([A, B]);
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

describe("a map that gives out pictures", () => {
  it("makes a new one after each change, and none where nothing has changed", () => {
    const map = new PicturedMap<string, number>([["a", 1]]);
    const pictures = [map.picture()];
    for (const change of [() => map.set("b", 2), () => map.delete("a"), () => map.clear()]) {
      change();
      pictures.push(map.picture());
    }
    expect(pictures.map((picture) => [...picture.keys()].join(""))).to.deep.equal(["a", "ab", "b", ""]);
    expect(map.picture()).to.equal(pictures.at(-1));
  });
});
