import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import ts from "typescript";

const API = join(__dirname, "../../src/api");

describe("the description of a field", () => {
  it("is only in its schema: no docstring of an interface repeats it", () => {
    const sources = files().map((file) =>
      ts.createSourceFile(file, readFileSync(join(API, file), "utf8"), ts.ScriptTarget.ES2022, true),
    );
    const descriptions = new Set(sources.flatMap(texts));
    expect(descriptions).to.include("Provider of the addresses, such as digitalocean.");
    expect(sources.flatMap(memberDocs).filter((doc) => descriptions.has(doc))).to.deep.equal([]);
  });
});

function files(): readonly string[] {
  return readdirSync(API, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
}

/** Every text between quotation marks. */
function texts(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  const found: string[] = [];
  node.forEachChild((child) => void found.push(...texts(child)));
  return found;
}

/** The docstrings of all interfaces' members, each on one line. */
function memberDocs({ statements }: ts.SourceFile): readonly string[] {
  const members = statements.filter(ts.isInterfaceDeclaration).flatMap((one) => [...one.members]);
  const comments = members.flatMap((member) => ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc));
  return comments.map(({ comment }) => (ts.getTextOfJSDocComment(comment) ?? "").replaceAll(/\s+/g, " "));
}
