import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { controlPlaneOrSkip } from "../../src/index.js";

describe("a control plane by hand", () => {
  // Only checks whether there are binaries.
  before(async function () {
    await controlPlaneOrSkip(this, { controllerManager: true });
  });

  it("is reachable with the commands that it prints, until Ctrl-C", async () => {
    const script = fileURLToPath(new URL("../../src/serve.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", script], { stdio: ["ignore", "pipe", "inherit"] });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.startsWith("Ctrl-C")) break;
    }
    const exports = lines.filter((line) => line.startsWith("  export "));
    const { stdout } = await promisify(execFile)("sh", ["-ec", [...exports, "kubectl get namespaces"].join("\n")]);
    expect(stdout).to.match(/^default +Active/m);
    child.kill("SIGINT");
    expect(await once(child, "exit")).to.deep.equal([0, null]);
    const [, file = ""] = /KUBECONFIG=(\S+)/.exec(exports.join("\n")) ?? [];
    expect(await access(dirname(file)).catch((error: NodeJS.ErrnoException) => error.code)).to.equal("ENOENT");
  }).timeout(120_000);
});
