import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { MAX_POD_WATCHES, type PodView } from "../../../src/kube/cache/pods.js";
import { SharedWatches } from "../../../src/kube/cache/shared-watches.js";
import { wholeObjects } from "../../../src/kube/cache/slim-objects.js";
import type { LabelSelector } from "../../../src/kube/objects.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { FakeApi } from "../../support/kube/fake-api.js";
import { plainConfig } from "../../support/kube/reflector-rig.js";
import { scaledClock } from "../../support/time/scaled-clock.js";
import { until } from "../../support/time/until.js";

const app = (value: string): { selector: LabelSelector } => ({ selector: { matchLabels: { app: value } } });

/** Minutes of waiting become seconds. */
const FAST = 100;
/** The 10 s after which a server counts as away are 5 s, for the many watches that open at once on a busy machine. */
const CALM = 2;

describe("shared watches", () => {
  let api: FakeApi;
  let transport: Transport;
  let watches: SharedWatches;
  let clock: ReturnType<typeof scaledClock>;
  const runActions = async (speed: number) => {
    clock = scaledClock(speed);
    api = await FakeApi.start();
    for (const value of ["x", "y"])
      for (const n of [1, 2])
        api.collection.put(`${value}${n}`, { labels: { app: value }, spec: { nodeName: `n${n}` } });
    transport = new Transport({ config: plainConfig(api.url), clock, env: {} });
    watches = new SharedWatches({ client: transport, clock, nodeAnnotationPrefixes: [] });
  };
  const end = async () => {
    await watches.stop();
    expect(clock.pendingTimers).to.equal(0);
    await transport.close();
    await api.stop();
  };
  beforeEach(() => runActions(FAST));
  afterEach(() => end());
  const calmly = async () => {
    await end();
    await runActions(CALM);
  };
  const names = (view: PodView) => [...(view.store?.list() ?? [])].map((pod) => pod.name).sort();
  const record = (into: string[]) => watches.podView((event) => into.push(`${event.type} ${event.object.name}`));

  it("opens one watch for all views of equal scope, and closes it with the last", async () => {
    const views = [record([]), record([]), record([])];
    await Promise.all(views.map((view) => view.select(app("x"))));
    expect(api.count("watch")).to.equal(1);
    for (const view of views) expect(names(view)).to.deep.equal(["x1", "x2"]);
    await views[0]?.close();
    await views[1]?.close();
    api.collection.put("x3", { labels: { app: "x" } });
    await until("the last view still follows", () => views[2]?.store?.get("default/x3") !== undefined);
    await views[2]?.close();
    await until("the watch is closed", () => api.openWatches === 0);
  });

  it("finds pods by node", async () => {
    const view = record([]);
    await view.select(app("x"));
    expect([...(view.store?.byIndex("node", "n2") ?? [])].map((pod) => pod.name)).to.deep.equal(["x2"]);
  });

  it("keeps the old set visible until the new one has synced, then reports the differences", async () => {
    const events: string[] = [];
    const view = record(events);
    await view.select(app("x"));
    expect(events).to.deep.equal(["added x1", "added x2"]);
    api.endBookmarks = false;
    api.collection.put("x2", { labels: { app: "x", both: "1" } });
    await until("the change is seen", () => events.length === 3);
    const swapped = view.select(app("y"));
    await until("the new watch is open", () => api.openWatches === 2);
    expect([names(view), view.settled]).to.deep.equal([["x1", "x2"], false]);
    api.collection.remove("x1");
    await until("the old set is still followed", () => events.length === 4);
    await swapped;
    expect([names(view), view.settled]).to.deep.equal([["y1", "y2"], true]);
    expect(events.slice(4)).to.deep.equal(["deleted x2", "added y1", "added y2"]);
    await until("the old watch is closed", () => api.openWatches === 1);
  });

  it("drops a selection that was superseded before it had synced", async () => {
    const events: string[] = [];
    const view = record(events);
    await view.select(app("x"));
    const superseded = view.select(app("y"));
    await view.select(app("x"));
    await superseded;
    expect([names(view), view.settled]).to.deep.equal([["x1", "x2"], true]);
    expect(events).to.deep.equal(["added x1", "added x2"]);
    await until("only the first watch is left", () => api.openWatches === 1);
  });

  it("reports nothing after it was closed, while it synced too", async () => {
    const events: string[] = [];
    const view = record(events);
    const selecting = view.select(app("x"));
    await view.close();
    await selecting;
    api.collection.put("x3", { labels: { app: "x" } });
    expect(events).to.deep.equal([]);
    expect(view.store).to.equal(undefined);
  });

  it("serves scopes beyond 64 out of one watch of all pods", async () => {
    await calmly();
    const views = Array.from({ length: MAX_POD_WATCHES }, () => record([]));
    await Promise.all(views.map((view, i) => view.select(app(`none-${i}`))));
    const events: string[] = [];
    const beyond = [record(events), record([]), record([])];
    await Promise.all([
      beyond[0]?.select(app("x")),
      beyond[1]?.select({ ...app("y"), namespace: "default" }),
      beyond[2]?.select({ ...app("y"), namespace: "other" }),
    ]);
    // How many there were is another matter: a machine that stalls lets some end, which are opened again.
    await until("one watch for all beyond", () => api.openWatches === MAX_POD_WATCHES + 1);
    expect(beyond.map(names)).to.deep.equal([["x1", "x2"], ["y1", "y2"], []]);
    api.collection.put("x1", { labels: { app: "y" } });
    api.collection.put("y2", { labels: { app: "x" } });
    await until("the filters follow", () => events.length === 4);
    expect(events.slice(2)).to.deep.equal(["deleted x1", "added y2"]);
    await Promise.all(beyond.map((view) => view.close()));
    await until("the watch of all pods is closed", () => api.openWatches === MAX_POD_WATCHES);
  });

  it("finds the pods of every kind of selector beyond 64, whichever of its labels is the rarest", async () => {
    await calmly();
    api.collection.put("z1", { labels: { app: "z", tier: "web" } });
    api.collection.put("z2", { labels: { app: "z" } });
    const selectors: readonly (readonly [LabelSelector, readonly string[]])[] = [
      [{}, ["x1", "x2", "y1", "y2", "z1", "z2"]],
      [{ matchLabels: { app: "z", tier: "web" } }, ["z1"]],
      [{ matchExpressions: [{ key: "app", operator: "In", values: ["x", "z", "z"] }] }, ["x1", "x2", "z1", "z2"]],
      [
        { matchLabels: { app: "z" }, matchExpressions: [{ key: "app", operator: "In", values: ["x", "z"] }] },
        ["z1", "z2"],
      ],
      [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }, ["z1"]],
      [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, ["x1", "x2", "y1", "y2", "z2"]],
      [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["x", "z"] }] }, ["y1", "y2"]],
    ];
    const first = Array.from({ length: MAX_POD_WATCHES }, () => record([]));
    await Promise.all(first.map((view, index) => view.select(app(`none-${index}`))));
    const beyond = selectors.map(() => record([]));
    await Promise.all(beyond.map((view, index) => view.select({ selector: selectors[index]?.[0] ?? {} })));
    expect(beyond.map(names)).to.deep.equal(selectors.map(([, found]) => found));
  });

  it("has one watch of nodes and one of each other kind, and says how they are", async () => {
    expect(watches.nodes()).to.equal(watches.nodes());
    watches.kind("pools", "/apis/x/v1/pools", wholeObjects());
    expect(() => watches.kind("pools", "/apis/x/v1/pools", wholeObjects())).to.throw(/exists already/);
    expect(watches.states().map((state) => state.synced)).to.deep.equal([false, false]);
    await watches.whenSynced();
    expect(watches.states().map(({ name, synced, connected }) => ({ name, synced, connected }))).to.deep.equal([
      { name: "nodes", synced: true, connected: true },
      { name: "pools", synced: true, connected: true },
    ]);
    expect(api.count("watch")).to.equal(2);
  });
});
