import { EventEmitter } from "node:events";
import { expect } from "chai";
import { describe, it } from "mocha";
import { endWithStack, shutdownSignals } from "../src/exit.js";
import { silentLogger } from "../src/logging.js";

function setUp() {
  const source = new EventEmitter();
  const exits: number[] = [];
  return { source, exits, stop: shutdownSignals(source, silentLogger, (code) => exits.push(code)) };
}

describe("an error that nothing expected", () => {
  it("ends the process with its stack and causes", () => {
    const source = new EventEmitter();
    const seen: unknown[] = [];
    const error = new Error("no such thing", { cause: new Error("deep") });
    endWithStack(
      source,
      (text) => seen.push(text),
      (code) => seen.push(code),
    );
    source.emit("uncaughtException", error);
    expect(seen[0]).to.match(/^flipop: .*Error: no such thing\n +at .*cause.*Error: deep\n.*\n$/s);
    expect(seen.slice(1)).to.deep.equal([1]);
  });
});

describe("shutdown signals", () => {
  it("asks to stop at the first one", () => {
    const { source, exits, stop } = setUp();
    source.emit("SIGTERM");

    expect(stop.aborted).to.equal(true);
    expect(String(stop.reason)).to.include("SIGTERM");
    expect(exits).to.deep.equal([]);
  });

  it("ends at once at the second one, whichever it is", () => {
    const { source, exits } = setUp();
    source.emit("SIGTERM");
    source.emit("SIGINT");

    expect(exits).to.deep.equal([130]);
  });
});
