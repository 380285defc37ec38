import { expect } from "chai";
import { describe, it } from "mocha";
import { compileMatch, podScopeOf } from "../../src/match/compile-match.js";
import { compiled } from "./cluster.js";

describe("a compiled match", () => {
  it("asks for nothing where the spec asks for nothing, empty text included", () => {
    for (const spec of [undefined, {}, { nodeLabel: "", podLabel: "", podNamespace: "", tolerations: [] }]) {
      expect(compileMatch(spec)).to.deep.equal({
        ok: true,
        match: { nodeLabels: [], labelText: "", tolerations: [], toleratesCordon: false },
        problems: [],
      });
    }
  });

  it("is unusable with a selector that can't be parsed, and names each", () => {
    const result = compileMatch({ nodeLabel: "a in b", podLabel: "=x", tolerations: [{ operator: "Like" }] });
    expect(result.ok).to.equal(false);
    expect(result.problems.map(({ field }) => field)).to.deep.equal(["match.nodeLabel", "match.podLabel"]);
    expect(result.problems[0]?.message).to.match(/^"a in b" is not a label selector: .* at position \d+; write it/);
  });

  it("leaves out a toleration that tolerates nothing, and says so", () => {
    const result = compileMatch({
      tolerations: [
        { key: "a", operator: "Like" },
        { key: "b", operator: "Exists" },
      ],
    });
    expect(result.ok && result.match.tolerations.map(({ key }) => key)).to.deep.equal(["b"]);
    expect(result.problems.map(({ field }) => field)).to.deep.equal(["match.tolerations[0]"]);
  });

  it("knows which tolerations cover a cordon", () => {
    const key = "node.kubernetes.io/unschedulable";
    const tolerates = (toleration: object) => compiled({ tolerations: [toleration] }).toleratesCordon;
    expect(
      [{ operator: "Exists" }, { key, operator: "Exists" }, { key, effect: "NoSchedule" }].map(tolerates),
    ).to.deep.equal([true, true, true]);
    expect(
      [
        { key, operator: "Exists", effect: "NoExecute" },
        { key, value: "x" },
      ].map(tolerates),
    ).to.deep.equal([false, false]);
  });
});

describe("the scope of pods", () => {
  it("has the namespace and the requirements", () => {
    const { pods } = compiled({ podNamespace: "ingress", podLabel: "app=web,tier,!old,zone notin (a,b)" });
    expect(pods && podScopeOf(pods)).to.deep.equal({
      namespace: "ingress",
      selector: {
        matchExpressions: [
          { key: "app", operator: "In", values: ["web"] },
          { key: "tier", operator: "Exists" },
          { key: "old", operator: "DoesNotExist" },
          { key: "zone", operator: "NotIn", values: ["a", "b"] },
        ],
      },
    });
  });

  it("is wider than the match where the selector compares integers", () => {
    const { pods } = compiled({ podLabel: "app=web,weight>3" });
    expect(pods && podScopeOf(pods).selector.matchExpressions).to.have.length(1);
  });
});
