import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { controlPlaneOrSkip, eventually } from "../../src/index.js";
import { isAlive } from "../support/processes.js";

interface Facts {
  readonly dir: string;
  readonly pids: readonly number[];
}

describe("the end of a test process", () => {
  // Only checks whether there are binaries.
  before(async function () {
    await controlPlaneOrSkip(this, { controllerManager: true });
  });

  it("by SIGKILL leaves no process and no temporary folder", async () => {
    const { child, facts } = await startOne();
    child.kill("SIGKILL");
    await expectNothingLeft(facts);
  });

  it("by Ctrl-C leaves no process and no temporary folder", async () => {
    const { child, facts } = await startOne();
    child.kill("SIGINT");
    await expectNothingLeft(facts);
  });
});

async function startOne(): Promise<{ child: ChildProcess; facts: Facts }> {
  const script = fileURLToPath(new URL("../support/start-and-wait.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const facts = JSON.parse(line) as Facts;
  expect(facts.pids).to.have.length(4);
  expect(facts.pids.every(isAlive)).to.equal(true);
  await access(facts.dir);
  return { child, facts };
}

async function expectNothingLeft({ dir, pids }: Facts): Promise<void> {
  await eventually(() => !pids.some(isAlive), { what: "the end of all processes", timeoutMs: 10_000 });
  expect(await access(dir).catch((error: NodeJS.ErrnoException) => error.code)).to.equal("ENOENT");
}
