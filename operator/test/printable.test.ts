import { expect } from "chai";
import { describe, it } from "mocha";
import { cutBytes, eventObject } from "../src/kube/write/event-series.js";
import { cutAtWord, oneLine, printable, printableJson } from "../src/printable.js";
import { quoted } from "../src/providers/errors.js";
import { cut, stamped } from "../src/reconcile/conditions.js";

const ESC = "\u001b";

describe("text of others", () => {
  it("shows control characters and turned text as escapes, and keeps letters of all languages", () => {
    expect(printable(`a${ESC}[31mb\r\u009b\u202ec\u2028\u007f`)).to.equal(
      "a\\u001b[31mb\\u000d\\u009b\\u202ec\\u2028\\u007f",
    );
    expect(printable("ü\t中文\n🙂 \\u001b")).to.equal("ü\t中文\n🙂 \\u001b");
    expect(printable("\ud83da\ude42")).to.equal("\\ud83da\\ude42");
  });

  it("is one line of a condition where a cloud said it", () => {
    expect(oneLine(` a${ESC}]0;x\u0007\r\nb\u2029c `)).to.equal("a ]0;x b c");
    expect(quoted(`no${ESC}[2J way.\n`)).to.equal("no [2J way");
  });

  it("ends before a word that a cut would leave a part of, since nothing recognizes a part of a token", () => {
    expect(cutAtWord("no token abc", 12)).to.equal("no token abc");
    expect(cutAtWord("no token abc", 11)).to.equal("no token ");
    expect(cutAtWord('"a":"b+/=%3D"', 10)).to.equal('"a":"');
    expect(quoted(`${" ".repeat(8_188)}token`), "also after white space that is left out").to.equal("");
  });

  it("is the same value in JSON once it is parsed, and nothing that a terminal obeys once that is printed", () => {
    const line = JSON.stringify({ said: `${ESC}\\u001b\\\\${ESC}\r\t\n"\u0085` });
    expect(JSON.parse(printable(line))).to.deep.equal(JSON.parse(line));
    expect(JSON.parse(printableJson(line))).to.deep.equal({ said: '\\u001b\\u001b\\\\\\u001b\\r\t\n"\\u0085' });
  });

  it("comes printable into conditions, statuses and Events", () => {
    const [condition] = stamped([{ type: "Ready", status: "False", reason: "Invalid", message: `no${ESC}c` }], {
      now: 0,
      generation: 1,
    });
    expect(condition?.message).to.equal("no\\u001bc");
    expect(cut("abcdefgh", 8), "it fits").to.equal("abcdefgh");
    expect(cut(`${ESC}cdefgh`, 8)).to.equal("\\u001...");
    expect(cut("abcd🙂efgh", 8), "the API server keeps no half of a character").to.equal("abcd...");
    const [long] = stamped([{ type: "Ready", status: "False", reason: "Invalid", message: "🙂".repeat(20_000) }], {
      now: 0,
      generation: 1,
    });
    expect(long?.message.length).to.be.within(32_000, 32_768);
    const regarding = { apiVersion: "v1", kind: "Node", name: "a" };
    const input = { regarding, type: "Warning", reason: "R", action: "A", note: `${ESC}${"x".repeat(2_000)}` } as const;
    const { note } = eventObject(input, { controller: "c", instance: "i" }, { epochMs: 0, suffix: "s" });
    expect(note).to.equal(cutBytes(`\\u001b${"x".repeat(2_000)}`, 1_024));
  });
});
