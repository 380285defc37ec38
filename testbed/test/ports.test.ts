import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { freePort, isFree, RESERVATIONS } from "../src/ports.js";

describe("free ports", () => {
  it("differ, and are below those of outgoing connections", async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(new Set(ports).size).to.equal(20);
    expect(Math.max(...ports)).to.be.below(32_768);
  });

  it("are not those on which something listens", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port: taken } = server.address() as AddressInfo;
    const candidates = [taken, taken, await unused()];
    expect(await isFree(taken)).to.equal(false);
    expect(await freePort(() => candidates.shift() ?? 0)).not.to.equal(taken);
    expect(candidates).to.deep.equal([]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("are not those of another process that runs, and those of one that has ended", async () => {
    const [theirs, left] = [await unused(), await unused()];
    const { pid: ended = 0 } = spawnSync("true");
    mkdirSync(RESERVATIONS, { recursive: true });
    writeFileSync(join(RESERVATIONS, `${theirs}`), `${process.ppid}`);
    writeFileSync(join(RESERVATIONS, `${left}`), `${ended}`);
    const candidates = [theirs, left];
    expect(await freePort(() => candidates.shift() ?? 0)).to.equal(left);
    rmSync(join(RESERVATIONS, `${theirs}`));
  });

  it("run out with an error", async () => {
    const taken = await freePort();
    const error = await freePort(() => taken).catch((reason: Error) => reason);
    expect(error).to.have.property("message", "no free port after 50 attempts");
  });
});

/** A free port that freePort has not handed out. */
async function unused(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
