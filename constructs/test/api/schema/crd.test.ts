import { expect } from "chai";
import { describe, it } from "mocha";
import { parse, stringify } from "yaml";
import { ALL_KINDS, type AnySchema, customResourceDefinitions, type KindName, validateSpec } from "../../../src/api";

const MAX_BYTES = 200 * 1024;

describe("the CustomResourceDefinitions", () => {
  for (const crd of customResourceDefinitions()) {
    it(`${crd.metadata.name} is under 200 KB`, () => {
      expect(stringify(crd).length).to.be.below(MAX_BYTES);
    });
  }

  for (const { kind, spec, status } of ALL_KINDS) {
    it(`${kind} describes every field in a sentence`, () => {
      for (const { description } of [...walk(spec), ...walk(status)]) expect(description).to.match(/^[A-Z`].*[.`]$/s);
    });

    it(`${kind} limits every string and list, as the server's cost estimate requires`, () => {
      for (const schema of [...walk(spec), ...walk(status)]) {
        if (schema.type !== "string" || schema.enum || schema.format) continue;
        expect(schema.maxLength, schema.description).to.be.a("number");
      }
    });

    it(`${kind} has an example that is valid`, () => {
      expect(validateSpec(kind as KindName, spec.example)).to.deep.equal([]);
    });
  }

  it("marks the fields that are not optional as required", () => {
    const pool = JSON.stringify(customResourceDefinitions()[0]);
    expect(pool).to.include('"required":["provider"]');
    expect(pool).to.include('"required":["recordName","zone"]');
  });

  it("has no key without a value", () => {
    for (const crd of customResourceDefinitions()) expect(parse(stringify(crd))).to.deep.equal(crd);
  });
});

function walk(schema: AnySchema): readonly AnySchema[] {
  switch (schema.type) {
    case "object":
      return [schema, ...Object.values(schema.properties).flatMap(walk)];
    case "array":
      return [schema, ...walk(schema.items)];
    case "map":
      return [schema, ...walk(schema.values)];
    default:
      return [schema];
  }
}
