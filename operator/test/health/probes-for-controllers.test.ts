import { expect } from "chai";
import { describe, it } from "mocha";
import { followHealth, type ProbedNodes } from "../../src/health/probes-for-controllers.js";
import type { ResourceHealth } from "../../src/health/resource-health.js";
import type { MatchIndex } from "../../src/match/match-index.js";
import { PROBED_CANDIDATES } from "../../src/timings.js";
import { CHECK, node } from "./health-rig.js";

type Followed = Parameters<ResourceHealth["follow"]>;

/** What is probed of holder a, many waiting nodes and a node that its probes refuse. */
function followed(check: typeof CHECK | undefined): Followed {
  const calls: Followed[] = [];
  const health = { follow: (...call: Followed) => void calls.push(call) };
  const reasons = new Map([
    ["refused", ["ProbeFailed"]],
    ["replaced", ["ProbeFailed", "PodNotReady"]],
    ["a", []],
  ]);
  const index = {
    refusedByProbes: () => [node("refused")],
    verdict: (name: string) => {
      const refusals = reasons.get(name)?.map((reason) => ({ reason }));
      return refusals && { refusals };
    },
  };
  const waiting = Array.from({ length: PROBED_CANDIDATES + 1 }, (_, at) => node(`w${at}`));
  const parts = [health, index] as unknown as [ResourceHealth, MatchIndex];
  followHealth(...parts, check, () => ({ holders: [node("a")], waiting }) as unknown as ProbedNodes);
  const [call] = calls;
  if (call === undefined) throw new Error("nothing is followed");
  return call;
}

describe("the nodes that the operator probes for a resource", () => {
  it("are the holders, the next candidates and those that only their probes refuse", () => {
    const [check, { holders, others, matches }] = followed(CHECK);
    expect([check, holders.map(({ name }) => name)]).to.deep.equal([CHECK, ["a"]]);
    const next = Array.from({ length: PROBED_CANDIDATES }, (_, at) => `w${at}`);
    expect(others.map(({ name }) => name)).to.deep.equal([...next, "refused"]);
    expect(["a", "refused", "replaced", "gone"].map((name) => matches?.(name))).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
  });

  it("are no longer the holders once the spec has no health check", () => {
    const [check, { holders }] = followed(undefined);
    expect([check, holders]).to.deep.equal([undefined, []]);
  });
});
