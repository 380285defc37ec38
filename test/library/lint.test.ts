import { expect } from "chai";
import { describe, it } from "mocha";
import { type Assembly, type AssemblyType, readAssembly } from "../../tools/library/assembly.js";
import { lintAssembly } from "../../tools/library/lint.js";

const docs = { summary: "Said." };
const shown = { ...docs, example: "new A();" };
const struct: AssemblyType = { kind: "interface", datatype: true, name: "Options", docs };
const text = { type: {} };
const options = { name: "options", docs, type: { fqn: "x.Options" } };

/** APIs with one mistake each, and the finding. */
const BAD: readonly { readonly type: AssemblyType; readonly says: string }[] = [
  { type: { kind: "class", name: "A", docs: { example: "new A();" } }, says: "A has no documentation" },
  { type: { kind: "class", name: "A", docs }, says: "A has no @example" },
  { type: { kind: "enum", name: "A", docs, members: [{ name: "B" }] }, says: "A.B has no documentation" },
  {
    type: { kind: "class", name: "A", docs: shown, properties: [{ ...text, name: "b" }] },
    says: "A.b has no documentation",
  },
  {
    type: { kind: "interface", name: "A", docs, properties: [{ ...text, name: "b", docs, optional: true }] },
    says: "A.b is optional and has no @default",
  },
  {
    type: {
      kind: "class",
      name: "A",
      docs: shown,
      methods: [{ name: "b", docs, parameters: [{ ...text, name: "c" }] }],
    },
    says: "A.b(c) has no documentation",
  },
  {
    type: {
      kind: "class",
      name: "A",
      docs: shown,
      methods: [{ name: "b", docs, parameters: [options, { ...text, name: "c", docs }] }],
    },
    says: "A.b(options) is a struct and not the last parameter",
  },
  {
    type: {
      kind: "class",
      name: "A",
      docs: shown,
      initializer: { parameters: [options, { ...text, name: "c", docs }] },
    },
    says: "A.constructor(options) is a struct and not the last parameter",
  },
  {
    type: { kind: "interface", name: "A", docs, properties: [{ ...text, name: "desiredIPs", docs }] },
    says: "A.desiredIPs becomes desired_i_ps in Python",
  },
];

describe("the lint of the public API", () => {
  it("has no finding in the library", () => {
    expect(lintAssembly(readAssembly())).to.deep.equal([]);
  });

  for (const { type, says } of BAD) {
    it(`finds that ${says}`, () => {
      const assembly: Assembly = { types: { "x.Options": struct, "x.A": type } };
      expect(lintAssembly(assembly)).to.deep.equal([says]);
    });
  }
});
