import { expect } from "chai";
import { describe, it } from "mocha";
import { isRepeatedlyUndone, TakenAddresses, undonePauseUntil } from "../../src/addresses/undone-writes.js";

describe("what others undo", () => {
  const MINUTE = 60_000;

  it("is contested from the third time in ten minutes, in whichever order the times are recorded", () => {
    expect(isRepeatedlyUndone([0, 5 * MINUTE, 10 * MINUTE])).to.equal(true);
    expect(isRepeatedlyUndone([0, 5 * MINUTE, 10 * MINUTE + 1])).to.equal(false);
    expect(isRepeatedlyUndone([9 * MINUTE, 0, 5 * MINUTE])).to.equal(true);
    expect(isRepeatedlyUndone([15 * MINUTE, 0, 5 * MINUTE])).to.equal(false);
    expect(isRepeatedlyUndone([0, 5 * MINUTE])).to.equal(false);
  });

  it("is left alone for ten minutes after the last time", () => {
    const times = [0, 1, 2].map((minute) => minute * MINUTE);
    expect(undonePauseUntil(times, 11 * MINUTE)).to.equal(12 * MINUTE);
    expect(undonePauseUntil(times, 12 * MINUTE)).to.equal(undefined);
  });

  it("is not left alone for longer because somebody has set the clock back, and again if it is undone again", () => {
    const ahead = [100, 101, 102].map((minute) => minute * MINUTE);
    expect(undonePauseUntil(ahead, 3 * MINUTE)).to.equal(undefined);
    const times = [...ahead, ...[0, 1, 2].map((minute) => minute * MINUTE)];
    expect(undonePauseUntil(times, 3 * MINUTE)).to.equal(12 * MINUTE);
  });
});

describe("an address that somebody else takes off a node", () => {
  const IP = "203.0.113.7";
  const [N1, N2] = ["digitalocean://1", "digitalocean://2"];

  /** @param unfit machines that may have no address. */
  function looks(taken: TakenAddresses, was?: string) {
    return (holder: string | undefined, now: number, { unfit = [], unconfirmed = false, inFlight }: Look = {}) => {
      const facts = { ...(holder === undefined ? {} : { holder }), unconfirmed, ...(inFlight && { inFlight }) };
      const verdictOf = (machine: string) => verdict(machine, unfit.includes(machine));
      const scene = { inventory: { get: () => facts }, verdictOf, now };
      return taken.look({ ...scene, addresses: [{ ip: IP, was }] }).get(IP);
    };
  }

  it("is remembered with the node and the time, until it is on a node that is well", () => {
    const look = looks(new TakenAddresses());
    expect(look(N1, 1)).to.equal(undefined);
    expect(look(undefined, 2)).to.deep.equal({ node: "node of 1", at: 2 });
    expect(look(undefined, 3), "the first time counts").to.deep.equal({ node: "node of 1", at: 2 });
    expect(look(N2, 4)).to.equal(undefined);
  });

  it("counts after a restart, by the status", () => {
    expect(looks(new TakenAddresses(), N1)(N2, 5, { unfit: [N2] })).to.deep.equal({ node: "node of 1", at: 5 });
    expect(looks(new TakenAddresses())(N2, 5, { unfit: [N2] })).to.equal(undefined);
  });

  it("does not count if the operator itself takes it off its node, as when desiredIPs is lower for a while", () => {
    const look = looks(new TakenAddresses(), N1);
    look(N1, 1);
    look(N1, 2, { inFlight: { id: "1", expected: undefined } });
    expect(look(undefined, 3)).to.equal(undefined);
    look(N1, 4, { inFlight: { id: "2", expected: N1 } });
    look(N1, 5);
    expect(look(undefined, 6), "somebody else took it").to.deep.equal({ node: "node of 1", at: 6 });
  });

  it("does not count if the node was not well, or nothing is certain", () => {
    const look = looks(new TakenAddresses());
    look(N1, 1);
    look(N1, 2, { unfit: [N1] });
    expect(look(N2, 3), "moved by the operator, and the old node is well again").to.equal(undefined);
    expect(look(undefined, 4, { unconfirmed: true })).to.equal(undefined);
  });
});

interface Look {
  readonly unfit?: readonly string[];
  readonly unconfirmed?: boolean;
  readonly inFlight?: { readonly id: string; readonly expected: string | undefined };
}

function verdict(machine: string, unfit: boolean) {
  return { node: { name: `node of ${machine.at(-1)}` }, refusals: unfit ? ["NodeNotReady"] : [] };
}
