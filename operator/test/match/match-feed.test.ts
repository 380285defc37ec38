import type { Match } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { SharedWatches } from "../../src/kube/cache/shared-watches.js";
import { Transport } from "../../src/kube/transport/transport.js";
import { hasOnlyNewTaints, MatchFeed } from "../../src/match/match-feed.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { nodeFacts } from "../../src/match/node-facts.js";
import { FakeApi } from "../support/kube/fake-api.js";
import { plainConfig } from "../support/kube/reflector-rig.js";
import { scaledClock } from "../support/time/scaled-clock.js";
import { until } from "../support/time/until.js";
import { compiled, slimNode } from "./cluster.js";

const SERVING = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

describe("the feed of a match", () => {
  let api: FakeApi;
  let transport: Transport;
  let watches: SharedWatches;
  let nodes: NodeDirectory;
  let feed: MatchFeed;
  /** Candidates at each change, as its listener sees them. */
  let seen: string[];
  const clock = scaledClock(100);
  beforeEach(async () => {
    api = await FakeApi.start();
    put("x1", "x", "a");
    put("y1", "y", "b");
    transport = new Transport({ config: plainConfig(api.url), clock, env: {} });
    watches = new SharedWatches({ client: transport, clock, nodeAnnotationPrefixes: [] });
    seen = [];
    nodes = new NodeDirectory(["a", "b", "c"].map((name) => slimNode(name)));
    feed = new MatchFeed({ nodes, watches, onChange: () => seen.push(candidates()) });
  });
  afterEach(async () => {
    await feed.close();
    await watches.stop();
    await transport.close();
    await api.stop();
  });
  function put(name: string, app: string, nodeName: string) {
    api.collection.put(name, { labels: { app }, spec: { nodeName }, status: SERVING });
  }
  const candidates = () =>
    (feed.index?.candidates() ?? [])
      .map(({ name }) => name)
      .sort()
      .join();
  const select = (match: Match) => feed.select(compiled(match));

  it("has no index before the pods of the first match have been read", async () => {
    const selected = select({ podLabel: "app=x" });
    expect([feed.index, feed.settled]).to.deep.equal([undefined, false]);
    await selected;
    expect([candidates(), feed.settled]).to.deep.equal(["a", true]);
  });

  it("follows pods", async () => {
    await select({ podLabel: "app=x" });
    put("x2", "x", "c");
    await until("the new pod counts", () => candidates() === "a,c");
  });

  it("reports pods elsewhere while no node has what is asked for, and not afterwards", async () => {
    api.collection.put("x0", { labels: { app: "z" }, status: { phase: "Pending" } });
    await select({ podLabel: "app=z" });
    const presence = () => feed.index?.tally().lacking.presence;
    expect(presence()).to.deep.include({ pods: "some", pod: "default/x0" });
    seen = [];
    api.collection.remove("x0");
    await until("it reports the change", () => seen.length > 0);
    expect(presence()?.pods).to.equal("none");
    put("z1", "z", "b");
    await until("a node matches", () => candidates() === "b");
    seen = [];
    api.collection.put("z2", { labels: { app: "z" }, status: { phase: "Pending" } });
    put("z3", "z", "c");
    await until("another node matches", () => candidates() === "b,c");
    expect(seen).to.deep.equal(["b,c"]);
  });

  it("reports a pod without a node while a node that has the label lacks one", async () => {
    await select({ podLabel: "app=x", nodeLabel: "!no" });
    const waiting = () => feed.index?.tally().lacking.presence;
    expect([candidates(), waiting()]).to.deep.equal(["a", undefined]);
    seen = [];
    api.collection.put("x0", { labels: { app: "x" }, status: { phase: "Pending" } });
    await until("it reports the pod", () => seen.length > 0);
    expect(waiting()).to.deep.include({ pods: "some", pod: "default/x0" });
    seen = [];
    put("x0", "x", "far");
    await until("it reports that the pod has a node", () => seen.length > 0);
    expect(waiting()).to.equal(undefined);
  });

  it("takes an edited match at once where no pods are asked for", async () => {
    const selected = select({});
    expect([candidates(), feed.settled]).to.deep.equal(["a,b,c", true]);
    await selected;
    expect(api.count("watch")).to.equal(0);
  });

  it("goes on with the former match until the pods of the new one are there, then swaps in one step", async () => {
    await select({ podLabel: "app=x" });
    const selected = select({ podLabel: "app=y" });
    expect([candidates(), feed.settled]).to.deep.equal(["a", false]);
    await selected;
    expect([candidates(), feed.settled]).to.deep.equal(["b", true]);
    expect(new Set(seen), "no moment without candidates, or with those of both").to.deep.equal(new Set(["a", "b"]));
  });

  it("swaps in one step from pods to none, and back", async () => {
    await select({ podLabel: "app=x" });
    await select({});
    expect(candidates()).to.equal("a,b,c");
    expect(watches.states(), "pods are no longer read").to.deep.equal([]);
    await select({ podLabel: "app=y" });
    expect(candidates()).to.equal("b");
    expect(new Set(seen)).to.deep.equal(new Set(["a", "a,b,c", "b"]));
  });

  it("takes an edit for which it already has the pods", async () => {
    put("x2", "x", "c");
    await select({ podLabel: "app=x" });
    await select({ podLabel: "app=x", nodeLabel: "kind!=x,!y" });
    await select({ podLabel: "app=x", nodeLabel: "no=where" });
    expect([candidates(), feed.settled, api.count("watch")]).to.deep.equal(["", true, 1]);
  });

  it("takes the last of several edits only", async () => {
    await Promise.all([select({ podLabel: "app=x" }), select({ podLabel: "app=y" }), select({ podLabel: "app=none" })]);
    expect([candidates(), feed.settled]).to.deep.equal(["", true]);
    expect(new Set(seen)).to.deep.equal(new Set([""]));
  });

  it("takes the last of several edits that need the same pods", async () => {
    const [far, near] = ["no=where", "!no"].map((nodeLabel) => ({ podLabel: "app=x", nodeLabel }));
    await Promise.all([select({ podLabel: "app=x" }), select({ ...far }), select({ ...near })]);
    expect(seen).to.deep.equal(["a"]);
  });

  it("goes back to the match it has when an edit is taken back", async () => {
    await select({ podLabel: "app=x" });
    await Promise.all([select({ podLabel: "app=y" }), select({ podLabel: "app=x" })]);
    expect([candidates(), feed.settled]).to.deep.equal(["a", true]);
  });

  it("does nothing more once closed", async () => {
    const selected = select({ podLabel: "app=x" });
    await feed.close();
    await selected;
    await select({});
    expect([feed.index, seen]).to.deep.equal([undefined, []]);
  });

  it("reports nothing more once closed", async () => {
    await select({});
    seen.length = 0;
    await feed.close();
    nodes.apply({ type: "deleted", object: slimNode("a") });
    expect(seen).to.deep.equal([]);
  });
});

describe("a change of a node", () => {
  const TAINT = { key: "flipop.digitalocean.com/routed-ip", effect: "PreferNoSchedule" };
  const CLAIM = { "flipop.digitalocean.com/taints.edge": `${TAINT.key}:${TAINT.effect}` };
  type Node = Parameters<typeof slimNode>[1];
  const isOwn = (after: Node, before: Node = {}, what: "facts" | "verdict" = "facts") => {
    const verdict = (more: Node) => ({ node: nodeFacts(slimNode("n1", more)), refusals: [] });
    return hasOnlyNewTaints({ name: "n1", what, before: verdict(before), after: verdict(after) });
  };

  it("is one of the operator's own taints alone, with the annotations of any installation for them", () => {
    expect(isOwn({ taints: [TAINT] })).to.equal(true);
    expect(isOwn({ taints: [TAINT], annotations: CLAIM })).to.equal(true);
    expect(isOwn({}, { annotations: CLAIM })).to.equal(true);
  });

  it("is another one where anything else differs", () => {
    const others: readonly Node[] = [{ labels: { pool: "web" } }, { annotations: { "example.com/rack": "7" } }];
    for (const other of others) {
      expect(isOwn(other), "alone").to.equal(false);
      expect(isOwn({ taints: [TAINT], ...other }), "with a taint").to.equal(false);
    }
    expect(isOwn({ taints: [TAINT] }, {}, "verdict")).to.equal(false);
  });
});
