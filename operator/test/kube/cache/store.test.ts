import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { Pacer } from "../../../src/async.js";
import type { SlimPod } from "../../../src/kube/cache/slim-objects.js";
import { Store } from "../../../src/kube/cache/store.js";
import { silentLogger } from "../../../src/logging.js";
import { slimPod } from "../../support/kube/objects.js";
import { FakeClock } from "../../support/time/fake-clock.js";

describe("store", () => {
  let store: Store<SlimPod, "node">;
  let events: string[];
  beforeEach(() => {
    store = new Store({ indexes: { node: (pod) => (pod.nodeName === undefined ? [] : [pod.nodeName]) } });
    events = [];
    store.listen((event) => events.push(`${event.type} ${event.object.uid}`));
  });
  const names = (node: string) => [...store.byIndex("node", node)].map((pod) => pod.name);

  it("finds by key, uid and index", () => {
    store.upsert(slimPod("a", { nodeName: "n1" }));
    expect(store.get("default/a")?.uid).to.equal("uid-a");
    expect(store.getByUid("uid-a")?.name).to.equal("a");
    expect(names("n1")).to.deep.equal(["a"]);
    expect(names("n2")).to.deep.equal([]);
  });

  it("moves an object in its indexes when it changes", () => {
    store.upsert(slimPod("a"));
    store.upsert(slimPod("a", { nodeName: "n1" }));
    store.upsert(slimPod("a", { nodeName: "n2" }));
    expect([names("n1"), names("n2")]).to.deep.equal([[], ["a"]]);
    store.remove(slimPod("a"));
    expect(names("n2")).to.deep.equal([]);
  });

  it("sends no event if nothing visible has changed", () => {
    store.upsert(slimPod("a", { labels: { x: "1" } }));
    store.upsert(slimPod("a", { labels: { x: "1" } }));
    expect(events).to.deep.equal(["added uid-a"]);
  });

  it("reports a re-creation under the same name as delete and add, and forgets the old uid", () => {
    store.upsert(slimPod("a", { nodeName: "n1" }));
    store.upsert(slimPod("a", { uid: "new", nodeName: "n1" }));
    expect(events).to.deep.equal(["added uid-a", "deleted uid-a", "added new"]);
    expect(store.getByUid("uid-a")).to.equal(undefined);
    expect(names("n1")).to.have.length(1);
  });

  it("is not harmed by a late delete of a predecessor", () => {
    store.upsert(slimPod("a", { uid: "new" }));
    store.remove(slimPod("a"));
    expect(store.size).to.equal(1);
    expect(events).to.deep.equal(["added new"]);
  });

  it("replaces the set and reports every difference, deletes first", async () => {
    for (const name of ["same", "gone", "changed", "again"]) store.upsert(slimPod(name));
    events.length = 0;
    await store.replace([
      slimPod("new"),
      slimPod("same"),
      slimPod("changed", { ready: false }),
      slimPod("again", { uid: "uid-again-2" }),
    ]);
    expect(events).to.deep.equal([
      "deleted uid-gone",
      "deleted uid-again",
      "added uid-new",
      "updated uid-changed",
      "added uid-again-2",
    ]);
  });

  it("shows the whole new set to the first listener of a replacement", async () => {
    await store.replace([slimPod("a"), slimPod("b")]);
    const sizes: number[] = [];
    store.listen(() => sizes.push(store.size));
    await store.replace([slimPod("c"), slimPod("d"), slimPod("e")]);
    expect(new Set(sizes)).to.deep.equal(new Set([3]));
  });

  it("shows the old set until the new one is complete, however often it pauses", async () => {
    store.upsert(slimPod("old"));
    const pacer = new Pacer(new FakeClock(), undefined, 0);
    const done = store.replace([slimPod("a"), slimPod("b")], pacer);
    expect([...store.list()].map((pod) => pod.name)).to.deep.equal(["old"]);
    await done;
    expect([...store.list()].map((pod) => pod.name)).to.deep.equal(["a", "b"]);
  });

  it("changes and reports nothing more once its signal has aborted", async () => {
    const controller = new AbortController();
    const pacer = new Pacer(new FakeClock(), controller.signal);
    controller.abort(new Error("stop"));
    const error: unknown = await store.replace([slimPod("a")], pacer).catch((reason: unknown) => reason);
    expect(error).to.have.property("message", "stop");
    expect([store.size, events.length]).to.deep.equal([0, 0]);
  });

  it("keeps serving other listeners when one throws", () => {
    const errors: string[] = [];
    const error = (_fields: object, message: string) => errors.push(message);
    store = new Store({ indexes: { node: () => [] }, logger: { ...silentLogger, error } });
    store.listen(() => {
      throw new Error("broken");
    });
    const seen: string[] = [];
    const unlisten = store.listen((event) => seen.push(event.type));
    store.upsert(slimPod("a"));
    unlisten();
    store.upsert(slimPod("b"));
    expect(seen).to.deep.equal(["added"]);
    expect(errors).to.have.length(2);
  });
});
