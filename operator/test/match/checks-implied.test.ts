import type { RefusalReason } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { notableRefusals, refusal } from "../../src/match/checks.js";

describe("refusals for people", () => {
  const cases: readonly (readonly [has: readonly RefusalReason[], shown: readonly RefusalReason[]])[] = [
    [[], []],
    [["NodeNotReady", "NodeUnwell", "PodNotReady"], ["NodeNotReady"]],
    [
      ["NodeUnwell", "PodNotReady"],
      ["NodeUnwell", "PodNotReady"],
    ],
    [
      ["NodeNotReady", "NoPod"],
      ["NodeNotReady", "NoPod"],
    ],
    [["NodeDeleting", "Cordoned", "NodeNotReady", "NodeUnwell"], ["NodeDeleting"]],
    [
      ["PodNotReady", "Cordoned"],
      ["Cordoned", "PodNotReady"],
    ],
  ];
  for (const [has, shown] of cases) {
    it(`are ${shown.join(", ") || "none"} of ${has.join(", ") || "none"}`, () => {
      const refusals = has.map((reason) => refusal(reason, ""));
      expect(notableRefusals(refusals).map(({ reason }) => reason)).to.deep.equal(shown);
    });
  }
});
