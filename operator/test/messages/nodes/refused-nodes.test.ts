import { expect } from "chai";
import { describe, it } from "mocha";
import { type Refusal, refusal } from "../../../src/match/checks.js";
import type { PodEnd, Presence } from "../../../src/match/node-workload.js";
import { type Lacking, tallyOf } from "../../../src/match/tally.js";
import { refusedNodes, repairOfHolder } from "../../../src/messages/nodes/refused-nodes.js";
import { facts } from "../../match/cluster.js";

const UNREADY: Refusal = { ...refusal("PodNotReady", "pod team/game-3 is not ready"), pod: "team/game-3" };

function refused(all: Readonly<Record<string, Refusal>>) {
  const verdicts = Object.entries(all).map(([name, each]) => ({ node: facts(name), refusals: [each] }));
  return refusedNodes(tallyOf({ nodes: verdicts.length, lacking: {} }, verdicts), "match");
}

describe("the remedies for nodes that do not match", () => {
  const cordoned = refusal("Cordoned", "it is cordoned");
  const unready = refusal("NodeNotReady", "Ready is False");

  it("name each of three kinds, and the pod of a node whose pod is not ready", () => {
    const { remedy } = refused({ a: cordoned, b: unready, c: UNREADY });
    expect(remedy.split("; ").map((each) => each.replace(/ \(.*/, ""))).to.deep.equal([
      "have the cluster's administrator uncordon a",
      "have the cluster's administrator repair b",
      "repair pod team/game-3",
    ]);
  });

  it("name the label that a holder has lost", () => {
    const lost = { node: facts("a"), refusals: [refusal("LabelsDiffer", "it has no label pool")] };
    const { repair } = refusedNodes(tallyOf({ nodes: 1, lacking: { label: "pool=edge" } }, [lost]), "match");
    expect(repair).to.include("(kubectl label node NODE pool=edge)");
  });

  it("overwrite a label only on nodes that have it with another value: kubectl refuses to change it otherwise", () => {
    const commandOf = (relabel?: "all" | "some") => {
      const tally = tallyOf({ nodes: 2, lacking: { label: "pool=edge", ...(relabel && { relabel }) } }, []);
      return /\(kubectl [^)]*\)/.exec(refusedNodes(tally, "match").remedy)?.[0];
    };
    expect(commandOf()).to.equal("(kubectl label node NODE pool=edge)");
    expect(commandOf("all")).to.equal("(kubectl label node NODE pool=edge --overwrite)");
    expect(commandOf("some")).to.equal(
      "(kubectl label node NODE pool=edge, with --overwrite if label pool of the node has another value)",
    );
  });

  it("say of a label that has to be absent how to ask for another value of it, if nodes have it with such", () => {
    const said = (label: string, forbidden?: Lacking["forbidden"]) =>
      refusedNodes(tallyOf({ nodes: 2, lacking: { label, ...(forbidden && { forbidden }) } }, []), "match").remedy;
    const absent = { key: "example.com/spot", excluded: [], nodes: 2 };
    expect(said("!example.com/spot", { ...absent, values: ["false"] })).to.equal(
      'if nodes that have label example.com/spot with value "false" are meant, use example.com/spot!=true in spec.match.nodeLabel; otherwise have the cluster\'s administrator remove the label from a node (kubectl label node NODE example.com/spot-)',
    );
    expect(said("pool=edge,!spot", { ...absent, key: "spot", values: ["no", "yes"] })).to.include(
      "use spot!=yes in spec",
    );
    expect(said("!spot", { ...absent, key: "spot", values: ["true"] })).to.equal(
      "have the cluster's administrator remove the label from a node (kubectl label node NODE spot-), or correct spec.match.nodeLabel",
    );
    expect(said("pool!=a", { key: "pool", excluded: ["a"], values: ["a"], nodes: 2 })).to.equal(
      "have the cluster's administrator remove the label from a node (kubectl label node NODE pool-) or give it another value, or correct spec.match.nodeLabel",
    );
    expect(said("pool in (a,b)")).to.include("(kubectl label --overwrite node NODE pool=a, or another of the values)");
    expect(said("pool")).to.include("(kubectl label node NODE pool=)");
    expect(said("pool=edge,zone=a")).to.include("as spec.match.nodeLabel asks");
  });

  it("say of a selector that no node can have how to write what it probably means", () => {
    const said = (label: string) =>
      refusedNodes(tallyOf({ nodes: 2, lacking: { label, workload: "a pod" } }, []), "match").remedy;
    expect(said("pool=edge,pool=burst")).to.equal(
      "correct spec.match.nodeLabel, which no node can have: it asks for edge and burst of label pool at once; pool in (edge,burst) asks for one of them",
    );
    expect(said("pool in (a,b),pool in (c)")).to.include("pool in (a,b,c)");
    for (const label of ["pool=edge", "pool in (a,b),pool=a", "pool=edge,zone=edge", "pool!=a,pool=b"]) {
      expect(said(label), label).not.to.include("no node can have");
    }
  });

  it("say of a pod that is being deleted how to end it, and name finalizers only if it has some or these are unknown", () => {
    const remedyFor = (ending: PodEnd) => refused({ c: { ...UNREADY, ending } }).remedy;
    expect(remedyFor({})).to.include("wait until pod team/game-3 has ended").and.include("get pod game-3 -o yaml");
    expect(remedyFor({})).not.to.include("repair");
    expect(remedyFor({ finalizers: [] })).to.equal(
      "wait until pod team/game-3 has ended, which its grace period limits (kubectl -n team delete pod game-3 --grace-period=30 shortens it; if the pod stays longer, its kubelet does not end it)",
    );
    expect(remedyFor({ finalizers: [], graceSeconds: 7200 })).to.include(
      "which its grace period of 7200 s limits (kubectl -n team delete pod game-3 --grace-period=30 shortens it; for later pods, lower terminationGracePeriodSeconds of the workload; if the pod stays",
    );
    expect(remedyFor({ finalizers: [], graceSeconds: 30 })).to.include("its grace period limits (if the pod stays");
    expect(remedyFor({ finalizers: ["example.com/drain", "example.com/log"] })).to.equal(
      'have what set finalizers example.com/drain, example.com/log of pod team/game-3 remove them: they keep the pod also after its grace period; if that program no longer runs, kubectl -n team patch pod game-3 --type=merge -p \'{"metadata":{"finalizers":null}}\'',
    );
  });

  it("say where no pod exists that pods which depend on a mark of the resource wait for its address", () => {
    const presence = { pods: "none", detail: "no such pod exists" } as const;
    const tally = tallyOf({ nodes: 2, lacking: { label: "pool=edge", workload: "a pod with app=web", presence } }, []);
    const marks = { holderLabel: "example.com/holder", untilTaint: { key: "example.com/until", nodes: ["c"] } };
    expect(refusedNodes(tally, "match").remedy).not.to.include("example.com");
    expect(refusedNodes(tally, "match", marks).remedy)
      .to.include(
        "if the pods select nodes by label example.com/holder, which only a node with an address has, remove podNamespace",
      )
      .and.include(
        "if the pods have no toleration for taint example.com/until (untilAssigned), add it (with operator: Exists): the taint keeps them off c",
      );
    const { untilTaint } = marks;
    const repair = refusedNodes(
      tallyOf({ nodes: 1, lacking: {} }, [{ node: facts("a"), refusals: [cordoned] }]),
      "match",
      {
        untilTaint,
      },
    );
    expect(repair.remedy, "beside another remedy").to.include("example.com/until").and.include("uncordon a");
  });

  it("name a pod that waits while the holder has none, and the taint of the elected node only beside such a pod", () => {
    const lost = { node: facts("a"), refusals: [refusal("NoPod", "it has no endpoint of Service team/game")] };
    const by = { service: "team/game" };
    const marks = { electedTaint: { key: "example.com/elected", nodes: ["a"] } };
    const seen = (presence: Presence, nodes = 2) =>
      refusedNodes(tallyOf({ nodes, lacking: { workload: "an endpoint", presence } }, [lost]), by, marks);
    const waiting = seen({ pods: "some", pod: "team/game-1", detail: "pod team/game-1 is Pending" });
    expect(waiting.text).to.include(
      "1 lacks an endpoint (pod team/game-1 is Pending, and on no node yet); 1 NoPod (a: ",
    );
    expect(waiting.remedy)
      .to.include("repair pod team/game-1 (kubectl -n team describe pod game-1")
      .and.include("for taint example.com/elected (electedNodeTaint), add it")
      .and.include("the taint keeps them off a")
      .and.not.include("selector");
    const only = seen({ pods: "some", pod: "team/game-1", detail: "pod team/game-1 is Pending" }, 1);
    expect(only.text, "the only node").to.match(
      /^0 of 1 nodes match; 1 NoPod .*; pod team\/game-1 is Pending, and on no/,
    );
    const elsewhere = seen({ pods: "some", pod: "team/game-1", node: "b", detail: "pod team/game-1 is Pending" });
    expect(elsewhere.remedy).to.include("repair pod team/game-1").and.not.include("example.com");
    const ready = seen({
      pods: "some",
      pod: "team/game-1",
      node: "b",
      ready: true,
      detail: "pod team/game-1 is ready",
    });
    expect(ready.remedy, "nothing is wrong with the pod")
      .to.include("wait until an EndpointSlice of Service team/game has pod team/game-1")
      .and.not.include("repair");
    const none = seen({ pods: "none", detail: "no pod has the labels of its selector" });
    expect(none.text).to.include("(no pod has the labels of its selector)");
    expect(none.remedy).to.equal(
      "have the author of Service team/game check its selector, and whether its pods exist (a workload of 0 replicas has none)",
    );
    expect(seen({ pods: "unknown" }).remedy)
      .to.include("example.com")
      .and.include("check its selector");
  });

  it("let the workload run a pod on the node that lacks nothing else", () => {
    const lacks = (node: string) => ({
      node: facts(node),
      refusals: [refusal("NoPod", "it runs no pod with app=web")],
    });
    const lacking = { label: "pool=edge", workload: "a pod with app=web" };
    const tally = tallyOf({ nodes: 4, lacking }, [{ node: facts("a"), refusals: [] }, lacks("b"), lacks("c")]);
    const { repair, withPods } = refusedNodes(tally, "match");
    expect(repair).to.equal(
      "let the workload run a pod on b: more replicas, spread over the nodes (topologySpreadConstraints, anti-affinity or a hostPort), or another nodeSelector, affinity or toleration of the pods",
    );
    expect(withPods).to.equal(3);
    const none = { pods: "none", detail: "no such pod exists" } as const;
    const unmet = tallyOf({ nodes: 2, lacking: { ...lacking, presence: none } }, [lacks("b")]);
    expect(refusedNodes(unmet, "match").remedy, "no pod anywhere").to.equal(
      "run such a pod on a node, or correct spec.match.podNamespace and spec.match.podLabel",
    );
  });

  it("repair a pod that has no node yet, instead of more of them", () => {
    const presence = { pods: "some", pod: "team/game-1", detail: "pod team/game-1 is Pending" } as const;
    const lacking = { label: "pool=edge", workload: "a pod with app=web", presence };
    const podless = { node: facts("b"), refusals: [refusal("NoPod", "it runs no pod with app=web")] };
    const tally = tallyOf({ nodes: 2, lacking }, [{ node: facts("a"), refusals: [] }, podless]);
    const { text, repair, withPods } = refusedNodes(tally, "match");
    expect(text).to.equal(
      "1 of 2 nodes match; 1 NoPod (b: it runs no pod with app=web); pod team/game-1 is Pending, and on no node yet",
    );
    expect([repair, withPods]).to.deep.equal([
      "repair pod team/game-1 (kubectl -n team describe pod game-1 shows what it waits for), or run another one",
      2,
    ]);
  });

  it("name both where no pod exists and the nodes with the label are cordoned", () => {
    const presence = { pods: "none", detail: "no such pod exists" } as const;
    const lacking = { label: "pool=edge", workload: "a pod with app=web", presence };
    const tally = tallyOf({ nodes: 2, lacking }, [{ node: facts("a"), refusals: [cordoned] }]);
    expect(refusedNodes(tally, "match").remedy).to.match(/^run such a pod on a node, .*; have .* uncordon a/);
  });

  it("tell how to see what the pod waits for", () => {
    const shown = "(kubectl -n team describe pod game-3 shows what it waits for), or run another one on the node";
    expect(refused({ c: UNREADY }).remedy).to.equal(`repair pod team/game-3 ${shown}`);
    expect(repairOfHolder([UNREADY], "c", "match")).to.equal(`repair pod team/game-3 ${shown}`);
    expect(repairOfHolder([{ reason: "PodNotReady" }], "c", { service: "team/game" }), "unknown").to.equal(
      "repair the pod (kubectl describe pod shows what it waits for), or run another one on the node",
    );
  });
});
