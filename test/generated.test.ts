import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { referencePages } from "../tools/reference/pages.js";
import { withSituations } from "../tools/reference/situations.js";

const ROOT = resolve(import.meta.dirname, "..");

describe("generated reference pages", () => {
  for (const [file, text] of Object.entries(referencePages())) {
    it(`docs/reference/${file} is up to date; npm run reference rewrites it`, () => {
      expect(readFileSync(join(ROOT, "docs/reference", file), "utf8")).to.equal(text);
    });
  }

  it("docs/how-to/troubleshoot.md has the situations as they are; npm run reference rewrites them", () => {
    const page = readFileSync(join(ROOT, "docs/how-to/troubleshoot.md"), "utf8");
    expect(withSituations(page)).to.equal(page);
  });
});

describe("files that projen generates", () => {
  let copy: string;

  before(() => {
    copy = mkdtempSync(join(tmpdir(), "flipop-projen-"));
    for (const part of [".projenrc.ts", "projenrc", ".projen", ...manifests()])
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const env = { ...process.env, PROJEN_DISABLE_POST: "true" };
    execFileSync(process.execPath, ["--import", "tsx", ".projenrc.ts"], { cwd: copy, env, stdio: "pipe" });
  });

  after(() => rmSync(copy, { recursive: true, force: true }));

  for (const file of generatedFiles()) {
    it(`${file} is up to date; npx projen rewrites it`, () => {
      expect(existsSync(join(copy, file)), "is still generated").to.equal(true);
      expect(readFileSync(join(ROOT, file), "utf8")).to.equal(readFileSync(join(copy, file), "utf8"));
    });
  }
});

/** projen also reads these files: dependencies keep their versions. */
function manifests(): readonly string[] {
  return ["", "constructs/", "operator/", "testbed/"].map((folder) => `${folder}package.json`);
}

function generatedFiles(): readonly string[] {
  return ["", "constructs", "operator", "testbed"].flatMap((folder) => {
    const { files } = JSON.parse(readFileSync(join(ROOT, folder, ".projen/files.json"), "utf8")) as { files: string[] };
    return ["package.json", ...files].map((file) => join(folder, file));
  });
}
