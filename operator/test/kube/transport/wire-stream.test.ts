import { Readable } from "node:stream";
import { expect } from "chai";
import { describe, it } from "mocha";
import { ChunkQueue } from "../../../src/kube/transport/wire.js";
import { MAX_QUEUED_BYTES } from "../../../src/timings.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function readAll(queue: ChunkQueue): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for (let chunk = await queue.next(); chunk !== undefined; chunk = await queue.next()) chunks.push(chunk);
  return chunks;
}

describe("chunks of a body", () => {
  it("come as they were delivered, not joined, and end", async () => {
    const sent = ["ab", "c", "def"].map((text) => Buffer.from(text));
    const body = new Readable({ read() {} });
    const queue = new ChunkQueue(body);
    for (const chunk of sent) body.push(chunk);
    body.push(null);
    const got = await readAll(queue);
    expect(got.map(String)).to.deep.equal(["ab", "c", "def"]);
    expect(got.every((chunk, index) => chunk === sent[index])).to.equal(true);
  });

  it("wait in the socket while no reader takes them, and go on afterwards", async () => {
    const chunk = Buffer.alloc(MAX_QUEUED_BYTES / 4);
    let asked = 0;
    const body = new Readable({
      highWaterMark: chunk.length,
      read() {
        asked++;
        this.push(asked > 40 ? null : chunk);
      },
    });
    const queue = new ChunkQueue(body);
    for (let index = 0; index < 20; index++) await turn();
    const before = asked;
    expect(before).to.be.lessThan(10);
    for (let index = 0; index < 20; index++) await turn();
    expect(asked).to.equal(before);
    expect(await readAll(queue)).to.have.length(40);
  });

  it("come before the error that broke the body", async () => {
    const body = new Readable({ read() {} });
    const queue = new ChunkQueue(body);
    body.push(Buffer.from("a"));
    await turn();
    body.destroy(new Error("reset"));
    await turn();
    expect(String(await queue.next())).to.equal("a");
    expect(await queue.next().catch(String)).to.equal("Error: reset");
  });

  it("end with an error where the body was closed before anyone read it", async () => {
    const body = new Readable({ read() {} });
    body.destroy();
    await turn();
    expect(await new ChunkQueue(body).next().catch(String)).to.match(/closed before its end/);
  });

  it("end with an error where the body is closed before its end", async () => {
    const body = new Readable({ read() {} });
    const next = new ChunkQueue(body).next();
    body.destroy();
    expect(await next.catch(String)).to.include("closed before its end");
  });
});
