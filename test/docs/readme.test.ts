import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { describe, it } from "mocha";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { MANIFESTS } from "../../sandbox/src/story/embedded.js";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "constructs/README.md",
  "examples/README.md",
  "operator/README.md",
  "sandbox/README.md",
];

const REPOSITORY = "https://github.com/flipop/flipop/";

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

describe("the README's pool", () => {
  it("is another one than those of the sandbox, and has another DNS name, so that a reader can apply it there", () => {
    const pool = parse(block("yaml")) as Pool;
    const nameOf = ({ metadata: { namespace, name } }: Pool) => `${namespace}/${name}`;
    const dnsNameOf = ({ spec }: Pool) => `${spec?.dnsRecordSet?.recordName}.${spec?.dnsRecordSet?.zone}`;
    const objects = Object.values(MANIFESTS).flatMap((text) =>
      parseAllDocuments(text).map((one) => one.toJS() as Pool),
    );
    expect(objects.map(nameOf)).to.include("ingress/ingress").and.not.include(nameOf(pool));
    expect(objects.map(dnsNameOf)).to.include("www.example.com").and.not.include(dnsNameOf(pool));
    expect(objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name)).to.include(
      "ingress",
    );
  });
});

interface Pool {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly dnsRecordSet?: { readonly recordName: string; readonly zone: string } };
}

describe("the library's README, which npm, PyPI and Construct Hub show", () => {
  const links = [...read("constructs/README.md").matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);

  it("has only absolute links", () => {
    expect(links).to.have.length.above(5);
    expect(links.filter((link) => !link.startsWith("https://"))).to.deep.equal([]);
  });

  it("links to existing files and headings of this repository", () => {
    const own = links.filter((link) => link.startsWith(REPOSITORY)).map((link) => link.slice(REPOSITORY.length));
    const missing = own.filter((link) => {
      const [path = "", anchor] = link.replace(/^(blob|tree)\/main\//, "").split("#");
      if (!existsSync(join(ROOT, path))) return true;
      return (
        anchor !== undefined &&
        !read(path)
          .split("\n")
          .some((line) => slugOf(line) === anchor)
      );
    });
    expect(own).to.have.length.above(3);
    expect(missing).to.deep.equal([]);
  });
});

/** The anchor that GitHub gives a heading. */
function slugOf(line: string): string | undefined {
  const [, heading] = /^#+ (.*)$/.exec(line) ?? [];
  return heading
    ?.toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

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
