import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { SlimNode } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import { LabelIndex, NodeDirectory } from "../../src/match/node-directory.js";
import { MAX_INDEXED_KEYS } from "../../src/timings.js";
import { compiled, NOT_READY, slimNode } from "./cluster.js";

const MACHINE = "digitalocean://1";

describe("the directory of nodes", () => {
  let store: Store<SlimNode>;
  let directory: NodeDirectory;
  let changes: string[];
  beforeEach(() => {
    store = new Store();
    directory = new NodeDirectory();
    changes = [];
    store.listen((event) => directory.apply(event));
    directory.listen(({ name, before, after }) => {
      changes.push(
        `${name} ${before?.standIn ?? (before ? "stands" : "none")} -> ${after?.standIn ?? (after ? "stands" : "none")}`,
      );
    });
  });
  const put = (name: string, more: Partial<SlimNode> = {}) =>
    store.upsert(slimNode(name, { providerID: MACHINE, ...more }));
  const placement = () => directory.ofMachine(MACHINE)?.name;

  it("starts with the nodes that are there", () => {
    const started = new NodeDirectory([slimNode("a"), slimNode("b")]);
    expect([started.size, started.get("b")?.machine]).to.deep.equal([2, "digitalocean://b"]);
  });

  it("reports nodes that come, change and go", () => {
    put("a");
    put("a", NOT_READY);
    store.remove(slimNode("a"));
    expect(changes).to.deep.equal(["a none -> stands", "a stands -> stands", "a stands -> none"]);
    expect([directory.size, placement()]).to.deep.equal([0, undefined]);
  });

  it("finds a node under its new machine when it is re-created under the same name", () => {
    put("a");
    store.upsert(slimNode("a", { uid: "new", providerID: "digitalocean://2" }));
    expect(directory.ofMachine("digitalocean://2")?.uid).to.equal("new");
    expect(placement()).to.equal(undefined);
  });

  it("leaves a ready node in place when another one names its machine, even an older one that is not ready", () => {
    put("a");
    put("b", { creationTimestamp: "2025-02-01T00:00:00Z" });
    put("c", { creationTimestamp: "2024-01-01T00:00:00Z", ...NOT_READY });
    expect(placement()).to.equal("a");
    expect([directory.get("b")?.standIn, directory.get("c")?.standIn]).to.deep.equal(["a", "a"]);
  });

  it("leaves the machine with the ready node while an older one that is ready again still has the taint of its outage", () => {
    put("a", { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] });
    put("b", { creationTimestamp: "2025-02-01T00:00:00Z" });
    expect(placement()).to.equal("b");
    put("a");
    expect(placement()).to.equal("a");
  });

  it("hands the machine on when its node is no longer ready, is being deleted or goes, and reports both", () => {
    put("a");
    put("b", { creationTimestamp: "2025-02-01T00:00:00Z" });
    changes.length = 0;
    put("a", NOT_READY);
    expect(changes).to.deep.equal(["a stands -> b", "b a -> stands"]);
    put("b", { creationTimestamp: "2025-02-01T00:00:00Z", deletionTimestamp: "2025-03-01T00:00:00Z" });
    expect(placement()).to.equal("a");
    store.remove(slimNode("a"));
    expect(placement()).to.equal("b");
    expect(directory.get("b")?.standIn).to.equal(undefined);
  });

  it("notifies the other listeners if one throws", () => {
    directory.listen(() => {
      throw new Error("a fault");
    });
    const notified: string[] = [];
    directory.listen(({ name }) => notified.push(name));
    put("a");
    expect(notified).to.deep.equal(["a"]);
  });

  it("finds nodes by label as they change, whatever the selector asks for", () => {
    const named = (selector: string) =>
      [...directory.withLabels(compiled({ nodeLabel: selector }).nodeLabels)].map(({ name }) => name);
    const all = () => ["pool in (web,db)", "pool=web,zone", "zone,pool=web", "!pool", "pool!=web"].map(named);
    store.upsert(slimNode("a", { labels: { pool: "web" } }));
    expect(all()).to.deep.equal([["a"], [], [], [], []]);
    store.upsert(slimNode("b", { labels: { pool: "db", zone: "1" } }));
    store.upsert(slimNode("a", { labels: { pool: "web", zone: "1" } }));
    expect(all()).to.deep.equal([["a", "b"], ["a"], ["a"], [], ["b"]]);
    store.upsert(slimNode("a"));
    store.remove(slimNode("b"));
    expect(all()).to.deep.equal([[], [], [], ["a"], ["a"]]);
  });

  it("finds nodes by more label keys than it indexes", () => {
    store.upsert(slimNode("a", { labels: { last: "x" } }));
    store.upsert(slimNode("b", { labels: { first: "x" } }));
    const keys = ["first", ...Array.from({ length: MAX_INDEXED_KEYS }, (_, at) => `k${at}`), "last"];
    const found = keys.map((key) =>
      [...directory.withLabels(compiled({ nodeLabel: `${key}=x` }).nodeLabels)].map(({ name }) => name).join(),
    );
    expect([found.at(0), found.at(1), found.at(-1)]).to.deep.equal(["b", "", "a"]);
  });

  it("indexes so many keys and no more, keeps those that it has, and drops values that a node has lost", () => {
    const nodes = [{ name: "a", labels: { k0: "x" } }];
    const index = new LabelIndex(() => nodes);
    for (let at = 0; at < MAX_INDEXED_KEYS; at++) expect(index.with(`k${at}`, ["x"])).to.not.equal(undefined);
    expect(index.with("one more", ["x"])).to.equal(undefined);
    expect(index.with("k0", ["x"])).to.deep.equal(["a"]);
    index.update("a", { k0: "x" }, { k0: "y" });
    expect([index.with("k0", ["x"]), index.with("k0", ["y"])]).to.deep.equal([[], ["a"]]);
  });

  it("does not take nodes without providerID for one machine", () => {
    put("a", { providerID: undefined });
    put("b", { providerID: "" });
    put("c", { providerID: "" });
    expect(["a", "b", "c"].map((name) => directory.get(name)?.standIn)).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
