import { expect } from "chai";
import { describe, it } from "mocha";
import type { ProbeState } from "../../src/health/probe-state.js";
import { type Entry, peersOf, standingOf } from "../../src/health/probed-nodes.js";

const probed = (...verdicts: readonly ProbeState["verdict"][]) =>
  verdicts.map((verdict) => {
    const run = verdict === "unknown" ? {} : { run: { ok: verdict === "passed", count: 1, since: 0 } };
    return { state: { verdict, failedAt: [], ...run }, subscription: {} } as unknown as Entry;
  });

describe("the probed nodes of a resource", () => {
  it("pass the health check if one does, and if there is only one", () => {
    expect(peersOf(probed("failed", "passed", "unknown"), "failing")).to.equal("passing");
    expect(peersOf(probed("failed"), "awaited")).to.equal("passing");
  });

  it("leave the answer open until each has a result, but only once", () => {
    expect(peersOf(probed("failed", "unknown"), "awaited")).to.equal("awaited");
    expect(peersOf(probed("failed", "failed"), "awaited")).to.equal("failing");
    expect(peersOf(probed("failed", "failed", "unknown"), "failing")).to.equal("failing");
    expect(peersOf(probed("failed", "unknown"), "passing"), "a node that joins").to.equal("passing");
  });

  it("pass by their latest result, of probes that are sent now", () => {
    const [passed, unprobed] = probed("passed", "passed").map((entry) => ({ ...entry }));
    if (passed === undefined || unprobed === undefined) throw new Error("no entry");
    const failing = { ...passed, state: { ...passed.state, run: { ok: false, count: 1, since: 0 } } } as Entry;
    expect(standingOf(failing)).to.equal("fails");
    const { run: _none, ...state } = unprobed.state;
    expect(standingOf({ ...unprobed, state } as Entry)).to.equal("open");
  });

  it("count only while they are probed", () => {
    const rested = probed("passed").map(({ subscription: _none, ...entry }) => entry as Entry);
    expect(peersOf([...rested, ...probed("failed", "failed")], "awaited")).to.equal("failing");
    expect(peersOf([...rested, ...probed("failed")], "awaited"), "there is only one").to.equal("passing");
  });
});
