import { Finalizer, type FloatingIPPoolSpec, floatingIPPoolKind } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { summary } from "../../../../src/reconcile/summary-conditions.js";
import { type Fault, ModelCloud } from "../support/model-cloud.js";

const NODES = ["n1", "n2", "n3", "n4", "n5", "n6", "n7"];
const POOLS = ["a", "b"];
const LISTED = ["203.0.113.1", "203.0.113.2"];
const COOL_OFF = 20;
const GRACE = 30;
const DESIRED = 3;
const ACTION_SECONDS = 8;

type Step =
  | { readonly do: "ready" | "unready" | "remove" | "add"; readonly node: string }
  | { readonly do: "run"; readonly pool: string; readonly fault: Fault | undefined }
  | { readonly do: "wait"; readonly seconds: number };

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(8),
  what: fc.constantFrom("crash-before", "crash-after", "lost", "refused"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("ready", "unready", "remove", "add"), node: fc.constantFrom(...NODES) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("run"),
      pool: fc.constantFrom(...POOLS),
      fault: fc.option(fault, { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.constantFrom(1, 9, 31, 70) }) },
);
const history = fc.array(step, { maxLength: 40 });
/** The answer of a move is lost, and then its target fails: its grace is not that of the node before it. */
const TARGET_FAILS: Step[] = [
  { do: "run", pool: "a", fault: { at: 1, what: "lost" } },
  { do: "unready", node: "n6" },
  { do: "wait", seconds: 70 },
  { do: "run", pool: "a", fault: undefined },
];
/** The answer of a creation is lost, and then its node is gone: only the history of the address shows whose it is. */
const CREATED_ON_LOST_NODE: Step[] = [
  { do: "run", pool: "a", fault: { at: 2, what: "lost" } },
  { do: "remove", node: "n1" },
];

/** Two pools over the same nodes: one creates and cools off, the other lists. */
class Story {
  readonly cloud = new ModelCloud();
  /** `pool node`: since when runs have seen it unready. */
  private readonly unready = new Map<string, number>();

  /** @param slow actions take a while. */
  constructor(slow = false, more: Partial<FloatingIPPoolSpec> = {}) {
    this.cloud.actionSeconds = slow ? ACTION_SECONDS : 0;
    for (const name of NODES) this.cloud.addNode(name);
    const dnsRecordSet = { recordName: "a.example.com", zone: "example.com" };
    const common = { gracePeriodSeconds: GRACE, dnsRecordSet };
    this.cloud.addPool("a", { ...common, ...more, desiredIPs: DESIRED, assignmentCoolOffSeconds: COOL_OFF });
    this.cloud.addPool("b", { gracePeriodSeconds: GRACE, ips: LISTED });
  }

  apply(step: Step): void {
    switch (step.do) {
      case "wait":
        this.cloud.now += step.seconds * 1000;
        return;
      case "run":
        this.run(step.pool, step.fault);
        return;
      case "add":
        if (!this.cloud.nodes.has(step.node)) this.cloud.addNode(step.node);
        return;
      case "remove":
        this.cloud.removeNode(step.node);
        return;
      default:
        this.cloud.setReady(step.node, step.do === "ready");
    }
  }

  run(pool: string, fault?: Fault): void {
    const { cloud } = this;
    const machines = [...cloud.nodes.keys()].map((name) => `digitalocean://${name}`);
    const well = new Map(machines.map((machine) => [machine, cloud.matches(machine)]));
    const seen = (machine: string) => `${pool} ${machine}`;
    for (const machine of machines) {
      if (!well.get(machine) && !this.unready.has(seen(machine))) this.unready.set(seen(machine), cloud.now);
    }
    const before = cloud.moves.length;
    const finished = cloud.run(pool, fault);
    for (const { from = "", ip } of cloud.moves.slice(before).filter((move) => well.has(move.from ?? ""))) {
      expect(well.get(from), `${ip} left ${from}, which matches`).to.equal(false);
      const age = (cloud.now - (this.unready.get(seen(from)) ?? cloud.now)) / 1000;
      expect(age, `grace of ${from}, holder of ${ip}`).to.be.at.least(GRACE);
    }
    if (finished) for (const machine of machines.filter((each) => well.get(each))) this.unready.delete(seen(machine));
  }

  /** Faults have stopped: rounds until both pools have nothing to do. */
  settle(): number {
    for (let round = 1; round <= 60; round++) {
      this.cloud.now += 35_000;
      for (const pool of POOLS) this.run(pool);
      if (POOLS.every((pool) => this.isAtRest(pool))) return round;
    }
    return Number.POSITIVE_INFINITY;
  }

  private isAtRest(pool: string): boolean {
    const { sequences, requeueAt } = this.cloud.plan(pool);
    return sequences.length === 0 && requeueAt === undefined;
  }
}

function play(steps: readonly Step[], check: (story: Story) => void, story = new Story()): void {
  for (const each of steps) {
    story.apply(each);
    check(story);
  }
}

/** All is up, then all holders fail, and their grace is over. */
function failAll(story: Story): void {
  story.settle();
  for (const holder of story.cloud.addresses.values()) story.cloud.setReady(holder?.split("//")[1] ?? "", false);
  for (const pool of POOLS) story.run(pool);
  story.cloud.now += GRACE * 1000;
}

describe("plans of pools, in random histories", () => {
  const parameters = { numRuns: 100 };

  it("never put two addresses on one node, nor take one from a healthy or protected holder", () => {
    const check = ({ cloud }: Story) => {
      const holders = [...cloud.addresses.values()].filter((holder) => holder !== undefined);
      expect(holders).to.have.lengthOf(new Set(holders).size);
    };
    fc.assert(
      fc.property(history, (steps) => play(steps, check)),
      parameters,
    );
  });

  it("never create more than desiredIPs, whatever is lost and wherever it crashes", () => {
    const check = ({ cloud }: Story) => expect(cloud.createdBy.size).to.be.at.most(DESIRED);
    fc.assert(
      fc.property(history, (steps) => {
        const story = new Story();
        for (const each of steps) story.apply(each);
        story.settle();
        check(story);
      }),
      parameters,
    );
  });

  it("keep the cool-off between two accepted assignments, over crashes", () => {
    const check = ({ cloud }: Story) => {
      const times = cloud.moves.filter(({ pool }) => pool === "a").map(({ at }) => at);
      for (const [index, at] of times.entries()) {
        if (index > 0) expect((at - (times[index - 1] ?? 0)) / 1000).to.be.at.least(COOL_OFF);
      }
    };
    fc.assert(
      fc.property(history, fc.boolean(), (steps, settled) => {
        const story = new Story();
        if (settled) failAll(story);
        for (const each of steps) {
          story.apply(each);
          check(story);
        }
      }),
      { ...parameters, examples: [[TARGET_FAILS, true]] },
    );
  });

  it("come to rest when the faults stop, with all up that can be, and then write nothing", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const story = new Story();
        for (const each of steps) story.apply(each);
        expect(story.settle(), "rounds").to.be.below(40);
        const { cloud } = story;
        const statuses = POOLS.map((pool) => cloud.pool(pool).status);
        for (const pool of POOLS) cloud.run(pool);
        expect(POOLS.map((pool) => cloud.pool(pool).status)).to.deep.equal(statuses);
        const up = [...cloud.addresses.values()].filter((holder) => cloud.matches(holder)).length;
        const well = [...cloud.nodes.keys()].filter((name) => cloud.matches(`digitalocean://${name}`)).length;
        expect(up).to.equal(Math.min(well, cloud.addresses.size));
      }),
      { ...parameters, examples: [[CREATED_ON_LOST_NODE]] },
    );
  });

  it("put no two addresses on one node while actions run, and come to rest", () => {
    const check = ({ cloud }: Story) => {
      const holders = [...cloud.addresses.values()].filter((holder) => holder !== undefined);
      expect(holders).to.have.lengthOf(new Set(holders).size);
    };
    fc.assert(
      fc.property(history, (steps) => {
        const story = new Story(true);
        play(steps, check, story);
        expect(story.settle()).to.be.at.most(60);
        check(story);
      }),
      parameters,
    );
  });

  it("release each address whose creation was answered, and nothing else, when a pool goes under Delete", () => {
    fc.assert(
      fc.property(history, fc.boolean(), (steps, slow) => {
        const story = new Story(slow, { reclaimPolicy: "Delete", ips: ["203.0.113.9"] });
        const { cloud } = story;
        play(steps, () => undefined, story);
        const pool = cloud.pool("a");
        const deletionTimestamp = new Date(cloud.now).toISOString();
        cloud.edit("a", { metadata: { ...pool.metadata, deletionTimestamp } });
        const isGone = () => !(cloud.pool("a").metadata.finalizers ?? []).includes(Finalizer.cleanup);
        for (let round = 0; round < 40 && !isGone(); round++) {
          cloud.now += 35_000;
          for (const name of POOLS) cloud.run(name);
        }
        expect(isGone()).to.equal(true);
        expect([...cloud.addresses.keys()]).to.have.members([...LISTED, "203.0.113.9", ...cloud.unanswered]);
      }),
      parameters,
    );
  });

  it("call a pool Ready only while all its addresses are on nodes that match, and its name has them", () => {
    let ready = 0;
    const check = ({ cloud }: Story) => {
      for (const [pool, desired] of [
        ["a", DESIRED],
        ["b", LISTED.length],
      ] as const) {
        const made = cloud.plan(pool);
        const [{ status } = { status: "Unknown" }] = summary(made.conditions, { ...floatingIPPoolKind, ...made });
        if (status !== "True") continue;
        ready += 1;
        const placed = made.addresses.filter(({ ip }) => cloud.matches(cloud.addresses.get(ip))).map(({ ip }) => ip);
        expect(placed, pool).to.have.lengthOf.at.least(desired);
        if (pool === "a") expect(cloud.zone.get("a.example.com")).to.have.members(placed);
      }
    };
    fc.assert(
      fc.property(history, fc.boolean(), (steps, slow) => {
        const story = new Story(slow);
        story.settle();
        play(steps, check, story);
      }),
      { numRuns: 40 },
    );
    expect(ready).to.be.above(0);
  });

  it("never empty a record set that was written", () => {
    let written = false;
    const check = ({ cloud }: Story) => {
      const values = cloud.zone.get("a.example.com") ?? [];
      if (values.length > 0) written = true;
      if (written) expect(values).to.not.be.empty;
    };
    fc.assert(
      fc.property(history, (steps) => {
        written = false;
        play(steps, check);
      }),
      parameters,
    );
  });

  it("move no more addresses than holders have failed", () => {
    const failing = fc.uniqueArray(fc.constantFrom(...NODES));
    fc.assert(
      fc.property(failing, (names) => {
        const story = new Story();
        const { cloud } = story;
        story.settle();
        const held = [...cloud.addresses.values()];
        const before = cloud.moves.length;
        for (const name of names) cloud.setReady(name, false);
        story.settle();
        const failed = names.filter((name) => held.includes(`digitalocean://${name}`)).length;
        expect(cloud.moves.length - before).to.be.at.most(failed);
      }),
      parameters,
    );
  });
});
