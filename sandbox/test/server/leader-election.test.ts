import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { skip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../src/kubernetes/index.js";

const SOURCE = join(import.meta.dirname, "leader-election");
const BUILD_MS = 600_000;
const run = promisify(execFile);

describe("client-go on the emulator, in protobuf", function () {
  this.timeout(BUILD_MS);
  let emulator: Emulator | undefined;
  let home = "";

  before(async function () {
    const reason = whyNot();
    if (reason !== undefined) {
      return skip(this, `client-go's leader election on the emulator: ${reason}`);
    }
    home = await mkdtemp(join(tmpdir(), "flipop-client-go-"));
    await run("go", ["build", "-o", join(home, "elect"), "."], { cwd: SOURCE, timeout: BUILD_MS });
    emulator = await startEmulator();
    await writeFile(join(home, "config"), emulator.kubeconfig());
  });
  after(async () => {
    await emulator?.close();
    if (home !== "") await rm(home, { recursive: true });
  });

  it("creates a Deployment, takes, renews and releases the lease", async () => {
    const { stdout } = await run(join(home, "elect"), [join(home, "config"), "one"], { timeout: 60_000 });
    expect(stdout.trim().split("\n")).to.deep.equal([
      "deployment 2 i",
      "leads",
      "renewed one true <nil>",
      "stopped",
      'released "" <nil>',
    ]);
  });
});

function whyNot(): string | undefined {
  if (process.env["FLIPOP_LONG"] !== "1") return "its build takes minutes, FLIPOP_LONG=1 runs it";
  return spawnSync("go", ["version"]).status === 0 ? undefined : "there is no Go";
}
