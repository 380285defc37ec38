import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { parseAllDocuments, stringify } from "yaml";
import { importManifests, LANGUAGES } from "../../constructs/src/manifests/import.js";
import { written } from "../../constructs/src/manifests/manifest-object.js";
import { readManifests as readSources } from "../../constructs/src/manifests/read.js";
import { sampleManifests } from "../../constructs/test/support/manifest-arbitraries.js";
import { CONSTRUCTS } from "../../tools/packs/paths.js";
import { PYTHON_LINTERS, pythonEnvironment } from "../../tools/packs/python-environment.js";
import { installPythonPack, runPython } from "../../tools/packs/run-apps.js";
import { run } from "../../tools/packs/run-command.js";
import { type ManifestObject, objectsOf, readManifests } from "../support/examples.js";
import { manifestsOf, packOrSkip } from "../support/packs.js";

const MANIFESTS = join(import.meta.dirname, "apps/import.yaml");

function codeFor(objects: readonly object[]): string {
  const text = objects.map((object) => stringify(object, { version: "1.1" })).join("---\n");
  const { sources } = readSources([{ name: "all.yaml", text }]);
  return importManifests(sources, LANGUAGES["python"] ?? String).code;
}

function sorted(objects: readonly ManifestObject[]): readonly ManifestObject[] {
  const keyOf = ({ kind, metadata: { namespace, name } }: ManifestObject) => `${kind} ${namespace} ${name}`;
  return [...objects].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

describe("code that cdk8s-flipop import writes in Python", () => {
  let folder: string;

  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
    folder = mkdtempSync(join(tmpdir(), "flipop-import-"));
  });
  after(() => folder && rmSync(folder, { recursive: true }));

  it("runs, and synthesises to the same objects", () => {
    const command = join(CONSTRUCTS, "bin/cdk8s-flipop");
    const app = join(folder, "main.py");
    writeFileSync(app, run(process.execPath, ["--no-warnings", command, "import", "--language", "python", MANIFESTS]));
    // `pip install` brings the command too.
    const installed = join(pythonEnvironment(), "bin/cdk8s-flipop");
    expect(run(installed, ["import", "--language", "python", MANIFESTS])).to.equal(readFileSync(app, "utf8"));
    const documents = parseAllDocuments(readFileSync(MANIFESTS, "utf8"));
    const wanted = documents.map((document) => document.toJS() as ManifestObject);
    expect(sorted(objectsOf(manifestsOf((outdir) => runPython(app, outdir))))).to.deep.equal(sorted(wanted));
  }).timeout(120_000);

  it("synthesises to the same objects, whatever the objects are", () => {
    const samples = sampleManifests(40);
    const apps = samples.map((objects, index) => {
      const outdir = JSON.stringify(join(folder, `out-${index}`));
      return codeFor(objects).replace("app = App()", `app = App(outdir=${outdir})`);
    });
    // One process, because each starts Node.
    const file = join(folder, "all.py");
    writeFileSync(file, apps.map((code) => `exec(compile(${JSON.stringify(code)}, "app", "exec"), {})\n`).join(""));
    runPython(file, folder);
    for (const [index, objects] of samples.entries()) {
      // Objects of fast-check may have no prototype.
      const wanted = objects.map((object) => JSON.parse(JSON.stringify(written({ ...object }))) as ManifestObject);
      const outdir = join(folder, `out-${index}`);
      const found = existsSync(outdir) ? objectsOf(readManifests(outdir)) : [];
      expect(sorted(found)).to.deep.equal(sorted(wanted));
    }
  }).timeout(120_000);

  it("is as black formats it, and has no finding of ruff", () => {
    const code = join(folder, "code");
    mkdirSync(code);
    for (const [index, objects] of [[], ...sampleManifests(100)].entries()) {
      writeFileSync(join(code, `app_${index}.py`), codeFor(objects));
    }
    const linters = join(pythonEnvironment(PYTHON_LINTERS), "bin");
    run(join(linters, "black"), ["--check", "--quiet", "--diff", code]);
    run(join(linters, "ruff"), ["check", "--no-cache", "--isolated", code]);
  }).timeout(120_000);
});
