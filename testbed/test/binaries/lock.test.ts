import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { withLock } from "../../src/binaries/lock.js";

const times = { staleMs: 600, retryMs: 10 };

describe("the lock between processes", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "flipop-lock-"));
    file = join(folder, "sub", "lock");
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("allows one process at a time, and is removed afterwards", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await delay(20);
      inside -= 1;
    };
    await Promise.all([1, 2, 3, 4].map(() => withLock(file, work, times)));
    expect(most).to.equal(1);
    expect(await readdir(join(folder, "sub"))).to.deep.equal([]);
  });

  it("is released when the work fails", async () => {
    const failed = await withLock(file, () => Promise.reject(new Error("no")), times).catch((error: Error) => error);
    expect(failed).to.be.instanceOf(Error);
    expect(await withLock(file, async () => "done", times)).to.equal("done");
  });

  it("is taken over from a dead process", async () => {
    await withLock(file, async () => undefined, times);
    await writeFile(file, "999999\n");
    const old = new Date(Date.now() - 10_000);
    await utimes(file, old, old);
    expect(await withLock(file, async () => "done", times)).to.equal("done");
  });

  it("is not taken over from a process that works for long", async () => {
    const order: string[] = [];
    const first = withLock(file, () => delay(1500).then(() => order.push("first")), times);
    await delay(50);
    await withLock(file, async () => order.push("second"), times);
    await first;
    expect(order).to.deep.equal(["first", "second"]);
  });
});
