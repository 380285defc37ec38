import { expect } from "chai";
import { describe, it } from "mocha";
import { jsonEqual, type LabelSelector, matchesLabels, selectorString } from "../../src/kube/objects.js";

const CASES: readonly [LabelSelector, string, Record<string, string>, boolean][] = [
  [{}, "", { a: "1" }, true],
  [{ matchLabels: { a: "1", b: "2" } }, "a=1,b=2", { b: "2", a: "1" }, true],
  [{ matchLabels: { a: "1" } }, "a=1", { a: "2" }, false],
  [{ matchExpressions: [{ key: "a", operator: "In", values: ["2", "1"] }] }, "a in (1,2)", { a: "1" }, true],
  [{ matchExpressions: [{ key: "a", operator: "In", values: ["1"] }] }, "a in (1)", {}, false],
  [{ matchExpressions: [{ key: "a", operator: "NotIn", values: ["1"] }] }, "a notin (1)", {}, true],
  [{ matchExpressions: [{ key: "a", operator: "NotIn", values: ["1"] }] }, "a notin (1)", { a: "1" }, false],
  [{ matchExpressions: [{ key: "a", operator: "Exists" }] }, "a", { a: "" }, true],
  [{ matchExpressions: [{ key: "a", operator: "DoesNotExist" }] }, "!a", { a: "" }, false],
  [{ matchExpressions: [{ key: "toString", operator: "Exists" }] }, "toString", {}, false],
];

describe("label selector", () => {
  for (const [selector, query, labels, matches] of CASES) {
    it(`${JSON.stringify(selector)} is "${query}" and ${matches ? "matches" : "refuses"} ${JSON.stringify(labels)}`, () => {
      expect(selectorString(selector)).to.equal(query);
      expect(matchesLabels(selector, labels)).to.equal(matches);
    });
  }
});

describe("equality of JSON values", () => {
  it("sees a member that comes or goes, whatever its name", () => {
    for (const key of ["constructor", "toString", "__proto__", "app"]) {
      const labels: unknown = JSON.parse(`{"${key}": "x"}`);
      expect(jsonEqual(labels, {}), key).to.equal(false);
      expect(jsonEqual({}, labels), key).to.equal(false);
      expect(jsonEqual(labels, JSON.parse(JSON.stringify(labels))), key).to.equal(true);
    }
    expect(jsonEqual({ a: undefined }, {})).to.equal(true);
    expect(jsonEqual({}, { a: undefined })).to.equal(true);
  });
});
