import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { FrameSplitter, FrameTooLongError } from "../../../src/kube/protobuf/frame-splitter.js";

function framed(content: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(content.length);
  return Buffer.concat([header, content]);
}

function split(bytes: Buffer, cuts: readonly number[], splitter = new FrameSplitter()): string[] {
  const frames: string[] = [];
  let start = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)) {
    for (const frame of splitter.push(bytes.subarray(start, cut))) frames.push(frame.toString("hex"));
    start = cut;
  }
  return frames;
}

describe("frame splitter", () => {
  it("gives the same frames however the bytes are cut", () => {
    const content = fc.uint8Array({ minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.array(content), fc.array(fc.nat(2000)), (contents, cuts) => {
        const splitter = new FrameSplitter();
        const expected = contents.map((each) => Buffer.from(each).toString("hex"));
        expect(split(Buffer.concat(contents.map(framed)), cuts, splitter)).to.deep.equal(expected);
        expect(splitter.pendingBytes).to.equal(0);
      }),
    );
  });

  it("copies no frame that lies in one chunk", () => {
    const chunk = Buffer.concat([framed(Buffer.from("abc")), framed(Buffer.from("de"))]);
    const places = [...new FrameSplitter().push(chunk)].map(({ buffer, byteOffset, length }) => ({
      same: buffer === chunk.buffer,
      at: byteOffset - chunk.byteOffset,
      length,
    }));
    expect(places).to.deep.equal([
      { same: true, at: 4, length: 3 },
      { same: true, at: 11, length: 2 },
    ]);
  });

  it("gathers frames that lie in several chunks in the same buffer", () => {
    const splitter = new FrameSplitter();
    const content = Buffer.alloc(1000, "x");
    const buffers = [1, 2, 3].map(() => {
      const bytes = framed(content);
      expect([...splitter.push(bytes.subarray(0, 500))]).to.deep.equal([]);
      const [frame] = splitter.push(bytes.subarray(500));
      expect(frame?.equals(content)).to.equal(true);
      return frame?.buffer;
    });
    expect(new Set(buffers.slice(1)).size).to.equal(1);
  });

  it("tells what is left of an unfinished frame, its header included", () => {
    const splitter = new FrameSplitter();
    expect(split(framed(Buffer.from("abc")).subarray(0, 2), [], splitter)).to.deep.equal([]);
    expect(splitter.pendingBytes).to.equal(2);
    expect(split(framed(Buffer.from("abc")).subarray(2, 6), [], splitter)).to.deep.equal([]);
    expect(splitter.pendingBytes).to.equal(6);
    expect(split(framed(Buffer.from("abc")).subarray(6), [], splitter)).to.deep.equal(["616263"]);
    expect(splitter.pendingBytes).to.equal(0);
  });

  it("refuses a frame beyond its limit as soon as it says so, and takes no memory for it", () => {
    const splitter = new FrameSplitter(4);
    expect([...splitter.push(framed(Buffer.from("1234")))]).to.have.length(1);
    expect(() => [...splitter.push(Buffer.from([0, 0, 0, 5]))]).to.throw(FrameTooLongError, /5 bytes \(limit 4\)/);
    expect(() => [...new FrameSplitter().push(Buffer.from("HTTP/1.1"))]).to.throw(
      FrameTooLongError,
      /not a Kubernetes watch/,
    );
  });
});
