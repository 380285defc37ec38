import { expect } from "chai";
import { describe, it } from "mocha";
import { KINDS, type KindName, validateSpec } from "../../../src/api";
import { BAD_SPECS } from "../../data/bad-specs";
import { minimalSpec } from "../../data/minimal-specs";

describe("validateSpec", () => {
  for (const kind of Object.keys(KINDS) as KindName[]) {
    it(`accepts a minimal ${kind}`, () => {
      expect(validateSpec(kind, minimalSpec(kind))).to.deep.equal([]);
    });
  }

  for (const { kind, name, spec, path, says } of BAD_SPECS) {
    it(`refuses ${kind} with ${name}`, () => {
      const problems = validateSpec(kind, spec);
      expect(problems.map((problem) => problem.path)).to.deep.equal([path]);
      expect(problems[0]?.message).to.include(says);
    });
  }

  it("returns all problems of a spec, in the order of its fields", () => {
    const spec = { desiredIPs: -1, ips: ["x", "192.0.2.1"], match: { nodeLabel: "a=", podLabel: "=" }, extra: 1 };
    expect(validateSpec("FloatingIPPool", spec).map(({ path }) => path)).to.deep.equal([
      "spec.extra",
      "spec.provider",
      "spec.desiredIPs",
      "spec.ips[0]",
      "spec.match.podLabel",
    ]);
  });

  it("shows only the start of a long value", () => {
    const spec = { ...minimalSpec("FloatingIPPool"), ips: "x".repeat(400_000), region: ["y".repeat(400_000)] };
    const problems = validateSpec("FloatingIPPool", spec);
    expect(problems.map(({ path }) => path)).to.deep.equal(["spec.region", "spec.ips"]);
    for (const { message } of problems) expect(message).to.match(/^.{200}… is not a (string|list)$/);
  });

  it("refuses a change of an existing RoutedIP's class", () => {
    const old = minimalSpec("RoutedIP");
    const problems = validateSpec("RoutedIP", { ...old, className: "other" }, old);
    expect(problems).to.have.length(1);
    expect(problems[0]?.message).to.include("className and issuerRef are immutable: delete the RoutedIP");
  });

  it("treats null as absent, like the server", () => {
    expect(validateSpec("FloatingIPPool", { provider: "digitalocean", desiredIPs: 1, ips: null })).to.deep.equal([]);
  });

  it("shows the value that it got instead of a spec", () => {
    expect(validateSpec("FloatingIPPool", "spec")).to.deep.equal([
      { path: "spec", message: '"spec" is not an object' },
    ]);
  });
});
