import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { OwnNode } from "../../src/health/own-node-probe.js";
import { type Probe, REFUSED } from "../../src/health/probe.js";
import type { ProbeResult } from "../../src/health/probe-state.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("the own node of the operator", () => {
  let clock: FakeClock;
  let host: string | undefined;
  let probed: string[];
  /** `undefined`: no answer. */
  let result: ProbeResult | undefined;
  let node: OwnNode;

  const probe: Probe = (target, signal) => {
    probed.push(`${target.type} ${target.host}:${target.port}`);
    if (result !== undefined) return Promise.resolve(result);
    return new Promise((resolve) => {
      const end = () => resolve({ ok: false, error: (signal.reason as Error).message });
      signal.addEventListener("abort", end, { once: true });
    });
  };

  beforeEach(() => {
    [clock, host, probed, result] = [new FakeClock(), "10.0.0.1", [], { ok: true }];
    node = new OwnNode({ clock, probe, host: () => host });
  });

  async function isAnswered(): Promise<boolean> {
    const answer = node.isAnswered();
    await clock.advance(1_000);
    return answer;
  }

  it("answers when its kubelet accepts or refuses a connection", async () => {
    expect(await isAnswered()).to.equal(true);
    result = { ok: false, error: REFUSED };
    expect(await isAnswered()).to.equal(true);
    expect([...new Set(probed)]).to.deep.equal(["TCP 10.0.0.1:10250"]);
  });

  it("does not answer when it answered before", async () => {
    await isAnswered();
    result = undefined;
    expect(await isAnswered()).to.equal(false);
    result = { ok: true };
    expect(await isAnswered()).to.equal(true);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("proves nothing where pods may not reach the kubelet, or the node is not known", async () => {
    result = undefined;
    expect(await isAnswered()).to.equal(true);
    [host, probed] = [undefined, []];
    expect(await isAnswered()).to.equal(true);
    expect(probed).to.deep.equal([]);
  });
});
