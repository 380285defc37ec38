import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { fetchText } from "../src/client/http.js";
import { Part } from "../src/part-process.js";
import { freePort } from "../src/ports.js";
import { Supervisor } from "../src/supervisor.js";
import { isAlive } from "./support/processes.js";

// A server that answers 200 and, like the real ones, prints why it cannot listen.
const server = `
  const server = require("node:http").createServer((_, response) => response.end());
  server.on("error", () => { console.log("bind: address already in use"); process.exit(1); });
  server.listen(Number(process.argv[1]), "127.0.0.1");
`;

describe("a part of a control plane", () => {
  let supervisor: Supervisor;

  beforeEach(async () => {
    supervisor = await Supervisor.start();
  });

  afterEach(() => supervisor.close());

  it("is ready when started, and keeps its port over a restart", async () => {
    const part = make(server);
    await part.start();
    const { pid, port } = part;
    await part.start();
    expect(part.pid).to.equal(pid);
    await part.restart();
    expect(part.port).to.equal(port);
    expect(part.pid).not.to.equal(pid);
    expect(await answers(port)).to.equal(true);
  });

  it("does not run after a kill, and rejects calls", async () => {
    const part = make(server);
    expect(() => part.port).to.throw("program has never been started");
    await part.start();
    const pid = part.pid ?? 0;
    await part.kill();
    expect(isAlive(pid)).to.equal(false);
    expect(part.pid).to.equal(undefined);
    const error = await part.untilReady(200).catch((reason: Error) => reason);
    expect(error).to.have.property("message").that.contains("program does not run");
  });

  it("takes another port when the first one has just been taken", async () => {
    const taken = createServer((socket) => socket.destroy());
    const port = await freePort();
    await new Promise<void>((resolve) => taken.listen(port, "127.0.0.1", resolve));
    const candidates = [port, await freePort(), await freePort(), await freePort()];
    const [, , second] = candidates;
    const part = make(server, async () => candidates.shift() ?? 0);
    await part.start();
    expect(part.port).to.equal(second);
    await new Promise((resolve) => taken.close(resolve));
  });

  it("reports its last output if it does not start, and stops waiting", async () => {
    const timers = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    };
    const before = await timers();
    const error = await make('console.log("my disk is full"); process.exit(3)')
      .start()
      .catch((reason: Error) => reason);
    expect(error).to.have.property("message", "program does not start: it ended with code 3\nmy disk is full\n");
    expect(await timers()).to.equal(before);
  });

  function make(script: string, pickPort?: () => Promise<number>): Part {
    return new Part(supervisor, {
      name: "program",
      file: process.execPath,
      log: join(supervisor.dir, "log"),
      args: (port) => ["-e", script, String(port)],
      ready: answers,
      ...(pickPort && { pickPort }),
    });
  }
});

async function answers(port: number): Promise<boolean> {
  return (await fetchText({ url: `http://127.0.0.1:${port}`, timeoutMs: 1_000 })).status === 200;
}
