import { expect } from "chai";
import fc from "fast-check";
import { inSeconds } from "flipop-testbed";
import { describe, it } from "mocha";
import { matchesNamePattern, namePatternText } from "../../../src/api";
import { limitsOfNamespace } from "../../../src/api/access/tenant-limits";

const text = (...parts: readonly string[]) =>
  fc.array(fc.constantFrom(...parts), { maxLength: 7 }).map((all) => all.join(""));

describe("patterns of names", () => {
  it("match what the regular expression of the admission policy matches", () => {
    fc.assert(
      fc.property(
        text("a", "b", ".", "-"),
        text("a", "b", ".", "*", "{namespace}"),
        text("a", "b"),
        (name, pattern, namespace) => {
          const wanted = new RegExp(namePatternText(pattern, namespace)).test(name);
          expect(matchesNamePattern(name, pattern, namespace), `${pattern} ${name} ${namespace}`).to.equal(wanted);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("end soon with many stars and a name that almost matches", () => {
    const name = `${"a".repeat(63)}.${"a".repeat(63)}.example.com`;
    const pattern = `${"*a".repeat(20)}b.${"*".repeat(40)}b.example.com`;
    expect(inSeconds(30, () => matchesNamePattern(name, pattern, "apps"))).to.equal(false);
  });

  it("of namespaces take a star for any text, and end soon, too", () => {
    const index = (namespace: string, ...names: readonly string[]) =>
      limitsOfNamespace({ namespaces: names.map((name) => ({ names: [name] })) }, namespace)?.index;
    expect(index("team-a", "team", "*-b", "team-*")).to.equal(2);
    expect(index("team-", "t*am-*")).to.equal(0);
    expect(inSeconds(30, () => index("a".repeat(63), `${"*a".repeat(30)}b`))).to.equal(undefined);
  });
});
