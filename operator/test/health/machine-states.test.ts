import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { MachineStates } from "../../src/health/machine-states.js";
import type { NodeHealth } from "../../src/health/witness.js";
import { silentLogger } from "../../src/logging.js";
import type { CallContext } from "../../src/providers/call.js";
import type { MachineState } from "../../src/providers/types.js";
import { MACHINE_ANSWER_MS, MACHINE_ASKS, MACHINE_ASKS_APART_MS, MAX_MACHINE_ASKS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

const SUSPECTED: NodeHealth = { is: "suspected" };
const MACHINE = "digitalocean://1";

describe("what the clouds report of suspected machines", () => {
  let clock: FakeClock;
  let leads: boolean;
  let calls: CallContext[];
  let off: string[];
  let answer: (context: CallContext) => Promise<MachineState | undefined>;
  let states: MachineStates;
  const by = {};

  beforeEach(() => {
    clock = new FakeClock();
    [leads, calls, off] = [true, [], []];
    answer = () => Promise.resolve("on");
    const machineState = (context: CallContext) => {
      calls.push(context);
      return answer(context);
    };
    states = new MachineStates({
      ...{ clock, logger: silentLogger, leads: () => leads, readerOf: () => ({ machineState }) },
      onOff: (node) => off.push(node),
    });
  });

  const suspect = (machine = MACHINE, health: NodeHealth = SUSPECTED, who: object = by) =>
    states.suspect(who, { node: `node of ${machine}`, machine, health, reader: undefined });

  /** As the probes of a second interval: the suspicion lasts. */
  async function last(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      suspect();
      await clock.advance(1_000);
    }
  }

  const hang = ({ signal }: CallContext) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });

  it("asks at once, then some seconds apart, and no more than a few times for one suspicion", async () => {
    await last(1);
    expect(calls).to.have.length(1);
    await last(MACHINE_ASKS_APART_MS / 1_000);
    expect(calls).to.have.length(2);
    await last(600);
    expect(calls).to.have.length(MACHINE_ASKS);
    expect(calls[0]).to.include({ priority: "check", why: `the probes of node node of ${MACHINE} fail` });
  });

  it("does not ask more often when suspicions follow one another", async () => {
    for (let count = 0; count < 10; count++) {
      suspect();
      await clock.advance(500);
      states.clear(by, MACHINE);
      await clock.advance(500);
    }
    expect(calls).to.have.length(10_000 / MACHINE_ASKS_APART_MS);
  });

  it("asks no more once the cloud reports that the machine is off, and knows it while the suspicion lasts", async () => {
    answer = () => Promise.resolve("off");
    await last(1);
    expect([off, states.offAt(MACHINE)]).to.deep.equal([[`node of ${MACHINE}`], clock.monotonic() - 1_000]);
    await last(60);
    expect(calls).to.have.length(1);
    states.clear(by, MACHINE);
    expect(states.offAt(MACHINE)).to.equal(undefined);
  });

  it("keeps what it knows while another resource suspects the machine, too", async () => {
    answer = () => Promise.resolve("off");
    const other = {};
    await last(1);
    suspect(MACHINE, SUSPECTED, other);
    states.clear(by, MACHINE);
    expect(states.offAt(MACHINE)).to.be.a("number");
    states.clear(other, MACHINE);
    expect(states.offAt(MACHINE)).to.equal(undefined);
  });

  it("asks nothing where a witness has spoken, on a standby replica, and about a machine without an id", async () => {
    suspect(MACHINE, { is: "doubted", doubt: "LeaseRenewed", detail: "" });
    suspect(MACHINE, { is: "failed", detail: "" });
    states.suspect(by, { node: "n1", machine: undefined, health: SUSPECTED, reader: undefined });
    leads = false;
    suspect();
    await clock.flush();
    expect(calls).to.have.length(0);
    leads = true;
    suspect(MACHINE, { is: "doubted", doubt: "NoWitness", detail: "" });
    expect(calls).to.have.length(1);
  });

  it("ends the call when the suspicion is over, and ignores an answer that comes all the same", async () => {
    let reply: (state: MachineState) => void = () => undefined;
    answer = () => new Promise((resolve) => (reply = resolve));
    suspect();
    states.clear(by, MACHINE);
    expect(calls[0]?.signal?.aborted).to.equal(true);
    suspect();
    reply("off");
    await clock.flush();
    expect([off, states.offAt(MACHINE)]).to.deep.equal([[], undefined]);
  });

  it("gives up an answer that is late, asks again, and lets no failed call do harm", async () => {
    answer = hang;
    suspect();
    await clock.advance(MACHINE_ANSWER_MS);
    expect(calls[0]?.signal?.aborted).to.equal(true);
    answer = () => Promise.reject(new Error("503"));
    await last(10);
    expect(calls.length).to.be.greaterThan(1);
    expect([off, states.offAt(MACHINE)]).to.deep.equal([[], undefined]);
  });

  it("has few calls open at once, and none after the end", async () => {
    answer = hang;
    for (let number = 1; number <= 3 * MAX_MACHINE_ASKS; number++) suspect(`digitalocean://${number}`, SUSPECTED, {});
    expect(calls).to.have.length(MAX_MACHINE_ASKS);
    states.close();
    await clock.flush();
    expect(calls.filter(({ signal }) => signal?.aborted)).to.have.length(MAX_MACHINE_ASKS);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("asks the account of the resource, where that has one of its own", () => {
    const own: string[] = [];
    const reader = {
      machineState: (_context: CallContext, machine: string) => {
        own.push(machine);
        return Promise.resolve("on" as const);
      },
    };
    states.suspect(by, { node: "n1", machine: MACHINE, health: SUSPECTED, reader });
    states.suspect({}, { node: "n2", machine: "digitalocean://2", health: SUSPECTED, reader: {} });
    expect([own, calls.length]).to.deep.equal([[MACHINE], 0]);
  });
});
