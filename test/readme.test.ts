import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { describe, it } from "mocha";
import { parse } from "yaml";
import packageJson from "../package.json" with { type: "json" };

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "constructs/README.md",
  "examples/README.md",
  "operator/README.md",
  "sandbox/README.md",
];

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The first block of a language in the README. */
function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(read("README.md"))?.[1] ?? "";
}

describe("the README", () => {
  it("is short", () => {
    expect(read("README.md").split("\n")).to.have.length.below(200);
  });

  it("shows the same pool in cdk8s and in YAML", async () => {
    const scratch = join(ROOT, "constructs/dist");
    mkdirSync(scratch, { recursive: true });
    const folder = mkdtempSync(join(scratch, "readme-"));
    const before = process.env["CDK8S_OUTDIR"];
    try {
      process.env["CDK8S_OUTDIR"] = folder;
      writeFileSync(join(folder, "main.ts"), block("ts"));
      await import(pathToFileURL(join(folder, "main.ts")).href);
      const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".k8s.yaml"));
      expect(parse(readFileSync(join(folder, file), "utf8"))).to.deep.equal(parse(block("yaml")));
    } finally {
      if (before === undefined) delete process.env["CDK8S_OUTDIR"];
      else process.env["CDK8S_OUTDIR"] = before;
      rmSync(folder, { recursive: true });
    }
  }).timeout(120_000);
});

for (const page of PAGES) {
  describe(page, () => {
    const text = read(page);

    it("links to existing files", () => {
      const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
      const files = links.filter((link) => !link.includes("://"));
      expect(files.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).to.deep.equal([]);
    });

    it("names existing files and scripts", () => {
      // As `operator/src/match/checks.ts`; names in capitals are placeholders.
      const named = [
        ...text.matchAll(/`((?:constructs|operator|docs|examples|test|testbed|tools|projenrc)\/[^`\s*]+)`/g),
      ];
      const paths = named
        .map(([, path = ""]) => path.replace(/:.*$/, ""))
        .filter((path) => !/[A-Z]{4}|<|\{|dist\b/.test(path));
      const known = (path: string) =>
        [ROOT, join(ROOT, dirname(page))].some((folder) => existsSync(join(folder, path)));
      expect(paths.filter((path) => !known(path))).to.deep.equal([]);
      const scripts = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = ""]) => name);
      expect(scripts.filter((name) => !Object.hasOwn(packageJson.scripts, name))).to.deep.equal([]);
    });
  });
}
