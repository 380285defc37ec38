import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  createProgram,
  flattenDiagnosticMessageText,
  getPreEmitDiagnostics,
  ModuleKind,
  ScriptTarget,
} from "typescript";
import { runTypeScript } from "../support/run-code";

const ROOT = resolve(__dirname, "../../..");

/** A block of TypeScript in a page that uses the library. */
interface Example {
  readonly title: string;
  readonly code: string;
}

function pages(): readonly string[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  const own = docs.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`);
  return ["README.md", "constructs/README.md", "examples/README.md", ...own.sort()];
}

const EXAMPLES = pages().flatMap((page): readonly Example[] => {
  const blocks = [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)];
  const used = blocks.map(([, code = ""]) => code).filter((code) => code.includes('from "cdk8s-flipop'));
  return used.map((code, index) => ({ title: `${page}, block ${index + 1}`, code }));
});

/** Tests of users' apps, which test/docs/test-an-app.test.ts runs. */
const isTest = ({ code }: Example): boolean => code.includes('from "node:test"');
/** Mistakes that the page shows with their messages, which test/library/readme.test.ts compares. */
const isMistake = ({ code }: Example): boolean => code.includes('ips: ["192.0.2.10", "192.0.2.10"]');

/** The errors of the compiler, each with the example. */
function compileErrors(): readonly string[] {
  const coverage = join(ROOT, "constructs/coverage");
  mkdirSync(coverage, { recursive: true });
  // The folder is inside of the repo, so that imports work.
  const folder = mkdtempSync(join(coverage, "pages-"));
  try {
    const files = EXAMPLES.filter((example) => !isTest(example)).map(({ code }, index) => {
      const file = join(folder, `example-${index}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const options = { module: ModuleKind.NodeNext, target: ScriptTarget.ES2022, strict: true, skipLibCheck: true };
    const found = getPreEmitDiagnostics(createProgram(files, { ...options, noEmit: true, types: ["node"] }));
    return found.map(({ file, messageText }) => {
      return `${basename(file?.fileName ?? "")}: ${flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the examples in the pages of the docs", () => {
  it("are many", () => expect(EXAMPLES).to.have.length.above(10));

  it("compile", () => expect(compileErrors()).to.deep.equal([]));

  for (const example of EXAMPLES.filter((one) => !isTest(one))) {
    it(`${isMistake(example) ? "are refused as the page says" : "synthesise"}: ${example.title}`, () => {
      if (isMistake(example)) expect(() => runTypeScript(example.code)).to.throw("is listed twice: remove one");
      else expect(runTypeScript(example.code)).not.to.deep.equal([]);
    });
  }
});
