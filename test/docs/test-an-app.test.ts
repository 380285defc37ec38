import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { pageText } from "../support/docs.js";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/tests/web-app.test.ts");

/** Runs a test with Node's runner, as a user does. */
function runTest(file: string) {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  return spawnSync(process.execPath, ["--import", "tsx", "--test", file], { encoding: "utf8", env });
}

describe("the test of an app in docs/how-to/test-an-app.md", () => {
  it("is the one in examples/tests", () => {
    const [, block] = /```ts\n(.*?)```/s.exec(pageText("how-to/test-an-app.md")) ?? [];
    expect(block).to.equal(readFileSync(EXAMPLE, "utf8"));
  });

  it("passes", () => {
    const { status, stdout } = runTest(EXAMPLE);
    expect(stdout).to.include("# pass 2").and.include("# fail 0");
    expect(status).to.equal(0);
  }).timeout(120_000);

  it("fails if the pool has a longer grace period than the test allows", () => {
    const folder = mkdtempSync(join(EXAMPLE, "../tmp-"));
    try {
      const text = readFileSync(EXAMPLE, "utf8").replace("./web-app.js", "../web-app.js");
      const slow = text.replace("simulate(webApp()", "simulate(webApp(Duration.seconds(30))");
      writeFileSync(join(folder, "slow.test.ts"), slow);
      const { status, stdout } = runTest(join(folder, "slow.test.ts"));
      expect(stdout).to.match(/moved from node-1 to node-3 after 3\d(\.\d)? s, not within 3 s/);
      expect(status).to.equal(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }).timeout(120_000);
});
