import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "chai";
import { skip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { MIN_NODE, RELEASE, VERSIONS } from "../../projenrc/versions.js";
import { packedFile } from "../../tools/packs/pack.js";
import { packSandbox, SANDBOX_PACK } from "../../tools/packs/pack-sandbox.js";
import { ROOT } from "../../tools/packs/paths.js";
import { run, works } from "../../tools/packs/run-command.js";
import { LANGUAGES } from "../../tools/packs/toolchains.js";
import { packOrSkip } from "../support/packs.js";

const EXAMPLE = join(ROOT, "examples/tests");

describe("a user's project with the packed library and sandbox", () => {
  let folder: string;

  before(function () {
    packOrSkip(this, "js");
    folder = mkdtempSync(join(tmpdir(), "flipop-user-"));
    const dependencies = {
      "cdk8s-flipop": `file:${packedFile("js", ".tgz")}`,
      "flipop-sandbox": `file:${packSandbox()}`,
      cdk8s: VERSIONS.cdk8s,
      constructs: VERSIONS.constructs,
      tsx: VERSIONS.tsx,
    };
    const manifest = { name: "user", private: true, type: "module", engines: { node: `>= ${MIN_NODE}` }, dependencies };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    for (const file of readdirSync(EXAMPLE)) copyFileSync(join(EXAMPLE, file), join(folder, file));
    run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder });
  });
  after(() => folder && rmSync(folder, { recursive: true }));

  it("runs the test of docs/how-to/test-an-app.md", () => {
    const env = { NODE_OPTIONS: "" };
    const output = run(process.execPath, ["--import", "tsx", "--test", "web-app.test.ts"], { cwd: folder, env });
    expect(output).to.include("# pass 2").and.include("# fail 0");
  }).timeout(120_000);

  it("compiles that test, with the types of both packages", () => {
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
    const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    run(join(ROOT, "node_modules/.bin/tsc"), [...options, ...types, "web-app.test.ts"], { cwd: folder });
  }).timeout(120_000);

  it("runs the commands of both packages", () => {
    const bin = join(folder, "node_modules/.bin");
    expect(run(join(bin, "cdk8s-flipop"), ["--help"])).to.include("cdk8s-flipop validate FILE...");
    expect(run(join(bin, "flipop-sandbox"), ["--help"])).to.include("flipop-sandbox");
  }).timeout(60_000);
});

describe("flipop-sandbox alone in an empty folder", () => {
  let folder: string;
  let tarball: string;

  before(function () {
    this.timeout(120_000);
    if (!works("npm", ["--version"])) skip(this, "no npm here");
    folder = mkdtempSync(join(tmpdir(), "flipop-sandbox-"));
    tarball = packSandbox();
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
    run("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], { cwd: folder });
  });
  after(() => folder && rmSync(folder, { recursive: true }));

  it("needs no other package", () => {
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).to.deep.equal(["flipop-sandbox"]);
  });

  it("has what users need, and nothing of the checkout", () => {
    const home = join(folder, "node_modules/flipop-sandbox");
    const files = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
    expect(files).to.include.members(["LICENSE", "README.md", "THIRD_PARTY_LICENSES.txt", "testing.d.mts"]);
    expect(files.filter((file) => /\.map$|\.tgz$|metafile|(?<!\.d\.m)ts$/.test(file))).to.deep.equal([]);
    const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    expect(manifest).to.include({ name: "flipop-sandbox", version: RELEASE, license: "Apache-2.0" });
    expect(manifest.publishConfig).to.deep.equal({ access: "public" });
    for (const field of ["private", "dependencies", "devDependencies", "scripts"]) {
      expect(manifest).not.to.have.property(field);
    }
    for (const file of files.filter((name) => name.endsWith(".mjs"))) {
      expect(readFileSync(join(home, file), "utf8").includes(ROOT), `${file} contains a path of this machine`).to.equal(
        false,
      );
    }
  });

  it("contains the licence of each package in the bundle", () => {
    const text = readFileSync(join(folder, "node_modules/flipop-sandbox/THIRD_PARTY_LICENSES.txt"), "utf8");
    for (const name of ["@bufbuild/cel", "@kubernetes/client-node", "commander", "yaml"]) {
      const [, licence = ""] = new RegExp(`^${name} [\\d.]+ \\(.*\\)\n=+\n\n([^]*?)\n\n`, "m").exec(text) ?? [];
      expect(licence, name).not.to.equal("");
    }
  });

  it("runs the example of its README in plain JavaScript", () => {
    const [, example] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, "sandbox/README.md"), "utf8")) ?? [];
    writeFileSync(join(folder, "main.mjs"), example ?? "");
    const output = run(process.execPath, ["main.mjs"], { cwd: folder, env: { NODE_OPTIONS: "" } });
    expect(output).to.match(/from: 'node-1',\s+to: 'node-\d'/);
  }).timeout(120_000);

  it("is published with each release, like the library", () => {
    const workflow = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
    const published = [...workflow.matchAll(/-- publib-\w+ (\S+)/g)].map(([, path]) => path);
    expect(published).to.include.members(LANGUAGES.map((language) => `constructs/dist/${language}`));
    expect(published).to.include(relative(ROOT, SANDBOX_PACK));
  });
});
