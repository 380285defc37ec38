import { expect } from "chai";
import { describe, it } from "mocha";
import type { ProbeState } from "../../src/health/probe-state.js";
import { type Entry, peersOf } from "../../src/health/probed-entry.js";

const probed = (...verdicts: readonly ProbeState["verdict"][]) =>
  verdicts.map((verdict) => ({ state: { verdict, failedAt: [] }, subscription: {} }) as unknown as Entry);

describe("the probed nodes of a resource", () => {
  it("pass the health check if one does, and if there is only one", () => {
    expect(peersOf(probed("failed", "passed", "unknown"), "failing")).to.equal("passing");
    expect(peersOf(probed("failed"), "awaited")).to.equal("passing");
  });

  it("leave the answer open until each has a result, but only once", () => {
    expect(peersOf(probed("failed", "unknown"), "awaited")).to.equal("awaited");
    expect(peersOf(probed("failed", "failed"), "awaited")).to.equal("failing");
    expect(peersOf(probed("failed", "failed", "unknown"), "failing")).to.equal("failing");
  });

  it("count only while they are probed", () => {
    const rested = probed("passed").map(({ subscription: _none, ...entry }) => entry as Entry);
    expect(peersOf([...rested, ...probed("failed", "failed")], "awaited")).to.equal("failing");
  });
});
