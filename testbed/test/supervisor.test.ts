import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { Supervisor } from "../src/supervisor.js";
import { eventually } from "../src/wait.js";
import { isAlive } from "./support/processes.js";

describe("the supervisor", () => {
  let supervisor: Supervisor;

  beforeEach(async () => {
    supervisor = await Supervisor.start();
  });

  afterEach(() => supervisor.close());

  it("runs a process with its output in a file, and reports its end", async () => {
    const log = join(supervisor.dir, "log");
    const child = await supervisor.run({ file: "/bin/sh", args: ["-c", "echo $A; exit 4"], env: { A: "x" }, log });
    expect(await child.exited).to.deep.equal({ code: 4, signal: null });
    expect(await readFile(log, "utf8")).to.equal("x\n");
  });

  it("rejects a command that cannot start", async () => {
    const spec = { file: "/nonexistent/program", args: [], log: join(supervisor.dir, "log") };
    const error = await supervisor.run(spec).catch((reason: Error) => reason);
    expect(error).to.be.instanceOf(Error).with.property("message").that.contains("ENOENT");
  });

  it("signals a process and its children", async () => {
    const { child, grandchild } = await shellWithChild();
    await child.signal("SIGTERM");
    expect(await child.exited).to.deep.equal({ code: null, signal: "SIGTERM" });
    await eventually(() => !isAlive(grandchild), { what: "the grandchild's end" });
  });

  it("ends everything and removes its folder when it is closed", async () => {
    const { child, grandchild } = await shellWithChild();
    await supervisor.close();
    await eventually(() => ![child.pid, grandchild].some(isAlive), { what: "the end of all processes" });
    const gone = await access(supervisor.dir).catch((reason: Error) => reason);
    expect(gone).to.be.instanceOf(Error);
    const refused = await supervisor.run({ file: "true", args: [], log: "/dev/null" }).catch((reason: Error) => reason);
    expect(refused).to.be.instanceOf(Error);
  });

  async function shellWithChild() {
    const log = join(supervisor.dir, "log");
    const child = await supervisor.run({ file: "/bin/sh", args: ["-c", "sleep 300 & echo $!; wait"], log });
    const printed = async () => Number(await readFile(log, "utf8")) || undefined;
    const grandchild = await eventually(printed, { what: "the shell's output" });
    return { child, grandchild };
  }
});
