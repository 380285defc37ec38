import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";

const OPERATOR = resolve(import.meta.dirname, "../..");

describe("flipop sandbox", () => {
  it("says how to reach it, ends with code 0 where nobody could stop it, and leaves nothing behind", async () => {
    const child = spawn(process.execPath, ["--import", "tsx", "src/main.ts", "sandbox"], {
      cwd: OPERATOR,
      stdio: "pipe",
    });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    const [code] = await once(child, "exit");
    expect(code).to.equal(0);
    expect(out).to.match(/at https:\/\/127\.0\.0\.1:\d+/);
    const file = /KUBECONFIG=(\S+)/.exec(out)?.[1] ?? "";
    expect(existsSync(file), file).to.equal(false);
  }).timeout(30_000);
});
