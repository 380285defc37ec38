import { expect } from "chai";
import { controlPlaneOrSkip, skip } from "flipop-testbed";
import { before, describe, it } from "mocha";
import type { FaultName } from "../../bench/traffic/faults.js";
import type { Outcome } from "../../bench/traffic/play.js";
import { networkProblem, runTraffic } from "../../bench/traffic/run.js";

/** The short variant of `npm run bench -- --only traffic`: how fast it is, only the bench says. */
const FAULTS: readonly FaultName[] = ["link down", "process killed", "5 % loss"];

describe("an address under traffic, in network namespaces", function () {
  this.timeout(240_000);
  let outcomes: readonly Outcome[];

  before(async function () {
    await controlPlaneOrSkip(this);
    const problem = networkProblem();
    if (problem !== undefined) skip(this, problem);
    outcomes = await runTraffic({
      faults: FAULTS,
      runs: 1,
      withoutCheck: false,
      leaseSeconds: 4,
      lossMs: 5_000,
      replicas: 2,
    });
  });

  const of = (fault: FaultName): Outcome => {
    const found = outcomes.find((one) => one.fault === fault);
    if (found === undefined) throw new Error(`${fault} was not played`);
    return found;
  };

  for (const fault of ["link down", "process killed"] as const) {
    it(`leads to another node after one move: ${fault}`, () => {
      const { moves, holder, lastNode, gap, split } = of(fault);
      expect([moves, lastNode]).to.deep.equal([1, holder]);
      expect([gap.tcp, gap.udp].every(Number.isFinite), "requests are answered again").to.equal(true);
      // The client misses the address for as long as the operator and the cloud take, less one interval of its requests.
      const parts = Object.values<number>({ ...split }).reduce((sum, part) => sum + part, 0);
      expect(gap.udp).to.be.at.least(parts - 100);
    });
  }

  it("stays where it is while packets are lost: 5 % loss", () => {
    const { moves, holder, lastNode, answered } = of("5 % loss");
    expect([moves, lastNode]).to.deep.equal([0, holder]);
    expect(answered.udp).to.be.within(0.5, 0.99);
  });
});
