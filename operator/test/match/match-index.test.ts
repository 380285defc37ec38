import type { Match } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { SlimPod } from "../../src/kube/cache/slim-objects.js";
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
