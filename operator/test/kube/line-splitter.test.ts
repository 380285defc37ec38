import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { LineSplitter, LineTooLongError } from "../../src/kube/watch/line-splitter.js";

function split(text: Buffer, cuts: readonly number[], splitter = new LineSplitter()): string[] {
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
        expect(split(Buffer.from(whole.map((each) => `${each}\n`).join("")), cuts)).to.deep.equal(whole);
      }),
    );
  });

  it("tells what is left of an unfinished line", () => {
    const splitter = new LineSplitter();
    expect(split(Buffer.from("a\n\nbc"), [], splitter)).to.deep.equal(["a"]);
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
