import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import {
  FrameSplitter,
  FrameTooLongError,
  LineSplitter,
  LineTooLongError,
} from "../../../src/kube/watch/read-events.js";

function linesOf(text: Buffer, cuts: readonly number[], splitter = new LineSplitter()): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const cut of [...cuts.map((at) => at % (text.length + 1)), text.length].sort((a, b) => a - b)) {
    for (const line of splitter.push(text.subarray(start, cut))) lines.push(line.toString("utf8"));
    start = cut;
  }
  return lines;
}

describe("line splitter", () => {
  it("gives the same lines however the bytes are cut, in the middle of a character too", () => {
    const line = fc.string({ unit: "binary", minLength: 1 }).filter((text) => !text.includes("\n"));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(1000)), (lines, cuts) => {
        const whole = lines.map((each) => Buffer.from(each).toString("utf8"));
        expect(linesOf(Buffer.from(whole.map((each) => `${each}\n`).join("")), cuts)).to.deep.equal(whole);
      }),
    );
  });

  it("returns what is left of an unfinished line", () => {
    const splitter = new LineSplitter();
    expect(linesOf(Buffer.from("a\n\nbc"), [], splitter)).to.deep.equal(["a"]);
    expect(splitter.pendingBytes).to.equal(2);
  });

  it("refuses a line beyond its limit, finished or not", () => {
    expect(() => [...new LineSplitter(4).push(Buffer.from("12345\n"))]).to.throw(LineTooLongError, /5 bytes/);
    const splitter = new LineSplitter(4);
    expect([...splitter.push(Buffer.from("123"))]).to.deep.equal([]);
    expect(() => [...splitter.push(Buffer.from("45"))]).to.throw(LineTooLongError);
    expect([...new LineSplitter(4).push(Buffer.from("1234\n"))]).to.have.length(1);
  });
});

function framed(content: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(content.length);
  return Buffer.concat([header, content]);
}

function framesOf(bytes: Buffer, cuts: readonly number[], splitter = new FrameSplitter()): string[] {
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
        expect(framesOf(Buffer.concat(contents.map(framed)), cuts, splitter)).to.deep.equal(expected);
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

  it("returns what is left of an unfinished frame, its header included", () => {
    const splitter = new FrameSplitter();
    expect(framesOf(framed(Buffer.from("abc")).subarray(0, 2), [], splitter)).to.deep.equal([]);
    expect(splitter.pendingBytes).to.equal(2);
    expect(framesOf(framed(Buffer.from("abc")).subarray(2, 6), [], splitter)).to.deep.equal([]);
    expect(splitter.pendingBytes).to.equal(6);
    expect(framesOf(framed(Buffer.from("abc")).subarray(6), [], splitter)).to.deep.equal(["616263"]);
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
