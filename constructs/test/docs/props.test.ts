import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Make, PropClaim } from "../data/prop-claims/claim";
import { OPERATOR_CLAIMS } from "../data/prop-claims/operator";
import { POOL_CLAIMS } from "../data/prop-claims/pools";
import { RECORD_CLAIMS } from "../data/prop-claims/records";
import { ROUTED_IP_CLAIMS } from "../data/prop-claims/routed-ips";
import { newChart, refusals } from "../support/charts";

interface Struct {
  readonly name: string;
  /** Full names of the structs whose props it has too. */
  readonly interfaces?: readonly string[];
  readonly properties?: readonly { readonly name: string; readonly docs: Readonly<Record<string, string>> }[];
}

const { types } = JSON.parse(readFileSync(resolve(__dirname, "../../.jsii"), "utf8")) as {
  readonly types: Readonly<Record<string, Struct>>;
};

/** The documentation of a prop, as jsii has it for all languages. */
function docOf(path: string): string {
  const [name, prop] = path.split(".");
  const found = withBases(Object.values(types).find((struct) => struct.name === name))
    .flatMap(({ properties = [] }) => properties)
    .find((property) => property.name === prop);
  if (!found) throw new Error(`${path} is not a prop`);
  return textOf(found.docs);
}

/** A struct, and those that it extends, because jsii lists a prop only in the struct that defines it. */
function withBases(struct: Struct | undefined): readonly Struct[] {
  return struct ? [struct, ...(struct.interfaces ?? []).flatMap((base) => withBases(types[base]))] : [];
}

function textOf(docs: Readonly<Record<string, string>> | undefined): string {
  return `${docs?.["summary"]} ${docs?.["remarks"]} ${docs?.["default"]}`.replaceAll(/\s+/g, " ");
}

const CLAIMS: readonly PropClaim[] = [...POOL_CLAIMS, ...RECORD_CLAIMS, ...ROUTED_IP_CLAIMS, ...OPERATOR_CLAIMS];

/** Rules of the cluster or of the operator, which no synthesis can check. */
const NOT_AT_SYNTHESIS = [
  "they must already be open",
  "Requires Kubernetes 1.30 or newer",
  "The CustomResourceDefinitions of the Prometheus operator must be installed",
  "must be Running, Ready and not being deleted",
  "must have label `flipop.digitalocean.com/job`",
  "must exist when you apply the manifest",
  "confirms the failure",
  "must be valid for the node's address",
];

/** Words of a sentence that allows or refuses values. */
const RULE =
  /refused|at most|\d to |must |only if|more than|or more|requires|whole second|without duplicates|less than|whole number/i;

describe("the documentation of props is true at synthesis", () => {
  it("for each sentence with a rule", () => {
    const unchecked = Object.values(types).flatMap(({ name, properties = [] }) =>
      properties.flatMap((property) => {
        const docs = textOf(property.docs);
        const claims = CLAIMS.filter(([prop, says]) => prop.endsWith(`.${property.name}`) && docs.includes(says));
        const sentences = docs.split(/(?<=[.;]) /).filter((sentence) => RULE.test(sentence));
        const left = sentences.filter((sentence) => !NOT_AT_SYNTHESIS.some((says) => sentence.includes(says)));
        return left.length > 0 && claims.length === 0 ? [`${name}.${property.name}: ${left[0]}`] : [];
      }),
    );
    expect(unchecked).to.deep.equal([]);
  });

  for (const [prop, says, allowed, refused] of CLAIMS) {
    it(`${prop}: ${says}`, () => {
      expect(docOf(prop)).to.include(says);
      const errorsOf = (make: Make) => {
        const chart = newChart();
        make(chart);
        return refusals(chart);
      };
      expect(allowed.flatMap(errorsOf)).to.deep.equal([]);
      const accepted = refused.filter((make) => errorsOf(make).length === 0);
      expect(accepted.length, "values that the documentation forbids, but synthesis accepts").to.equal(0);
    });
  }
});
