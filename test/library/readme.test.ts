import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { describe, it } from "mocha";
import { translateSnippets } from "../../tools/packs/pack.js";
import { CONSTRUCTS, PACKS } from "../../tools/packs/paths.js";
import { readmeBlock } from "../support/readme.js";

const README = readFileSync(join(CONSTRUCTS, "README.md"), "utf8");

describe("snippets of the library's README and docstrings", () => {
  it("compile", () => {
    // The test passes the README, because jsii's copy is from the last compilation.
    expect(() => translateSnippets(README)).not.to.throw();
  }).timeout(120_000);

  it("fail if one does not compile", () => {
    const broken = README.replace("desiredIps: 2,", 'desiredIps: "two",');
    expect(() => translateSnippets(broken)).to.throw("Type 'string' is not assignable to type 'number'");
  }).timeout(120_000);

  it("that show a mistake contain the actual message", async () => {
    // The folder is inside of the repo, so that imports work.
    mkdirSync(PACKS, { recursive: true });
    const folder = mkdtempSync(join(PACKS, "mistake-"));
    try {
      const file = join(folder, "main.ts");
      writeFileSync(file, readmeBlock("A mistake", "ts"));
      const message = await import(pathToFileURL(file).href).then(String, (error: Error) => error.message);
      expect(`${message}\n`).to.equal(readmeBlock("A mistake", ""));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
