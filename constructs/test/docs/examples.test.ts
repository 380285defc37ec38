import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { runTypeScript } from "../support/run-code";

interface Documented {
  readonly name: string;
  readonly docs?: { readonly example?: string };
}

/** jsii's assembly, of the last compilation. */
const { types } = JSON.parse(readFileSync(resolve(__dirname, "../../.jsii"), "utf8")) as {
  readonly types: Readonly<Record<string, Documented>>;
};
const EXAMPLES = Object.values(types).flatMap(({ name, docs }) =>
  docs?.example === undefined ? [] : [{ name, code: docs.example }],
);

describe("the examples in docstrings", () => {
  it("are many", () => expect(EXAMPLES).to.have.length.above(18));

  for (const { name, code } of EXAMPLES) {
    it(`synthesise: ${name}`, () => {
      expect(runTypeScript(code)).not.to.deep.equal([]);
    });
  }
});
