import { expect } from "chai";
import { describe, it } from "mocha";
import { addressLockKey } from "../../../src/addresses/actions.js";
import { readAgainMs } from "../../../src/controllers/floating-ip-pool/gather.js";
import { memoryOf } from "../../../src/controllers/floating-ip-pool/memory.js";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { recordOutcome } from "../../../src/controllers/floating-ip-pool/record-outcome.js";
import type { Gathered } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { createView } from "../../../src/inventory/view.js";
import { LIST_MAX_AGE_SECONDS, MOVE_MAX_AGE_SECONDS, SHORT_LIST_MAX_AGE_SECONDS } from "../../../src/timings.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { ModelCloud } from "./support/model-cloud.js";
import { NO_MEMORY } from "./support/no-memory.js";
import { altered, cluster, settled } from "./support/pool-plans.js";
import { poolState } from "./support/pool-state.js";

const NO_RECORDS = { ips: [], written: new Set<string>(), read: new Set<string>(), cachedUntil: undefined };

const IP = "203.0.113.7";
const [OURS, OTHER] = ["digitalocean://n1", "digitalocean://other"];
const MINUTE = 60_000;

describe("a dispute over what a pool writes", () => {
  const planOf = (paused: boolean) => {
    const cloud = new ModelCloud();
    cloud.addPool("web", { ips: [IP], paused, dnsRecordSet: { zone: "example.com", recordName: "web" } });
    const times = [cloud.now - 3_000, cloud.now - 2_000, cloud.now - 1_000];
    const memory = { ...NO_MEMORY, reverts: new Map([IP, "records"].map((what) => [what, times] as const)) };
    return plan({ ...cloud.snapshot("web"), memory });
  };

  it("is in no condition and in no address while the pool is paused: it writes nothing that could be undone", () => {
    const reasons = (paused: boolean) => [
      ...planOf(paused).conditions.map(({ reason }) => reason),
      ...planOf(paused).addresses.map(({ status }) => status.reason),
    ];
    expect(reasons(false)).to.include("ForeignWriter");
    expect(reasons(true)).not.to.include("ForeignWriter");
  });
});

describe("an address that a read contradicts", () => {
  it("lacks no node while the nodes suffice: it waits for the second read", () => {
    const ips = [IP, "203.0.113.8"];
    const cloud = settled(cluster(["n1", "n2"], { ips }));
    const { inventory } = cloud.snapshot("web");
    const doubted = { ip: IP, family: "IPv4", region: "", ageSeconds: 0, unconfirmed: true } as const;
    const get = (ip: string) => (ip === IP ? doubted : inventory.get(ip));
    const { conditions } = altered(cloud, { inventory: { ...inventory, get } });
    const fulfilled = conditions.find(({ type }) => type === "Fulfilled");
    expect(`${fulfilled?.status}/${fulfilled?.reason}`).to.equal("Unknown/UnderWay");
    expect(fulfilled?.message).to.equal(
      `1 of 2 addresses are active; the last read contradicts what the operator knows of ${IP}, so it waits for a second one`,
    );
  });
});

describe("an address that another party took off its node while no operator ran", () => {
  it("is known by the status, which showed it as active there", () => {
    const taken = (state: "active" | "in-progress") => {
      const facts = { ip: IP, family: "IPv4", region: "" } as const;
      const cachedStates = new Map([[IP, { facts, at: 0 }]]);
      const inventory = createView({ now: 0, listedAt: 0, cachedStates, gone: new Map(), reservations: new Map() });
      const verdictOf = () => ({ node: { name: "n1" } as never, refusals: [] });
      const scene = { inventory, verdictOf, now: 7, monotonic: 0, recordReverts: [], records: NO_RECORDS };
      return memoryOf(poolState(), { ...scene, ips: { [IP]: { state, providerID: OURS } } }).taken?.get(IP);
    };
    expect(taken("active")).to.deep.equal({ node: "n1", at: 7 });
    expect(taken("in-progress"), "it had not arrived").to.equal(undefined);
  });
});

describe("a dispute over an address", () => {
  /** What the pool remembers when it sees the address there. */
  const scene = () => {
    const clock = new FakeClock();
    const state = poolState();
    const look = (holder: string | undefined) => {
      const facts = { ip: IP, family: "IPv4", region: "", ...(holder === undefined ? {} : { holder }) } as const;
      const cachedStates = new Map([[IP, { facts, at: 0 }]]);
      const inventory = createView({ now: 0, listedAt: 0, cachedStates, gone: new Map(), reservations: new Map() });
      const verdictOf = (machine: string) => {
        return machine === OURS ? { node: { name: "n1" } as never, refusals: [] } : undefined;
      };
      const times = { now: clock.now(), monotonic: clock.monotonic() };
      return (
        memoryOf(state, { inventory, verdictOf, ...times, recordReverts: [], records: NO_RECORDS }).reverts.get(IP) ??
        []
      );
    };
    const ended = (action: "assign" | "unassign") => {
      const why = "";
      const done =
        action === "assign"
          ? ({ do: "assign", ip: IP, node: { name: "n1", machine: OURS }, why } as const)
          : ({ do: "unassign", ip: IP, from: OURS, why } as const);
      const sequence = { lockKey: addressLockKey(IP), steps: [{ actions: [done] }] };
      recordOutcome(clock, state, { sequence, results: [{ action: done, outcome: { is: "done" } }] });
    };
    return { clock, look, ended };
  };

  it("ends when our assignment has lasted for ten minutes", async () => {
    const { clock, look, ended } = scene();
    ended("assign");
    expect(look(OTHER)).to.have.length(1);
    ended("assign");
    await clock.advance(9 * MINUTE);
    expect(look(OURS)).to.have.length(1);
    await clock.advance(2 * MINUTE);
    expect(look(OURS)).to.be.empty;
  });

  it("ends when the address stays where somebody else put it, and we no longer want to move it", async () => {
    const { clock, look, ended } = scene();
    for (let round = 0; round < 3; round++) {
      ended("assign");
      look(OTHER);
    }
    await clock.advance(19 * MINUTE);
    expect(look(OTHER), "we may only just have tried again").to.have.length(3);
    await clock.advance(2 * MINUTE);
    expect(look(OTHER)).to.be.empty;
  });

  it("begins with no address that we ourselves took off its node", () => {
    const { look, ended } = scene();
    ended("assign");
    ended("unassign");
    expect(look(undefined)).to.be.empty;
  });
});

describe("the list of the account of a pool", () => {
  it("is read again after five minutes, sooner while others undo moves, and soonest for a node that may be free", () => {
    const state = poolState();
    const view = { ageSeconds: 10 };
    const account = { troubleOf: () => ({}), inventory: { view: () => view } };
    const gathered = { snapshot: settled(cluster(["n1"], { ips: [] })).snapshot("web"), account };
    const seconds = () => ((readAgainMs(state, gathered as unknown as Gathered) ?? 0) - 1) / 1000 + view.ageSeconds;
    expect(seconds()).to.equal(LIST_MAX_AGE_SECONDS);
    state.memory.reverts.set(IP, [0]);
    expect(seconds()).to.equal(SHORT_LIST_MAX_AGE_SECONDS);
    state.memory.needsFreshList = true;
    expect(seconds()).to.equal(MOVE_MAX_AGE_SECONDS);
  });
});
