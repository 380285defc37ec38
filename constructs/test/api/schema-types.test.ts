import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import ts from "typescript";

const FILE = resolve(__dirname, "../../src/api/virtual-schema.ts");
const HEAD = `import type { SchemaOf } from "./schema";
interface Spec { readonly name: string; readonly size?: number; readonly mode?: "A" | "B"; readonly tags?: readonly string[] }
const name = { type: "string", description: "d" } as const;
const size = { type: "integer", description: "d", optional: true } as const;
const mode = { type: "string", description: "d", optional: true, enum: { A: true, B: true } } as const;
const tags = { type: "array", description: "d", optional: true, items: name, listType: "atomic", maxItems: 1 } as const;
`;

/** Messages of the compiler for a schema of `Spec` with these properties. */
function compile(properties: string): readonly string[] {
  const text = `${HEAD}export const spec: SchemaOf<Spec> = { type: "object", description: "d", properties: { ${properties} } };`;
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  host.readFile = (file) => (resolve(file) === FILE ? text : read(file));
  const source = host.getSourceFile.bind(host);
  host.getSourceFile = (file, version, ...rest) =>
    resolve(file) === FILE ? ts.createSourceFile(file, text, version) : source(file, version, ...rest);
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("SchemaOf", () => {
  it("compiles for a schema with every property", () => {
    expect(compile("name, size, mode, tags")).to.deep.equal([]);
  });

  const mistakes: readonly (readonly [string, string, RegExp])[] = [
    ["a missing property", "name, size, mode", /'tags' is missing/],
    ["a property that the interface does not have", "name, size, mode, tags, more: name", /'more' does not exist/],
    ["a property of another type", "name: size, size, mode, tags", /not assignable/],
    [
      "an optional property that is not marked so",
      'name, size: { type: "integer", description: "d" }, mode, tags',
      /'optional' is missing|not assignable/,
    ],
    [
      "a required property that is marked optional",
      "name: { ...name, optional: true }, size, mode, tags",
      /not assignable/,
    ],
    ["an enum with a value too few", "name, size, mode: { ...mode, enum: { A: true } }, tags", /'B' is missing/],
    [
      "an enum with a value too many",
      'name, size, mode: { type: "string", description: "d", optional: true, enum: { A: true, B: true, C: true } }, tags',
      /'C' does not exist/,
    ],
    ["list items of another type", "name, size, mode, tags: { ...tags, items: size }", /not assignable/],
    ["no description", 'name: { type: "string" }, size, mode, tags', /not assignable/],
  ];
  for (const [mistake, properties, message] of mistakes) {
    it(`does not compile with ${mistake}`, () => {
      expect(compile(properties).join("\n")).to.match(message);
    });
  }
}).timeout(60_000);
