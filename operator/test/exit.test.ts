import { EventEmitter } from "node:events";
import { expect } from "chai";
import { describe, it } from "mocha";
import { shutdownSignals } from "../src/exit.js";
import { silentLogger } from "../src/logging.js";

function setUp() {
  const source = new EventEmitter();
  const exits: number[] = [];
  return { source, exits, signals: shutdownSignals(source, silentLogger, (code) => exits.push(code)) };
}

describe("shutdown signals", () => {
  it("asks to stop at the first one", () => {
    const { source, exits, signals } = setUp();
    source.emit("SIGTERM");

    expect(signals.stop.aborted).to.equal(true);
    expect(String(signals.stop.reason)).to.include("SIGTERM");
    expect(exits).to.deep.equal([]);
  });

  it("ends at once at the second one, whichever it is", () => {
    const { source, exits } = setUp();
    source.emit("SIGTERM");
    source.emit("SIGINT");

    expect(exits).to.deep.equal([130]);
  });

  it("leaves no listener", () => {
    const { source, signals } = setUp();
    signals.dispose();

    expect(source.listenerCount("SIGTERM") + source.listenerCount("SIGINT")).to.equal(0);
  });
});
