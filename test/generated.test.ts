import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { RELEASE } from "../projenrc/versions.js";
import { referencePages } from "../tools/reference/pages.js";
import { withSituations } from "../tools/reference/troubleshoot-page.js";
import { filesWithRelease, withRelease } from "../tools/reference/version-in-pages.js";

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

  it("pages and examples name the current version; npm run reference rewrites it", () => {
    const outdated = filesWithRelease(ROOT).filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return withRelease(text) !== text;
    });
    expect(outdated).to.deep.equal([]);
  });

  it("the API that later changes are compared with is that of the current version; npm run baseline records it", () => {
    const baseline = readFileSync(join(ROOT, "constructs/baseline/package.json"), "utf8");
    expect(JSON.parse(baseline)).to.include({ version: RELEASE });
  });
});

describe("the version in a page", () => {
  for (const before of [
    "registry.example.com/flipop:",
    "oci:operator/dist/image/oci:",
    "  - package: cdk8s-flipop\n    version: ",
    "github.com/flipop/cdk8s-flipop-go/cdk8sflipop v",
    "<artifactId>cdk8s-flipop</artifactId>\n      <version>",
    'org.opencontainers.image.version="',
  ]) {
    it(`follows the release after ${JSON.stringify(before)}`, () => {
      expect(withRelease(`${before}0.0.9 and 0.0.9`)).to.equal(`${before}${RELEASE} and 0.0.9`);
    });
  }
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
