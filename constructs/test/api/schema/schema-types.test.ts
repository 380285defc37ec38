import { resolve } from "node:path";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import ts from "typescript";

const FOLDER = resolve(__dirname, "../../../src/api");
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
};
const HEAD = `import type { SchemaOf } from "./";
interface Spec { readonly name: string; readonly size?: number; readonly mode?: "A" | "B"; readonly tags?: readonly string[] }
const name = { type: "string", description: "d" } as const;
const size = { type: "integer", description: "d", optional: true } as const;
const mode = { type: "string", description: "d", optional: true, enum: { A: true, B: true } } as const;
const tags = { type: "array", description: "d", optional: true, items: name, listType: "atomic", maxItems: 1 } as const;
`;

/** Messages of the compiler for schemas of `Spec` with these properties: one program compiles all of them. */
function compile(schemas: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map(
    schemas.map((properties, index) => [`${FOLDER}/virtual-schema-${index}.ts`, textOf(properties)]),
  );
  const host = ts.createCompilerHost(OPTIONS);
  const source = host.getSourceFile.bind(host);
  host.getSourceFile = (file, version, ...rest) => {
    const text = texts.get(resolve(file));
    return text === undefined ? source(file, version, ...rest) : ts.createSourceFile(file, text, version);
  };
  const files = [...texts.keys()];
  const program = ts.createProgram(files, OPTIONS, host);
  return new Map(schemas.map((properties, index) => [properties, messagesOf(program, files[index])]));
}

function textOf(properties: string): string {
  return `${HEAD}export const spec: SchemaOf<Spec> = { type: "object", description: "d", properties: { ${properties} } };`;
}

function messagesOf(program: ts.Program, file = ""): string {
  const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")).join("\n");
}

describe("SchemaOf", () => {
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
  const complete = "name, size, mode, tags";
  let messages: ReadonlyMap<string, string> = new Map();
  before(() => {
    messages = compile([complete, ...mistakes.map(([, properties]) => properties)]);
  });

  it("compiles for a schema with every property", () => {
    expect(messages.get(complete)).to.equal("");
  });

  for (const [mistake, properties, message] of mistakes) {
    it(`does not compile with ${mistake}`, () => {
      expect(messages.get(properties)).to.match(message);
    });
  }
}).timeout(60_000);
