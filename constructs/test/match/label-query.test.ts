import { ApiObject } from "cdk8s";
import { expect } from "chai";
import * as fc from "fast-check";
import { describe, it } from "mocha";
import { LabelQuery } from "../../src";
import { parseLabelSelector, type SelectorRequirement } from "../../src/api";
import { SELECTOR_PATTERN } from "../../src/api/labels/selector-pattern";
import { Draft } from "../../src/private/refusal-collector";
import { writeSelector } from "../../src/private/selector";
import { newChart } from "../support/charts";

const draft = () => new Draft(new ApiObject(newChart(), "object", { apiVersion: "v1", kind: "ConfigMap" }));

function text(...queries: LabelQuery[]): string {
  return writeSelector(queries, draft().at("nodes"));
}

function parsed(...queries: LabelQuery[]): readonly SelectorRequirement[] | string {
  const result = parseLabelSelector(text(...queries));
  return result.ok ? result.requirements : result.error.message;
}

/** Whether LabelQuery refused the text. */
function refused(query: LabelQuery): boolean {
  const note = draft();
  writeSelector([query], note.at("nodes"));
  return note.refusals.length > 0;
}

describe("LabelQuery", () => {
  it("selects as documented", () => {
    expect(
      parsed(
        LabelQuery.is("app", "web"),
        LabelQuery.is("tier", ""),
        LabelQuery.exists("example.com/a"),
        LabelQuery.doesNotExist("b"),
        LabelQuery.in("c", ["x", "y", "x"]),
        LabelQuery.notIn("d", ["z"]),
        LabelQuery.gt("e", 4),
        LabelQuery.lt("f", 9),
      ),
    ).to.deep.equal([
      { key: "app", operator: "In", values: ["web"] },
      { key: "tier", operator: "In", values: [""] },
      { key: "example.com/a", operator: "Exists", values: [] },
      { key: "b", operator: "DoesNotExist", values: [] },
      { key: "c", operator: "In", values: ["x", "y"] },
      { key: "d", operator: "NotIn", values: ["z"] },
      { key: "e", operator: "GreaterThan", values: ["4"] },
      { key: "f", operator: "LessThan", values: ["9"] },
    ]);
  });

  it("keeps any set of values, including the empty one", () => {
    const value = fc.constantFrom("", "a", "b", "in", "notin", "x.y_z-1");
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), fc.boolean(), (values, negated) => {
        const query = negated ? LabelQuery.notIn("k", values) : LabelQuery.in("k", values);
        expect(text(query)).to.match(new RegExp(SELECTOR_PATTERN));
        const [requirement] = parsed(query) as readonly SelectorRequirement[];
        expect(requirement?.operator).to.equal(negated ? "NotIn" : "In");
        expect(new Set(requirement?.values)).to.deep.equal(new Set(values));
      }),
    );
  });

  it("refuses text that would change the selector around it", () => {
    const key = fc.string({ unit: fc.constantFrom("a", "B", "/", ".", ",", "!", "=", "(", ")", " ", "-") });
    fc.assert(
      fc.property(key, key, (name, value) => {
        const query = LabelQuery.is(name, value);
        if (refused(query)) return;
        expect(parsed(query)).to.deep.equal([{ key: name, operator: "In", values: [value] }]);
      }),
    );
  });
});
