import { expect } from "chai";
import { describe, it } from "mocha";
import { AddressAccounts } from "../../../src/addresses/accounts/account-registry.js";
import { AddressAccount } from "../../../src/addresses/accounts/address-account.js";
import { Inventories } from "../../../src/inventory/inventories.js";
import { sharedRead } from "../../../src/providers/call.js";
import { ProviderError, type ProviderErrorProps } from "../../../src/providers/errors.js";
import type { ProviderRegistry } from "../../../src/providers/registry.js";
import type { AddressProvider } from "../../../src/providers/types.js";
import { FakeClock } from "../../support/time/fake-clock.js";

describe("an account of addresses", () => {
  const error = (kind: "Unauthorized" | "Unavailable" | "Conflict", more: Partial<ProviderErrorProps> = {}) =>
    new ProviderError({ kind, where: "test", seen: "no", remedy: "wait", outcome: "refused", ...more });

  function rig() {
    const clock = new FakeClock();
    const state = { fails: undefined as ProviderError | undefined, lists: 0 };
    const provider = {
      name: "test",
      capabilities: {
        ...{ families: ["IPv4"], addressesPerNode: 1, regional: false, movesHeld: true },
        ...{ createsOnNode: [], providerIdScheme: "test" },
      },
      accountKey: () => (state.fails === undefined ? Promise.resolve("key") : Promise.reject(state.fails)),
      list: () => {
        state.lists += 1;
        return state.fails === undefined ? Promise.resolve([]) : Promise.reject(state.fails);
      },
      get: (_context?: unknown, _ip?: string): Promise<undefined> => Promise.resolve(undefined),
    } satisfies Partial<AddressProvider>;
    const tools = { clock, inventories: new Inventories(clock) };
    const open = () => new AddressAccount(provider as Partial<AddressProvider> as AddressProvider, "IPv4", tools);
    return { clock, state, provider, account: open(), open };
  }

  it("is read once while its list is young", async () => {
    const { state, account, clock } = rig();
    await account.refresh(300, "check");
    await account.refresh(300, "check");
    expect(state.lists).to.equal(1);
    await clock.advance(301_000);
    await account.refresh(300, "check");
    expect(state.lists).to.equal(2);
  });

  it("reports no failed read of an address that a list shows and that needs no other read", async () => {
    const { provider, account } = rig();
    const ip = "203.0.113.7";
    Object.assign(provider, { list: () => Promise.resolve([{ ip, family: "IPv4", region: "" }]) });
    await account.refresh(300, "check");
    provider.get = () => Promise.reject(error("Unavailable", { status: 500 }));
    await account.read(sharedRead("a test asks"), [ip]);
    expect(account.troubleOf([ip])).to.deep.equal({});
  });

  it("keeps still after a failure until another try is due, and says what it was", async () => {
    const { state, account, clock } = rig();
    await account.refresh(300, "check");
    state.fails = error("Unauthorized");
    account.note(state.fails);
    expect(account.failure?.reason).to.equal("Unauthorized");
    await account.refresh(0, "check");
    expect(state.lists).to.equal(1);
    await clock.advance(60_000);
    await account.refresh(300, "check");
    expect(state.lists, "the next try").to.equal(2);
    state.fails = undefined;
    await clock.advance(300_000);
    await account.refresh(300, "check");
    expect(account.failure).to.equal(undefined);
  });

  it("is readable once it has a list, and not after a call for one address has failed until the API answers", async () => {
    const { account } = rig();
    expect(account.readable, "no list").to.equal(false);
    await account.refresh(300, "check");
    expect(account.readable).to.equal(true);
    account.note(error("Unavailable", { status: 500 }), "203.0.113.7");
    expect([account.failure, account.readable]).to.deep.equal([undefined, false]);
    account.answered();
    expect(account.readable).to.equal(true);
  });

  it("is read again soon while it fails, not before the API asks, and its first failure stays in the message", async () => {
    const { state, account, clock } = rig();
    await account.refresh(300, "check");
    state.fails = error("Unavailable");
    for (let failures = 0; failures < 20; failures++) {
      account.note(error("Unavailable", { seen: `failure ${failures}` }));
      const waits = (account.retryAt ?? 0) - clock.now();
      expect(waits).to.be.within(1, 10_000);
      await clock.advance(waits);
      await account.refresh(300, "check");
    }
    expect(account.failure?.message).to.include("failure 0");
    await clock.advance(10_000);
    account.note(error("Unavailable", { retryAfterSeconds: 45 }));
    expect(account.retryAt).to.equal(clock.now() + 45_000);
  });

  it("names no address in a failure that all its resources report: another namespace may have the address", async () => {
    const { account, provider } = rig();
    await account.refresh(300, "check");
    const failing = (where: string) => error("Unavailable", { where, seen: "answer 503" });
    account.note(failing("test: assign 203.0.113.7 to droplet 12"));
    expect(account.failure?.message).to.equal("test: read or change an address: answer 503; fix: wait");
    account.answered();
    provider.get = () => Promise.reject(failing("test: read address 203.0.113.7"));
    await account.read({ ...sharedRead("test", "check") }, ["203.0.113.7"]);
    expect(account.failure?.message).to.equal("test: read or change an address: answer 503; fix: wait");
  });

  it("takes an answer 5xx about one address for that address's failure, until a list or another address fails", async () => {
    const { state, account } = rig();
    await account.refresh(300, "check");
    const failing = error("Unavailable", { status: 500 });
    for (let times = 0; times < 3; times++) account.note(failing, "203.0.113.7");
    expect([account.failure, state.lists]).to.deep.equal([undefined, 1]);
    await account.refresh(300, "check");
    expect([account.failure, state.lists], "whether the account is the cause").to.deep.equal([undefined, 2]);
    account.note(failing, "203.0.113.8");
    expect(account.failure, "a list was answered in between").to.equal(undefined);
    account.note(failing, "203.0.113.9");
    expect(account.failure?.reason, "of two addresses").to.equal("ProviderUnavailable");
    account.answered();
    account.note(failing, "203.0.113.7");
    state.fails = failing;
    await account.refresh(300, "check");
    expect(account.failure?.reason, "the list").to.equal("ProviderUnavailable");
    account.answered();
    for (const kind of ["Unauthorized", "Unavailable"] as const) {
      account.note(error(kind), "203.0.113.7");
      expect(account.failure, `${kind} without an answer of the API`).to.not.equal(undefined);
      account.answered();
    }
  });

  it("takes a read 5xx of one address for that address's failure, and asks again for it alone", async () => {
    const { state, account, provider, clock } = rig();
    await account.refresh(300, "check");
    const reads: string[] = [];
    const [broken, sound, other] = ["203.0.113.7", "203.0.113.8", "203.0.113.9"] as const;
    const failing = new Set<string>([broken]);
    provider.get = (_context?: unknown, ip = "") => {
      reads.push(ip);
      return failing.has(ip) ? Promise.reject(error("Unavailable", { status: 500 })) : Promise.resolve(undefined);
    };
    const context = sharedRead("test", "check");
    await account.read(context, [broken]);
    expect([account.failure, account.troubleOf([sound])], "of the others").to.deep.equal([undefined, {}]);
    expect(account.troubleOf([sound, broken])).to.deep.include({ retryAt: clock.now() + 1_000 });
    expect(account.troubleOf([broken]).failure?.reason).to.equal("ProviderUnavailable");
    await account.read(context, [broken]);
    expect(reads, "before it is due").to.deep.equal([broken]);
    await clock.advance(1_000);
    failing.clear();
    await account.read(context, [broken]);
    expect([reads.length, account.troubleOf([broken])]).to.deep.equal([2, {}]);
    for (const ip of [broken, other]) failing.add(ip);
    await clock.advance(2_000);
    account.inventory?.want({ kind: "Test", namespace: "a", name: "b", uid: "c" }, [sound]);
    await account.read(context, [broken, other]);
    expect(account.failure?.reason, "two addresses in a row").to.equal("ProviderUnavailable");
    expect(state.lists).to.equal(1);
  });

  it("has a list although the read of an address that it lacks fails", async () => {
    const { account, provider, clock } = rig();
    await account.refresh(300, "check");
    await clock.advance(2_000);
    const [first, second] = ["203.0.113.7", "203.0.113.8"];
    const failing = new Set([first]);
    provider.get = (_context?: unknown, ip = "") =>
      failing.has(ip) ? Promise.reject(error("Unavailable", { status: 502 })) : Promise.resolve(undefined);
    account.inventory?.want({ kind: "Test", namespace: "a", name: "b", uid: "c" }, [first, second]);
    await account.refresh(0, "check");
    await clock.advance(5_000);
    await account.refresh(0, "check");
    const view = account.inventory?.view();
    expect([account.failure, view?.isGone(first), view?.isGone(second)]).to.deep.equal([undefined, false, true]);
  });

  it("takes a list that began after its failure as an answer, for any caller", async () => {
    const { state, account, open, clock } = rig();
    const other = open();
    await Promise.all([account.refresh(300, "check"), other.refresh(300, "check")]);
    account.note(error("Unavailable"));
    other.note(error("Unavailable"));
    await clock.advance(1_000);
    const before = state.lists;
    await account.refresh(300, "check");
    await clock.advance(10);
    await other.refresh(300, "check");
    expect([state.lists - before, account.failure, other.failure]).to.deep.equal([1, undefined, undefined]);
    account.note(error("Unavailable"));
    await clock.advance(1_000);
    await account.refresh(300, "check");
    expect(state.lists - before, "a list of before the failure").to.equal(2);
  });

  it("has recovered when reads that failed are answered again; a refused change alone shows no recovery", async () => {
    const { state, account, clock } = rig();
    await account.refresh(300, "check");
    account.note(error("Unavailable"));
    await clock.advance(1_000);
    await account.refresh(300, "check");
    expect([account.failure, account.recovered]).to.deep.equal([undefined, 0]);
    account.note(error("Unauthorized"));
    state.fails = error("Unauthorized");
    await clock.advance(1_000);
    await account.refresh(300, "check");
    expect(account.failure?.reason).to.equal("Unauthorized");
    state.fails = undefined;
    await clock.advance(60_000);
    await account.refresh(300, "check");
    expect([account.failure, account.recovered]).to.deep.equal([undefined, 1]);
  });

  it("notifies those that wait for it when it is open, before the next decision on it", async () => {
    const { account } = rig();
    const notified: string[] = [];
    const resource = (uid: string) => ({ kind: "FloatingIPPool", namespace: "default", name: uid, uid });
    for (const uid of ["a", "b", "c"]) account.whenOpen(resource(uid), () => notified.push(uid));
    account.forget(resource("b"));
    expect(notified).to.be.empty;
    await account.refresh(300, "check");
    expect(notified).to.deep.equal(["a", "c"]);
    account.whenOpen(resource("d"), () => notified.push("d"));
    expect(notified).to.deep.equal(["a", "c", "d"]);
  });

  it("takes neither a conflict nor a call that was given up for a failure of the account", () => {
    const { account } = rig();
    account.note(error("Conflict"));
    account.note(error("Unavailable", { reason: "Cancelled" }));
    expect(account.failure).to.equal(undefined);
  });

  it("takes many failures at once for one, and an old trouble for none", async () => {
    const { state, account, clock } = rig();
    const waits = () => (account.retryAt ?? 0) - clock.now();
    const fail = async () => {
      await clock.advance(waits());
      await account.refresh(0, "check");
    };
    await account.refresh(300, "check");
    state.fails = error("Unavailable");
    for (let call = 0; call < 10; call++) account.note(state.fails);
    await fail();
    expect(waits(), "the second failure").to.equal(1_000);
    for (let failures = 0; failures < 5; failures++) await fail();
    expect(waits()).to.equal(10_000);
    await clock.advance(15 * 60_000);
    await account.refresh(0, "check");
    expect(waits(), "after a long rest").to.equal(1_000);
  });

  it("has recovered once where it fails and answers in turn", async () => {
    const { state, account, clock } = rig();
    await account.refresh(300, "check");
    await clock.advance(60_000);
    for (let iteration = 0; iteration < 3; iteration++) {
      await clock.advance(1);
      state.fails = error("Unavailable");
      await account.refresh(0, "check");
      state.fails = undefined;
      await clock.advance(Math.max(1, (account.retryAt ?? 0) - clock.now()));
      await account.refresh(0, "check");
    }
    expect(account.recovered).to.equal(1);
  });

  it("is a problem of the resource where the provider does not serve the family", () => {
    const { account } = rig();
    const set = { addresses: account.provider, close: () => Promise.resolve() };
    const registry = {
      get: () => set,
      onTokenReplaced: () => undefined,
    } as Partial<ProviderRegistry> as ProviderRegistry;
    const clock = new FakeClock();
    const accounts = new AddressAccounts(registry, { clock, inventories: new Inventories(clock) });
    expect(accounts.find("test", "IPv6")).to.include({ reason: "Unsupported" });
    expect(accounts.find("test", "IPv4")).to.be.instanceOf(AddressAccount);
  });
});
