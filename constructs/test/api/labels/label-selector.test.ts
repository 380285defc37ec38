import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { parseLabelSelector, selectorMatches } from "../../../src/api";
import { SELECTOR_PATTERN } from "../../../src/api/labels/selector-pattern";
import { selectorText } from "../../support/arbitraries";

/** The requirements as text, or the error. */
function parsed(text: string): string {
  const result = parseLabelSelector(text);
  if (!result.ok) return `${result.error.position}: ${result.error.message}`;
  return result.requirements.map(({ key, operator, values }) => `${key} ${operator} [${values.join(",")}]`).join("; ");
}

describe("parseLabelSelector", () => {
  const cases: Readonly<Record<string, string>> = {
    "": "",
    "  ": "",
    app: "app Exists []",
    "!app": "app DoesNotExist []",
    "! app , b": "app DoesNotExist []; b Exists []",
    "app=web": "app In [web]",
    "app == web": "app In [web]",
    "app!=web": "app NotIn [web]",
    "app=": "app In []",
    "app=,b": "app In []; b Exists []",
    "app in (a, b)": "app In [a,b]",
    "app in(a)": "app In [a]",
    "app notin (a,a)": "app NotIn [a]",
    "app in ()": "app In []",
    "app in (,)": "app In []",
    "app in (,,a,,b,,)": "app In [,a,b]",
    "app in (a,,)": "app In [a,]",
    "in=in": "in In [in]",
    "notin notin (in)": "notin NotIn [in]",
    "gen>3,gen<10": "gen GreaterThan [3]; gen LessThan [10]",
    "example.com/a.b_C=D": "example.com/a.b_C In [D]",
    "a\t=\nb": "a In [b]",
  };
  for (const [text, expected] of Object.entries(cases)) {
    it(`reads ${JSON.stringify(text)}`, () => {
      expect(parsed(text)).to.equal(expected);
    });
  }

  it("reports the position of the first invalid character", () => {
    expect(parsed("app=web,tier in (a")).to.equal('18: expected "," or ")", found the end');
    expect(parsed("app=web tier")).to.equal('8: expected "," or the end, found "tier"');
  });

  it("agrees with the regular expression for the API server", () => {
    const pattern = new RegExp(SELECTOR_PATTERN, "u");
    const property = fc.property(selectorText, (text) => {
      const long = /[a-z0-9.-]{254}\//.test(text);
      expect(pattern.test(text) && !long).to.equal(parseLabelSelector(text).ok);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

describe("selectorMatches", () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
    ["", {}, true],
    ["app", { app: "" }, true],
    ["app", {}, false],
    ["!app", { app: "x" }, false],
    ["!app", {}, true],
    ["app=", { app: "" }, true],
    ["app=", {}, false],
    ["app!=web", {}, true],
    ["app!=web", { app: "web" }, false],
    ["app in (a,b)", { app: "b" }, true],
    ["app notin (a,b)", { app: "b" }, false],
    ["app notin (a,b)", {}, true],
    ["gen>3", { gen: "4" }, true],
    ["gen>3", { gen: "3" }, false],
    ["gen>3", { gen: "x" }, false],
    ["gen>3", {}, false],
    ["gen<3", { gen: "02" }, true],
    ["gen>3", { gen: "99999999999999999999" }, false],
    ["app=web,tier=a", { app: "web", tier: "b" }, false],
    ["toString", {}, false],
  ];
  for (const [selector, labels, expected] of cases) {
    it(`${JSON.stringify(selector)} ${expected ? "selects" : "does not select"} ${JSON.stringify(labels)}`, () => {
      const result = parseLabelSelector(selector);
      if (!result.ok) throw new Error(result.error.message);
      expect(selectorMatches(result.requirements, labels)).to.equal(expected);
    });
  }
});
