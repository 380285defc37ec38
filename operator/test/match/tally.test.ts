import type { Match } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { SlimPod } from "../../src/kube/cache/slim-objects.js";
import { slimPod } from "../support/kube/objects.js";
import { NOT_READY, slimNode, taint } from "./cluster.js";
import { IndexRig } from "./index-rig.js";

const WEB: Match = { nodeLabel: "pool=web" };
const PODS: Match = { podLabel: "app=web" };
const web = { labels: { pool: "web" } };
const pod = { labels: { app: "web" }, nodeName: "a" };

describe("the tally of a match", () => {
  it("counts refusals, the most frequent first, with an example, and those that are not meant", () => {
    const rig = new IndexRig(WEB);
    for (const name of ["d", "c", "b"]) rig.nodes.upsert(slimNode(name, { ...web, taints: [taint("x")] }));
    rig.nodes.upsert(slimNode("e", { ...web, ...NOT_READY }));
    for (const name of ["a", "f"]) rig.nodes.upsert(slimNode(name));
    rig.nodes.upsert(slimNode("g", web));
    expect(rig.tallyText()).to.equal(
      "1 of 7 nodes match; 2 lack label pool=web; " +
        "3 Tainted (b: it has taint x:NoSchedule, not tolerated; also c, d); " +
        "1 NodeNotReady (e: Ready has been False since 2025-01-01T00:00:00Z (Tested))",
    );
    rig.nodes.remove(slimNode("g"));
    rig.nodes.remove(slimNode("a"));
    expect(rig.tallyText()).to.match(/^0 of 5 nodes match; 1 lacks /);
    rig.nodes.upsert(slimNode("h", { ...web, taints: [taint("x")] }));
    expect(rig.tallyText(), "too many to name").to.include("4 Tainted (b: it has taint x:NoSchedule, not tolerated); ");
  });

  it("counts for a region neither a holder without the label nor nodes elsewhere", () => {
    const rig = new IndexRig(WEB);
    const labels = { pool: "web" };
    for (const name of ["a", "b", "c"]) rig.nodes.upsert(slimNode(name, { ...(name === "a" ? {} : { labels }) }));
    rig.index.watchHolders(["digitalocean://a"]);
    const { nodes, refused } = rig.index.tallyOfMeant(({ name }) => name !== "c");
    expect({ nodes, refused }).to.deep.equal({ nodes: 1, refused: [] });
  });

  it("counts a holder without the label with the other nodes that lack it, under one name", () => {
    const rig = new IndexRig(WEB);
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name));
    rig.index.watchHolders(["digitalocean://a"]);
    expect(rig.tallyText()).to.equal(
      "0 of 2 nodes match; 2 lack label pool=web (a: it has no label pool, nodeLabel asks for pool=web)",
    );
  });

  it("says what the nodes lack that are not meant: labels or pods, as far as it can tell", () => {
    const lack = (match: Match, nodes: readonly string[], ...pods: readonly SlimPod[]) => {
      const rig = new IndexRig(match);
      for (const pod of pods) rig.pods.upsert(pod);
      for (const name of nodes) rig.nodes.upsert(slimNode(name, name === "w" ? web : {}));
      return rig.tallyText().replace(/^0 of \d nodes match; /, "");
    };
    const pod = "a pod of any namespace with app=web";
    expect(lack(WEB, ["a"])).to.equal("1 lacks label pool=web");
    expect(lack({ nodeLabel: "role=edge,!spot" }, ["a"])).to.equal(
      '1 lacks the labels that "role=edge,!spot" asks for',
    );
    const spot = (nodeLabel: string, ...values: readonly (string | undefined)[]) => {
      const rig = new IndexRig({ nodeLabel });
      for (const [at, value] of values.entries())
        rig.nodes.upsert(slimNode(`n${at}`, { labels: { role: "edge", ...(value !== undefined && { spot: value }) } }));
      return rig.tallyText().replace(/^\d of \d nodes match; /, "");
    };
    expect(spot("!spot", "false", "false")).to.equal(
      'nodeLabel asks that label spot be absent, and 2 nodes have it (with value "false")',
    );
    expect(spot("role=edge,!spot", "false", "true", undefined)).to.equal(
      '2 lack the labels that "role=edge,!spot" asks for (nodeLabel asks that label spot be absent, and 2 nodes have it (with values "false", "true"))',
    );
    expect(spot("spot!=a", "a", "b")).to.equal("nodeLabel excludes nodes with spot=a, and 1 node has that");
    expect(spot("spot notin (a,b)", "a", "b", "c")).to.equal(
      "nodeLabel excludes nodes with spot=a or spot=b, and 2 nodes have that",
    );
    expect(spot("spot in (a,b)", "c")).to.equal("1 lacks label spot with one of the values a, b");
    expect(lack(PODS, ["a"])).to.equal(`1 lacks ${pod} (no such pod exists)`);
    expect(lack({ ...WEB, ...PODS }, ["a"])).to.equal("1 lacks label pool=web");
    const both = (...pods: readonly SlimPod[]) => lack({ ...WEB, ...PODS }, ["a", "w"], ...pods);
    const neither = `1 NoPod (w: it runs no pod of any namespace with app=web); 1 lacks label pool=web; `;
    const webPod = (name: string, more: Partial<SlimPod>) =>
      slimPod(name, { namespace: "shop", labels: { app: "web" }, ...more });
    const waits = webPod("1", { nodeName: undefined, phase: "Pending", ready: false });
    expect(both()).to.equal(`${neither}no such pod exists`);
    expect(both(waits)).to.equal(`${neither}pod shop/1 is Pending, and on no node yet`);
    expect(both(waits, webPod("3", { nodeName: "a" }), webPod("2", { nodeName: "a" })), "the first on a node").to.equal(
      `${neither}pod shop/2 is ready, on a`,
    );
    expect(lack({ ...WEB, ...PODS }, ["a", "w"], webPod("1", { nodeName: "w", ready: false }))).to.equal(
      "1 lacks label pool=web; 1 PodNotReady (w: pod shop/1 is not ready)",
    );
  });

  it("names the nodes that have the label and lack the pod before those that lack the label", () => {
    const rig = new IndexRig({ ...WEB, ...PODS });
    for (const name of ["a", "b", "c", "d", "x"]) rig.nodes.upsert(slimNode(name, name === "x" ? {} : web));
    rig.pods.upsert(slimPod("p", pod));
    rig.nodes.upsert(slimNode("d", { ...web, unschedulable: true }));
    const { nodes, unmeant } = rig.index.tally();
    expect({ nodes, unmeant }).to.deep.equal({ nodes: 5, unmeant: 1 });
    expect(rig.tallyText()).to.equal(
      "1 of 5 nodes match; 2 NoPod (b: it runs no pod of any namespace with app=web; also c); 1 lacks label pool=web; " +
        "1 Cordoned (d: it is cordoned (node.kubernetes.io/unschedulable), which is not tolerated)",
    );
    const { nodes: meant, refused } = rig.index.tallyOfMeant(({ name }) => name === "a" || name === "c");
    expect([meant, refused.map(({ reason, example }) => [reason, example.node])]).to.deep.equal([2, [["NoPod", "c"]]]);
    expect(rig.index.leftOut(new Set()), "they were never meant to be published").to.equal("");
  });

  it("names a node that runs several of the pods while a node with the label lacks one", () => {
    const rig = new IndexRig({ ...WEB, ...PODS });
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name, web));
    for (const name of ["p", "q"]) rig.pods.upsert(slimPod(name, pod));
    expect(rig.tallyText()).to.equal(
      "1 of 2 nodes match; 1 NoPod (b: it runs no pod of any namespace with app=web; a runs 2 of them)",
    );
    rig.pods.upsert(slimPod("q", { ...pod, ready: false }));
    expect(rig.tallyText(), "one is ready").to.match(/with app=web\)$/);
    rig.pods.upsert(slimPod("q", { ...pod, nodeName: "b" }));
    expect(rig.tallyText()).to.equal("2 of 2 nodes match");
  });

  it("names a pod that has no node yet while a node with the label lacks one", () => {
    const rig = new IndexRig({ ...WEB, ...PODS });
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name, web));
    rig.pods.upsert(slimPod("p", pod));
    const seen = "1 of 2 nodes match; 1 NoPod (b: it runs no pod of any namespace with app=web)";
    expect([rig.tallyText(), rig.index.namesWaiting]).to.deep.equal([seen, true]);
    const waiting = { ...pod, nodeName: undefined, phase: "Pending", ready: false };
    for (const name of ["r", "q"]) rig.pods.upsert(slimPod(name, waiting));
    rig.pods.upsert(slimPod("n", { ...waiting, labels: {} }));
    rig.pods.upsert(slimPod("o", { ...waiting, deletionTimestamp: "2025-01-01T00:00:00Z" }));
    expect(rig.tallyText()).to.equal(`${seen}; pod default/q is Pending, and on no node yet`);
    rig.pods.upsert(slimPod("r", { ...pod, nodeName: "b" }));
    expect([rig.tallyText(), rig.index.namesWaiting], "none lacks one").to.deep.equal(["2 of 2 nodes match", false]);
  });

  it("knows whether nodes that lack the label have it with another value", () => {
    const relabelOf = (match: Match, ...pools: readonly (string | undefined)[]) => {
      const rig = new IndexRig(match);
      for (const [name, pool] of pools.entries())
        rig.nodes.upsert(slimNode(`${name}`, { labels: pool ? { pool } : {} }));
      return rig.index.tally().lacking.relabel;
    };
    expect(relabelOf(WEB, "db", "mail")).to.equal("all");
    expect(relabelOf(WEB, "db", undefined)).to.equal("some");
    expect(relabelOf(WEB, "web", "db"), "of those that lack it").to.equal("all");
    expect([relabelOf(WEB, undefined), relabelOf(WEB, "web"), relabelOf(WEB)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    const others = ["pool in (web,mail)", "pool", "pool=web,zone=a", "pool!=db"];
    for (const nodeLabel of others) expect(relabelOf({ nodeLabel }, "db"), nodeLabel).to.equal(undefined);
  });

  it("says of an empty cluster that it is empty", () => {
    expect(new IndexRig({}).tallyText()).to.equal("the cluster has no nodes");
  });

  it("judges nodes that lack only a pod once, until a node or a pod changes", () => {
    const rig = new IndexRig({ ...WEB, ...PODS });
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name, web));
    rig.pods.upsert(slimPod("p", pod));
    const looks = () => {
      rig.looked.length = 0;
      rig.index.tally();
      return rig.looked.includes("b");
    };
    expect([looks(), looks()], "nothing has changed").to.deep.equal([true, false]);
    rig.pods.upsert(slimPod("q", { ...pod, nodeName: undefined, phase: "Pending", ready: false }));
    expect([looks(), looks()], "a pod without a node").to.deep.equal([true, false]);
    rig.nodes.upsert(slimNode("b", { ...web, ...NOT_READY }));
    expect(looks(), "the node").to.equal(true);
  });
});
