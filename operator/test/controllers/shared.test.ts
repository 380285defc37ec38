import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { AddressAccount, AddressAccounts } from "../../src/controllers/address-accounts.js";
import { AnnotatedNodes } from "../../src/controllers/annotated-nodes.js";
import { Background } from "../../src/controllers/background.js";
import { isCleanupOverdue } from "../../src/controllers/cleanup.js";
import { contestedUntil, isContested } from "../../src/controllers/contested.js";
import { CreationBook, type OpenCreation } from "../../src/controllers/creation-book.js";
import { Newest } from "../../src/controllers/newest.js";
import { annotationRemoval } from "../../src/controllers/node-annotations.js";
import { Owners, parseOwner } from "../../src/controllers/owners.js";
import { Inventories } from "../../src/inventory/inventories.js";
import type { KubeObject } from "../../src/kube/objects.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { OwnSeries } from "../../src/metrics/series.js";
import { ProviderError, type ProviderErrorProps } from "../../src/providers/errors.js";
import type { ProviderRegistry } from "../../src/providers/registry.js";
import type { AddressProvider } from "../../src/providers/types.js";
import { AbsentKinds } from "../../src/runtime/absent-kinds.js";
import { facts, slimNode } from "../match/cluster.js";
import { FakeClock } from "../support/fake-clock.js";

function version(resourceVersion: string, uid = "u"): KubeObject {
  return { metadata: { name: "a", uid, resourceVersion } };
}

describe("the newest version of an object", () => {
  it("is our own last write until the cache has caught up", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("7"), version("9"));
    newest.wrote(version("9"), version("12"));
    for (const stale of ["7", "9", "11"]) expect(newest.of(version(stale))).to.deep.equal(version("12"));
    expect(newest.of(version("13"))).to.deep.equal(version("13"));
    expect(newest.of(version("12"))).to.deep.equal(version("12"));
  });

  it("is gone with the object, and another object of the name is none of ours", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("7"), version("9"));
    expect(newest.of(undefined)).to.equal(undefined);
    expect(newest.of(version("8", "other"))).to.deep.equal(version("8", "other"));
  });

  it("does not go by versions that were replaced before the cache had caught up", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("x1"), version("x2"));
    newest.of(version("x2"));
    newest.of(version("x3"));
    newest.wrote(version("x3"), version("x4"));
    expect(newest.of(version("x1"))).to.deep.equal(version("x1"));
  });

  it("goes by what was replaced where versions are no numbers", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("x1"), version("x2"));
    expect(newest.of(version("x1"))).to.deep.equal(version("x2"));
    expect(newest.of(version("x0"))).to.deep.equal(version("x0"));
  });
});

describe("what others undo", () => {
  const MINUTE = 60_000;

  it("is contested from the third time in ten minutes, whatever the order they are told in", () => {
    expect(isContested([0, 5 * MINUTE, 10 * MINUTE])).to.equal(true);
    expect(isContested([0, 5 * MINUTE, 10 * MINUTE + 1])).to.equal(false);
    expect(isContested([9 * MINUTE, 0, 5 * MINUTE])).to.equal(true);
    expect(isContested([15 * MINUTE, 0, 5 * MINUTE])).to.equal(false);
    expect(isContested([0, 5 * MINUTE])).to.equal(false);
  });

  it("is left alone for ten minutes after the last time", () => {
    const times = [0, 1, 2].map((minute) => minute * MINUTE);
    expect(contestedUntil(times, 11 * MINUTE)).to.equal(12 * MINUTE);
    expect(contestedUntil(times, 12 * MINUTE)).to.equal(undefined);
  });
});

describe("the deadline of a clean-up", () => {
  const HOUR = 3_600_000;
  const deletionTimestamp = new Date(0).toISOString();
  const tried = { attempts: 10, since: HOUR - 600_000 };

  it("passes an hour after the deletion, after ten tries over ten minutes", () => {
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, tried)).to.equal(true);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR - 1, { ...tried, since: 0 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { ...tried, attempts: 9 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { ...tried, since: tried.since + 1 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { attempts: 10 })).to.equal(false);
  });
});

describe("the book of creations", () => {
  const creation = (uid: string, more: Partial<OpenCreation> = {}): OpenCreation => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: uid, uid };
    return { resource, provider: "digitalocean", family: "IPv4", account: undefined, ...more };
  };

  it("keeps one account's creations apart, of one family, and tells who waits", () => {
    const told: string[][] = [];
    const book = new CreationBook((uids) => told.push([...uids]));
    const [mine, yours] = [{}, {}];
    book.set(creation("a", { account: mine }));
    expect(book.others(creation("a", { account: mine }))).to.be.empty;
    expect(book.others(creation("b", { account: yours }))).to.be.empty;
    expect(book.others(creation("b", { account: mine, family: "IPv6" }))).to.be.empty;
    expect(book.others(creation("e", { provider: "other" })), "another cloud").to.be.empty;
    expect(book.others(creation("c", { account: mine }))).to.have.length(1);
    expect(book.others(creation("d"))).to.have.length(1);
    book.end("a");
    book.end("a");
    expect(told).to.deep.equal([["c", "d"]]);
    expect(book.others(creation("c", { account: mine }))).to.be.empty;
  });
});

describe("nodes that bear an address", () => {
  const [VALUE, OWNER] = [Annotation.reservedIpv4, Annotation.reservedIpv4Owner];
  const bearing = (name: string, annotations: Readonly<Record<string, string>>) => slimNode(name, { annotations });

  it("are found by address and by owner, each once, and followed", () => {
    const directory = new NodeDirectory([bearing("a", { [VALUE]: "203.0.113.1", [OWNER]: "n/p/u" })]);
    const annotated = new AnnotatedNodes(directory);
    const names = (owner: string, ips: readonly string[]) => annotated.find("IPv4", owner, ips).map(({ name }) => name);
    directory.apply({ type: "added", object: bearing("b", { [VALUE]: "203.0.113.2" }) });
    expect(names("n/p/u", ["203.0.113.1", "203.0.113.2"])).to.have.members(["a", "b"]);
    expect(annotated.find("IPv6", "n/p/u", ["203.0.113.1"])).to.be.empty;
    const old = bearing("b", { [VALUE]: "203.0.113.2" });
    directory.apply({ type: "updated", old, object: bearing("b", {}) });
    expect(names("nobody", ["203.0.113.2"])).to.be.empty;
    expect([...annotated.all()]).to.deep.equal(["a"]);
    directory.apply({ type: "deleted", object: slimNode("a") });
    expect([...annotated.all()]).to.be.empty;
  });

  it("lose what was seen on them, and nothing else", () => {
    const node = facts("a", { annotations: { [VALUE]: "203.0.113.1", [OWNER]: "n/p/u", other: "kept" } });
    const { body } = annotationRemoval(node, "IPv4") ?? {};
    const ops = body as readonly { readonly op: string; readonly path: string; readonly value?: unknown }[];
    expect(ops[0]).to.deep.equal({ op: "test", path: "/metadata/uid", value: node.uid });
    expect(ops.filter(({ op }) => op === "remove")).to.have.length(2);
    expect(ops[1]).to.deep.include({ op: "test", value: "203.0.113.1" });
    expect(annotationRemoval(facts("b"), "IPv4")).to.equal(undefined);
  });

  it("lose their owner only where all who could have it see all theirs, and do not have it", () => {
    const owners = new Owners();
    expect(owners.isGone("u"), "no such kind is served").to.equal(false);
    let seen: boolean | undefined = false;
    owners.add(() => seen);
    expect(owners.isGone("u")).to.equal(true);
    owners.add(() => false);
    expect(owners.isGone("u")).to.equal(true);
    for (seen of [undefined, true]) expect(owners.isGone("u"), String(seen)).to.equal(false);
  });

  it("name their owner in three parts", () => {
    expect(parseOwner("ns/web/uid-1")).to.deep.equal({ namespace: "ns", name: "web", uid: "uid-1" });
    for (const text of ["", "web", "ns/web", "ns//uid", "a/b/c/d"]) expect(parseOwner(text), text).to.equal(undefined);
  });
});

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
      get: () => Promise.resolve(undefined),
    } satisfies Partial<AddressProvider>;
    const account = new AddressAccount(provider as Partial<AddressProvider> as AddressProvider, "IPv4", {
      clock,
      inventories: new Inventories(clock),
    });
    return { clock, state, account };
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

  it("is looked into soon while it fails, not before the API asks, and its first failure is what is told", async () => {
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

  it("has recovered when reads that failed are answered again; a refused change alone tells nothing of it", async () => {
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

  it("tells those who wait for it when it is open, before anybody decides on it", async () => {
    const { account } = rig();
    const told: string[] = [];
    const resource = (uid: string) => ({ kind: "FloatingIPPool", namespace: "default", name: uid, uid });
    for (const uid of ["a", "b", "c"]) account.whenOpen(resource(uid), () => told.push(uid));
    account.forget(resource("b"));
    expect(told).to.be.empty;
    await account.refresh(300, "check");
    expect(told).to.deep.equal(["a", "c"]);
    account.whenOpen(resource("d"), () => told.push("d"));
    expect(told).to.deep.equal(["a", "c", "d"]);
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
    for (let turn = 0; turn < 3; turn++) {
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
    const registry = { get: () => set } as Partial<ProviderRegistry> as ProviderRegistry;
    const clock = new FakeClock();
    const accounts = new AddressAccounts(registry, { clock, inventories: new Inventories(clock) });
    expect(accounts.find("test", "IPv6")).to.include({ reason: "Unsupported" });
    expect(accounts.find("test", "IPv4")).to.be.instanceOf(AddressAccount);
  });
});

describe("work in the background", () => {
  it("is waited for when the process drains, and aborted at the end", async () => {
    const clock = new FakeClock();
    const background = new Background(clock);
    const stop = new AbortController();
    const running = background.run(stop.signal);
    let finish: () => void = () => undefined;
    const work = background.start(
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    );
    const early = background.drain(1_000);
    await clock.advance(1_000);
    expect(await early).to.equal(false);
    expect(background.over).to.equal(true);
    expect(background.signal.aborted).to.equal(false);
    stop.abort();
    expect(background.signal.aborted).to.equal(true);
    finish();
    await Promise.all([work, running]);
    expect(await background.drain(1_000)).to.equal(true);
  });
});

describe("the series of one resource", () => {
  it("vanish when they are not shown any more", () => {
    const shown = new Map<string, number>();
    const gauge = {
      set: (labels: Record<string, string>, value: number) => void shown.set(JSON.stringify(labels), value),
      remove: (labels: Record<string, string>) => void shown.delete(JSON.stringify(labels)),
    };
    const series = new OwnSeries();
    series.show([
      { gauge, labels: { ip: "a" }, value: 1 },
      { gauge, labels: { ip: "b" }, value: 1 },
    ]);
    series.show([{ gauge, labels: { ip: "b" }, value: 2 }]);
    expect([...shown]).to.deep.equal([['{"ip":"b"}', 2]]);
    series.clear();
    expect(shown.size).to.equal(0);
  });
});

describe("kinds that a cluster does not have", () => {
  const part = (code: number | undefined, synced = false) => ({
    name: "routedips",
    run: () => Promise.resolve(),
    hasSynced: () => synced,
    trouble: () => `${code}`,
    refusal: () => code,
  });

  it("hold nobody up: at once where there is no such kind, after a while where we may not see it", async () => {
    const clock = new FakeClock();
    const synced = (code: number | undefined) => new AbsentKinds([part(code)], clock).tolerated()[0]?.hasSynced();
    expect([404, 403, 500, undefined].map(synced)).to.deep.equal([true, false, false, false]);
    const forbidden = new AbsentKinds([part(403)], clock);
    expect(forbidden.check()).to.equal(undefined);
    await clock.advance(15_000);
    expect(forbidden.tolerated()[0]?.hasSynced()).to.equal(true);
    expect(forbidden.check()).to.include("403").and.include("apply the CRDs");
    expect(new AbsentKinds([part(404, true)], clock).check()).to.equal(undefined);
  });
});
