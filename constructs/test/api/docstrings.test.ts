import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import ts from "typescript";
import { ALL_KINDS, type AnySchema } from "../../src/api";

const API = join(__dirname, "../../src/api");
const INTERFACES = interfaces();

describe("docstrings of the type model", () => {
  for (const [name, schema] of pairs()) {
    it(`${name} says of each field what kubectl explain says`, () => {
      const described = Object.entries(propertiesOf(schema)).map(([field, { description }]) => [field, description]);
      expect(docstrings(name)).to.deep.equal(Object.fromEntries(described));
    });
  }

  it("are held against the schemas of specs, statuses and all that they are made of", () => {
    expect([...pairs().keys()]).to.include.members([
      "FloatingIPPoolSpec",
      "RoutedIPStatus",
      "Toleration",
      "Condition",
      "CreatedAddress",
    ]);
  });
});

/** Every interface that a spec or status is made of, by name, with the schema that describes it. */
function pairs(): ReadonlyMap<string, AnySchema> {
  const found = new Map<string, AnySchema>();
  const visit = (name: string, schema: AnySchema): void => {
    if (found.has(name)) return;
    found.set(name, schema);
    for (const member of membersOf(name)) {
      const property = propertiesOf(schema)[member.name.getText()];
      const inner = referenced(member);
      if (property && inner) visit(inner, innermost(property));
    }
  };
  for (const { kind, spec, status } of ALL_KINDS) {
    visit(`${kind}Spec`, spec);
    visit(`${kind}Status`, status);
  }
  return found;
}

/** The interface of ours that a property's type names, as itself, in a list or in a map. */
function referenced(member: ts.PropertySignature): string | undefined {
  const names = member.type?.getText().match(/[A-Z]\w*/g) ?? [];
  return names.find((name) => INTERFACES.has(name));
}

function innermost(schema: AnySchema): AnySchema {
  if (schema.type === "array") return innermost(schema.items);
  return schema.type === "map" ? innermost(schema.values) : schema;
}

function propertiesOf(schema: AnySchema): Readonly<Record<string, AnySchema>> {
  if (schema.type !== "object") throw new Error(`"${schema.description}" describes no object`);
  return schema.properties;
}

/** Docstring of each property of an interface, on one line. */
function docstrings(name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(membersOf(name).map((node) => [node.name.getText(), docOf(node)]));
}

function membersOf(name: string): readonly ts.PropertySignature[] {
  const found = INTERFACES.get(name);
  if (!found) throw new Error(`no interface ${name} in the type model`);
  return found.members.filter(ts.isPropertySignature);
}

function docOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return comments.map(({ comment }) => (ts.getTextOfJSDocComment(comment) ?? "").replaceAll(/\s+/g, " ")).join(" ");
}

function interfaces(): ReadonlyMap<string, ts.InterfaceDeclaration> {
  const sources = readdirSync(API).map((file) =>
    ts.createSourceFile(file, readFileSync(join(API, file), "utf8"), ts.ScriptTarget.ES2022, true),
  );
  const all = sources.flatMap(({ statements }) => statements.filter(ts.isInterfaceDeclaration));
  return new Map(all.map((node) => [node.name.text, node]));
}
