import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { planFirewall } from "../../../src/controllers/routed-ip/firewall/plan.js";
import { changeOf } from "../../../src/providers/diff.js";
import type { FirewallFacts } from "../../../src/providers/firewall-types.js";
import { changedFacts } from "../../../src/routing/firewalls/additional-firewalls.js";
import { FirewallShares, NO_RECORD, type Recorded } from "../../../src/routing/firewalls/firewall-shares.js";
import { A, B, facts, firewall, rule } from "../../controllers/routed-ip/firewall/plan-rig.js";

const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];

interface Need {
  readonly ports: readonly number[];
  readonly node: string | undefined;
}

/** `plan`: they decide. `go on`: the next of what they decided happens, a write of the record or a call. */
type Step = { readonly names: readonly Name[] } & (
  | { readonly do: "need"; readonly need: Need }
  | { readonly do: "plan" | "go on" | "settle" }
);

/** RoutedIPs of one firewall, which decide and write in any order. */
class Sharing {
  seen: FirewallFacts = facts([rule(22)], ["cloud://bastion"]);
  private readonly shares = new FirewallShares();
  private readonly status = new Map<Name, Recorded>();
  private readonly needs = new Map<Name, Need>();
  private readonly begun = new Map<Name, (() => void)[]>();

  run(step: Step): void {
    if (step.do === "settle") this.settle();
    for (const name of step.names) {
      if (step.do === "need") this.needs.set(name, step.need);
      else if (step.do === "plan") this.plan(name);
      else if (step.do === "go on") this.begun.get(name)?.shift()?.();
    }
  }

  settle(): void {
    for (let round = 0; round < 10; round++) {
      for (const name of NAMES) {
        for (const left of this.begun.get(name)?.splice(0) ?? []) left();
        this.plan(name);
      }
    }
  }

  /** What is needed by any of them, and what is there beside what others put there. */
  get outcome() {
    const needed = [...this.needs.values()];
    const text = (all: readonly string[]) => [...new Set(all)].sort().join();
    const ports = needed.flatMap((need) => need.ports.map(String));
    return {
      needed: [text(ports), text(needed.flatMap(({ node }) => node ?? []))],
      there: [
        text(this.seen.rules.map((each) => each.ports).filter((port) => port !== "22")),
        text(this.seen.nodes.filter((node) => node !== "cloud://bastion")),
      ],
    };
  }

  private plan(name: Name): void {
    // Two sequences of one resource never run at once.
    const isBusy = (this.begun.get(name) ?? []).length > 0;
    const { ports = [], node: target } = this.needs.get(name) ?? {};
    const desired = { rules: ports.map(rule), ...(target === undefined ? {} : { target }) };
    const others = this.shares.others(name);
    const made = planFirewall(firewall(this.seen, { others }), desired, this.status.get(name) ?? NO_RECORD);
    if (isBusy) return;
    this.shares.set(name, made.recorded);
    const { addRules, addNodes, removeRules, removeNodes } = made;
    const write = () => void this.status.set(name, made.recorded);
    const calls = [
      { addRules, addNodes },
      { removeRules, removeNodes },
    ].map((part) => () => {
      const change = this.shares.still(this.seen, name, changeOf(this.seen, part));
      this.seen = changedFacts(this.seen, change);
    });
    this.begun.set(name, [write, ...calls]);
  }
}

const names = fc.shuffledSubarray([...NAMES], { minLength: 1 });
const need: fc.Arbitrary<Need> = fc.record({
  ports: fc.subarray([443, 80]),
  node: fc.option(fc.constantFrom(A, B), { nil: undefined }),
});
const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(fc.record({ do: fc.constant("need" as const), names, need }), {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("plan" as const, "go on", "settle"), names }),
  }),
  { maxLength: 40 },
);

describe("what RoutedIPs have on record in a firewall", () => {
  it("strands no rule and no node, whichever of them decides or writes first", () => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const made = new Sharing();
        for (const step of steps) made.run(step);
        made.settle();
        const { needed, there } = made.outcome;
        expect(there).to.deep.equal(needed);
      }),
    );
  });
});
