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
    // The README is given, because jsii's copy of it is as old as the last compilation.
    expect(() => translateSnippets(README)).not.to.throw();
  }).timeout(120_000);

  it("would be found out if one did not compile", () => {
    const broken = README.replace("desiredIps: 2,", 'desiredIps: "two",');
    expect(() => translateSnippets(broken)).to.throw("Type 'string' is not assignable to type 'number'");
  }).timeout(120_000);

  it("that show a mistake show what is really said", async () => {
    // Inside of the repo, so that the imports are found.
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
