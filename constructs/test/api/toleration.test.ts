import { expect } from "chai";
import { describe, it } from "mocha";
import { parseToleration, type Taint, type Toleration, tolerates } from "../../src/api";

const TAINT: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };

describe("tolerations", () => {
  const cases: readonly (readonly [Toleration, boolean])[] = [
    [{ key: TAINT.key, effect: "NoSchedule" }, true],
    [{ key: TAINT.key, operator: "Exists" }, true],
    [{ key: TAINT.key, operator: "", effect: "" }, true],
    [{ key: TAINT.key, operator: "Exists", effect: "NoExecute" }, false],
    [{ key: TAINT.key, operator: "Exists", value: "ignored" }, true],
    [{ key: TAINT.key, value: "other" }, false],
    [{ key: "other", operator: "Exists" }, false],
    [{ operator: "Exists" }, true],
    [{ operator: "Equal", value: "" }, true],
    [{ operator: "Equal", value: "x" }, false],
  ];
  for (const [toleration, expected] of cases) {
    it(`${JSON.stringify(toleration)} ${expected ? "covers" : "does not cover"} a cordon`, () => {
      const parsed = parseToleration(toleration);
      if (!parsed.ok) throw new Error(parsed.message);
      expect(tolerates(parsed.toleration, TAINT)).to.equal(expected);
    });
  }

  it("that tolerate nothing return an error with the actual value", () => {
    expect(parseToleration({ operator: "Any" })).to.deep.equal({
      ok: false,
      message: 'operator "Any" tolerates nothing: use Equal or Exists',
    });
    expect(parseToleration({ effect: "None" })).to.deep.equal({
      ok: false,
      message:
        'effect "None" tolerates nothing: use NoSchedule, PreferNoSchedule, NoExecute, or remove it for all effects',
    });
  });
});
