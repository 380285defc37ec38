import { expect } from "chai";
import { describe, it } from "mocha";
import { type Refusal, refusal } from "../../src/match/checks.js";
import { tallyOf } from "../../src/match/tally.js";
import { refusedNodes, repairOfHolder } from "../../src/messages/refused-nodes.js";
import { facts } from "../match/cluster.js";

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

  it("tell how to see what the pod waits for", () => {
    const shown = "(kubectl -n team describe pod game-3 shows what it waits for), or run another one on the node";
    expect(refused({ c: UNREADY }).remedy).to.equal(`repair pod team/game-3 ${shown}`);
    expect(repairOfHolder([UNREADY], "c", "match")).to.equal(`repair pod team/game-3 ${shown}`);
    expect(repairOfHolder([{ reason: "PodNotReady" }], "c", { service: "team/game" }), "unknown").to.equal(
      "repair the pod (kubectl describe pod shows what it waits for), or run another one on the node",
    );
  });
});
