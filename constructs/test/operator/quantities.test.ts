import { expect } from "chai";
import { describe, it } from "mocha";
import type { FlipopOperatorProps } from "../../src";
import { checkResources } from "../../src/operator/checks/check-resources";
import { Draft } from "../../src/private/refusal-collector";
import { makeOperator } from "./synth";

const { deployment } = makeOperator().operator;

function refusalsOf(props: FlipopOperatorProps): readonly string[] {
  const draft = new Draft(deployment);
  checkResources(props, draft);
  return draft.refusals.map(({ prop, message }) => `${prop}: ${message}`);
}

/** The problems if each of two quantities is the request, and the other one the limit. */
function bothWays(what: "cpu" | "memory", [one, other]: readonly [string, string]): readonly string[] {
  const ask = (request: string, limit: string) => refusalsOf({ [`${what}Request`]: request, [`${what}Limit`]: limit });
  return [...ask(one, other), ...ask(other, one)];
}

describe("quantities", () => {
  it("of CPU are the same in thousandths and as a fraction", () => {
    const milli = Array.from({ length: 2000 }, (_, index) => index + 1);
    expect(milli.flatMap((m) => bothWays("cpu", [`${m}m`, (m / 1000).toFixed(3)]))).to.deep.equal([]);
    expect(milli.flatMap((m) => bothWays("cpu", [`${m / 10}m`, (m / 10_000).toFixed(4)]))).to.deep.equal([]);
  });

  for (const [small, large, factor] of [
    ["M", "G", 1000],
    ["k", "M", 1000],
    ["Mi", "Gi", 1024],
    ["Gi", "Ti", 1024],
  ] as const) {
    it(`of memory are the same in ${small} and in ${large}`, () => {
      const amounts = Array.from({ length: 2000 }, (_, index) => index + 1);
      const pairs = amounts.map((amount) => [`${amount}${small}`, `${exact(amount, factor)}${large}`] as const);
      expect(pairs.flatMap((pair) => bothWays("memory", pair))).to.deep.equal([]);
    });
  }

  it("that differ in the last of many digits are different", () => {
    expect(refusalsOf({ cpuRequest: "0.70000000000000000001", cpuLimit: "700m" })).to.have.length(1);
    expect(refusalsOf({ memoryRequest: "9007199254740993", memoryLimit: "9007199254740992" })).to.have.length(1);
  });

  it("are refused if all their digits are 0", () => {
    expect(refusalsOf({ cpuRequest: "0.0m" })).to.deep.equal([
      'cpuRequest: "0.0m" is not a quantity: write it as "50m" or "0.5"',
    ]);
  });
});

/** The exact quotient by 1000 or 1024; the latter has up to ten decimal places. */
function exact(amount: number, factor: number): string {
  return (amount / factor).toFixed(10);
}
