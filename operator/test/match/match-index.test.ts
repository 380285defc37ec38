import type { Match } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { SlimPod } from "../../src/kube/cache/slim.js";
import { MatchIndex } from "../../src/match/match-index.js";
import { slimPod } from "../support/kube/objects.js";
import { compiled, NOT_READY, slimNode, taint } from "./cluster.js";
import { IndexRig } from "./index-rig.js";

const WEB: Match = { nodeLabel: "pool=web" };
const PODS: Match = { podLabel: "app=web" };
const web = { labels: { pool: "web" } };
const pod = { labels: { app: "web" }, nodeName: "a" };

describe("the index of a match", () => {
  it("follows a node that starts and stops matching", () => {
    const rig = new IndexRig(WEB);
    rig.nodes.upsert(slimNode("a", web));
    rig.nodes.upsert(slimNode("a", { ...web, ...NOT_READY }));
    rig.nodes.upsert(slimNode("a", web));
    expect(rig.log).to.deep.equal([
      "a verdict none -> ok",
      "a verdict ok -> NodeNotReady",
      "a verdict NodeNotReady -> ok",
    ]);
    expect(rig.candidates()).to.deep.equal(["a"]);
  });

  it("knows the nodes that only their probes refuse", () => {
    const rig = new IndexRig(WEB);
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name, web));
    rig.nodes.upsert(slimNode("c", { ...web, ...NOT_READY }));
    const probes = { failureOf: ({ name }: { readonly name: string }) => (name === "b" ? undefined : "no answer") };
    const index = new MatchIndex(rig.directory, { match: compiled(WEB) }, () => undefined, probes);
    expect(index.refusedByProbes().map(({ name }) => name)).to.deep.equal(["a"]);
  });

  it("knows of which namespaces the pods are that make nodes match, if match limits them to none", () => {
    const rig = new IndexRig(PODS);
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name));
    const inNamespace = (namespace: string, more: Partial<SlimPod>) =>
      rig.pods.upsert(slimPod(`${namespace}-web`, { ...pod, namespace, ...more }));
    inNamespace("prod", {});
    inNamespace("qa", { nodeName: "b", ready: false });
    expect(rig.index.podNamespaces()).to.deep.equal(["prod"]);
    inNamespace("qa", { nodeName: "a" });
    expect(rig.index.podNamespaces(), "also on a node that matches already").to.deep.equal(["prod", "qa"]);
    rig.nodes.upsert(slimNode("a", NOT_READY));
    expect(rig.index.podNamespaces(), "a node that does not match counts for nothing").to.deep.equal([]);
    rig.nodes.upsert(slimNode("a"));
    rig.looked.length = 0;
    rig.rematch({ ...PODS, podNamespace: "qa" });
    rig.looked.length = 0;
    expect([rig.index.podNamespaces(), rig.looked], "one at most: no pod is looked at").to.deep.equal([[], []]);
    expect(new IndexRig(WEB).index.podNamespaces()).to.deep.equal([]);
  });

  it("knows the workloads whose pods make nodes match", () => {
    const rig = new IndexRig({ ...PODS, podNamespace: "game" });
    for (const name of ["a", "b"]) rig.nodes.upsert(slimNode(name));
    const proxy = (name: string, hash: string, more: Partial<SlimPod> = {}) =>
      rig.pods.upsert(
        slimPod(name, { ...pod, namespace: "game", labels: { app: "web", "pod-template-hash": hash }, ...more }),
      );
    proxy("blue-1-xxxxx", "1");
    proxy("blue-2-xxxxx", "2", { nodeName: "b" });
    expect(rig.index.podOwners(), "a rollout").to.deep.equal(["Deployment game/blue"]);
    proxy("green-3-xxxxx", "3", { nodeName: "b", ready: false });
    expect(rig.index.podOwners(), "it does not serve").to.deep.equal(["Deployment game/blue"]);
    proxy("green-3-xxxxx", "3", { nodeName: "b" });
    expect(rig.index.podOwners()).to.deep.equal(["Deployment game/blue", "Deployment game/green"]);
    rig.nodes.upsert(slimNode("b", NOT_READY));
    expect(rig.index.podOwners(), "a node that does not match counts for nothing").to.deep.equal([
      "Deployment game/blue",
    ]);
    expect(new IndexRig(WEB).index.podOwners()).to.deep.equal([]);
  });

  it("follows the pods of a node", () => {
    const rig = new IndexRig(PODS);
    rig.nodes.upsert(slimNode("a"));
    rig.pods.upsert(slimPod("p", { ...pod, ready: false }));
    rig.pods.upsert(slimPod("p", pod));
    rig.pods.remove(slimPod("p"));
    expect(rig.log).to.deep.equal([
      "a verdict none -> PodNotReady",
      "a verdict PodNotReady -> ok",
      "a verdict ok -> none",
    ]);
  });

  it("does not mind a pod that comes before its node", () => {
    const rig = new IndexRig(PODS);
    rig.pods.upsert(slimPod("p", pod));
    expect(rig.log).to.deep.equal([]);
    rig.nodes.upsert(slimNode("a"));
    expect(rig.candidates()).to.deep.equal(["a"]);
  });

  it("looks at the pods of one node when a pod changes", () => {
    const rig = new IndexRig(PODS);
    for (const name of ["a", "b", "c"]) rig.nodes.upsert(slimNode(name));
    rig.looked.length = 0;
    rig.pods.upsert(slimPod("p", pod));
    expect(rig.looked).to.deep.equal(["a"]);
  });

  it("reports changes that do not concern the match as facts, and reports none that concerns no candidate", () => {
    const rig = new IndexRig(WEB);
    rig.nodes.upsert(slimNode("a", web));
    rig.nodes.upsert(slimNode("b"));
    rig.log.length = 0;
    const addresses = [{ type: "ExternalIP", address: "192.0.2.1" }];
    rig.nodes.upsert(slimNode("a", { ...web, addresses }));
    rig.nodes.upsert(slimNode("b", { addresses }));
    expect(rig.log).to.deep.equal(["a facts ok -> ok"]);
  });

  it("gives the same list of candidates until one of them changes", () => {
    const rig = new IndexRig(WEB);
    rig.nodes.upsert(slimNode("a", web));
    const before = rig.index.candidates();
    rig.nodes.upsert(slimNode("b"));
    expect(rig.index.candidates()).to.equal(before);
    rig.nodes.upsert(slimNode("a", { ...web, kubeletVersion: "v1.99.0" }));
    expect(rig.index.candidates().map(({ kubeletVersion }) => kubeletVersion)).to.deep.equal(["v1.99.0"]);
  });

  it("reports each change of a holder, however far from matching it is", () => {
    const rig = new IndexRig(PODS);
    rig.nodes.upsert(slimNode("a"));
    rig.index.watchHolders(["digitalocean://a"]);
    rig.nodes.upsert(slimNode("a", { unschedulable: true }));
    rig.index.watchHolders([]);
    rig.nodes.upsert(slimNode("a"));
    expect(rig.log).to.deep.equal(["a verdict NoPod -> Cordoned,NoPod"]);
  });

  it("answers for a machine, whatever its node is called, and for none", () => {
    const rig = new IndexRig(WEB);
    rig.nodes.upsert(slimNode("a", { providerID: "digitalocean://1" }));
    expect(rig.index.verdictOfMachine("digitalocean://1")?.refusals.map(({ reason }) => reason)).to.deep.equal([
      "LabelsDiffer",
    ]);
    rig.nodes.upsert(slimNode("a", { uid: "new", providerID: "digitalocean://2" }));
    expect(rig.index.verdictOfMachine("digitalocean://1")).to.equal(undefined);
  });

  it("judges any node in full", () => {
    const rig = new IndexRig({ ...WEB, ...PODS });
    rig.nodes.upsert(slimNode("a", { ...NOT_READY, taints: [taint("x")] }));
    const reasons = (name: string) => rig.index.verdict(name)?.refusals.map(({ reason }) => reason);
    expect(reasons("a")).to.deep.equal(["LabelsDiffer", "Tainted", "NodeNotReady", "NoPod"]);
    expect(reasons("b")).to.equal(undefined);
  });

  it("counts refusals, the most frequent first, with an example, and those that are not meant", () => {
    const rig = new IndexRig(WEB);
    for (const name of ["d", "c", "b"]) rig.nodes.upsert(slimNode(name, { ...web, taints: [taint("x")] }));
    rig.nodes.upsert(slimNode("e", { ...web, ...NOT_READY }));
    for (const name of ["a", "f"]) rig.nodes.upsert(slimNode(name));
    rig.nodes.upsert(slimNode("g", web));
    expect(rig.tallyText()).to.equal(
      "1 of 7 nodes match; 2 lack label pool=web; " +
        "3 Tainted (b: it has taint x:NoSchedule, not tolerated); " +
        "1 NodeNotReady (e: Ready is False since 2025-01-01T00:00:00Z (Tested))",
    );
    rig.nodes.remove(slimNode("g"));
    rig.nodes.remove(slimNode("a"));
    expect(rig.tallyText()).to.match(/^0 of 5 nodes match; 1 lacks /);
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
      'nodeLabel asks that label spot be absent, and 2 have it (with value "false")',
    );
    expect(spot("role=edge,!spot", "false", "true", undefined)).to.equal(
      '2 lack the labels that "role=edge,!spot" asks for (nodeLabel asks that label spot be absent, and 2 have it (with values "false", "true"))',
    );
    expect(spot("spot!=a", "a", "b")).to.equal("nodeLabel excludes nodes with spot=a, and 1 has that");
    expect(spot("spot notin (a,b)", "a", "b", "c")).to.equal(
      "nodeLabel excludes nodes with spot=a or spot=b, and 2 have that",
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
      "1 of 5 nodes match; 2 NoPod (b: it runs no pod of any namespace with app=web); 1 lacks label pool=web; " +
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

  it("knows whether any node has the labels, well or not", () => {
    const rig = new IndexRig({ ...WEB, ...PODS });
    rig.nodes.upsert(slimNode("b"));
    expect(rig.index.anyNodeHasLabels()).to.equal(false);
    rig.nodes.upsert(slimNode("a", { ...web, ...NOT_READY }));
    expect(rig.index.anyNodeHasLabels()).to.equal(true);
  });

  it("is silent once closed", () => {
    const rig = new IndexRig(WEB);
    rig.index.close();
    rig.nodes.upsert(slimNode("a", web));
    expect(rig.log).to.deep.equal([]);
  });
});

describe("an edited match", () => {
  it("reports each difference", () => {
    const rig = new IndexRig(WEB);
    rig.nodes.upsert(slimNode("a", web));
    rig.nodes.upsert(slimNode("b", { labels: { pool: "db" } }));
    rig.log.length = 0;
    rig.rematch({ nodeLabel: "pool=db" });
    expect(rig.log).to.deep.equal(["a verdict ok -> none", "b verdict none -> ok"]);
    expect(rig.candidates()).to.deep.equal(["b"]);
  });

  it("leaves no grace to a node that it refuses, until that matches again", () => {
    const rig = new IndexRig({});
    rig.nodes.upsert(slimNode("a"));
    rig.rematch(PODS);
    const reasons = () => rig.index.verdict("a")?.refusals.map(({ reason }) => reason);
    expect(reasons()).to.deep.equal(["NoPod", "MatchEdited"]);
    rig.pods.upsert(slimPod("p", pod));
    rig.pods.remove(slimPod("p"));
    expect(reasons()).to.deep.equal(["NoPod"]);
  });

  it("leaves the grace of a node alone that fails for the reasons it had before", () => {
    const rig = new IndexRig({});
    rig.nodes.upsert(slimNode("a", NOT_READY));
    rig.rematch({ tolerations: [{ key: "x", operator: "Exists" }] });
    expect(rig.index.verdict("a")?.refusals.map(({ reason }) => reason)).to.deep.equal(["NodeNotReady"]);
  });

  it("is forgotten with the node", () => {
    const rig = new IndexRig({});
    rig.nodes.upsert(slimNode("a"));
    rig.rematch(PODS);
    rig.nodes.remove(slimNode("a"));
    rig.nodes.upsert(slimNode("a"));
    expect(rig.index.verdict("a")?.refusals.map(({ reason }) => reason)).to.deep.equal(["NoPod"]);
  });
});
