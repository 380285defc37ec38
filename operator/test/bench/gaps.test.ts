import { expect } from "chai";
import { describe, it } from "mocha";
import { answeredShare, longestGap, splitOf } from "../../bench/traffic/gaps.js";
import type { Sample } from "../../bench/traffic/messages.js";

/** A request each 5 ms; those in the gaps are not answered. */
function sent(until: number, ...gaps: readonly (readonly [number, number])[]): Sample[] {
  const times = Array.from({ length: until / 5 + 1 }, (_, index) => index * 5);
  const isAnswered = (at: number) => !gaps.some(([from, end]) => at > from && at < end);
  return times.map((sentAt) => ({ protocol: "tcp", sentAt, ...(isAnswered(sentAt) && { node: "a" }) }));
}

describe("the gap that a client sees", () => {
  it("is the longest one, from the last answered request to the next, in any order of the requests", () => {
    const samples = sent(1_000, [100, 300], [400, 900], [950, 970]);
    expect(longestGap(samples, "tcp", 50)).to.deep.equal({ from: 400, until: 900 });
    expect(longestGap(samples.reverse(), "tcp", 50)).to.deep.equal({ from: 400, until: 900 });
  });

  it("does not count when it ends before the fault", () => {
    expect(longestGap(sent(1_000, [100, 300], [400, 450]), "tcp", 350)).to.deep.equal({ from: 400, until: 450 });
  });

  it("has no end when no later request is answered", () => {
    const samples = sent(1_000, [100, 300], [400, 2_000]);
    expect(longestGap(samples, "tcp", 50)).to.deep.equal({ from: 400, until: Number.POSITIVE_INFINITY });
  });

  it("lasts from the fault on when no request is answered at all", () => {
    expect(longestGap(sent(1_000, [-5, 2_000]), "tcp", 50)).to.deep.equal({
      from: 50,
      until: Number.POSITIVE_INFINITY,
    });
  });

  it("begins with the fault if the client has no answer from before", () => {
    const samples = sent(1_000, [100, 300]).filter(({ sentAt }) => sentAt > 150);
    expect(longestGap(samples, "tcp", 150)).to.deep.equal({ from: 150, until: 300 });
  });

  it("is the interval of the requests when all are answered", () => {
    const { from, until } = longestGap(sent(1_000), "tcp", 500);
    expect(until - from).to.equal(5);
  });

  it("counts the requests of one protocol only", () => {
    const udp = sent(1_000, [0, 1_000]).map((sample): Sample => ({ ...sample, protocol: "udp" }));
    const samples = [...sent(1_000, [400, 500]), ...udp];
    expect(longestGap(samples, "tcp", 50)).to.deep.equal({ from: 400, until: 500 });
    expect(answeredShare(samples, "tcp", 500)).to.equal(1);
    expect(answeredShare(samples, "udp", 505)).to.be.closeTo(0.01, 0.001);
  });

  it("consists of detection, decision and action", () => {
    const split = splitOf({ fault: 1_000, detected: 3_500, assignCall: 3_512, routed: 4_012 });
    expect(split).to.deep.equal({ detection: 2_500, decision: 12, action: 500 });
  });
});
