import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { providerError } from "../../../records/fake-dns.js";
import { NAME, World } from "../world.js";

const NODES = ["n1", "n2", "n3"];
const GRACE = 30;
const FOREIGN = "198.51.100.1";

interface Fault {
  /** Which call of the run, from 0. */
  readonly at: number;
  readonly kind: "Unavailable" | "Conflict" | "Unauthorized" | "RateLimited";
  /** Carried out, and the answer lost. */
  readonly lost: boolean;
}

type Step =
  | { readonly do: "ready" | "unready" | "remove" | "add" | "cordon" | "renumber" | "replace"; readonly node: string }
  | { readonly do: "run"; readonly fault: Fault | undefined }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "foreign"; readonly values: readonly string[] }
  | { readonly do: "restart" };

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(4),
  kind: fc.constantFrom("Unavailable", "Conflict", "Unauthorized", "RateLimited"),
  lost: fc.boolean(),
});
const what = fc.constantFrom("ready", "unready", "remove", "add", "cordon", "renumber", "replace");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: what, node: fc.constantFrom(...NODES) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("run"), fault: fc.option(fault, { nil: undefined }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.constantFrom(1, 9, 31, 400, 2000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("foreign"),
      values: fc.constantFrom([FOREIGN], [FOREIGN, "203.0.113.1"], ["203.0.113.2"]),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart") }) },
);

/** A history on one record set, with what must never be seen. */
class Story {
  readonly world = new World();
  private allowed = new Set<string>();
  private renumbered = 0;

  constructor(gracePeriodSeconds: number) {
    for (const name of NODES) this.world.addNode(name);
    this.world.add("game", { gracePeriodSeconds });
    this.world.dns.afterStep = () => this.check();
  }

  async apply(step: Step): Promise<void> {
    switch (step.do) {
      case "wait":
        return this.world.clock.advance(step.seconds * 1000);
      case "run":
        return this.run(step.fault);
      case "foreign":
        this.world.dns.set(NAME, step.values);
        return;
      case "restart":
        this.world.restart();
        return;
      default:
        this.change(step.do, step.node);
    }
  }

  /** One run, which may meet a failure; each record set in between is looked at. */
  async run(fault: Fault | undefined): Promise<void> {
    const { dns } = this.world;
    const { status } = this.world.resource("game");
    // A node in its grace period keeps an address that a change has published which then failed.
    const published = (status.addresses ?? []).map(({ address }) => address);
    const wanted = [...this.matching(), ...(status.dns?.values ?? []), ...published];
    this.allowed = new Set([...dns.values(NAME), ...wanted]);
    let call = 0;
    dns.fault = () => {
      const meets = fault !== undefined && call === fault.at;
      call += 1;
      return meets ? { error: providerError(fault.kind, { outcome: "unknown" }), lost: fault.lost } : undefined;
    };
    await this.world.run("game");
    dns.fault = () => undefined;
  }

  /** Addresses of the nodes that match; if none does, of those that would if they were not cordoned. */
  matching(): readonly string[] {
    const { candidates, cordoned } = this.world.snapshot("game");
    const nodes = candidates.length > 0 ? candidates : cordoned();
    return nodes.flatMap(({ addresses }) => addresses.find(({ type }) => type === "ExternalIP")?.address ?? []).sort();
  }

  private change(what: Exclude<Step["do"], "run" | "wait" | "foreign" | "restart">, node: string): void {
    const { world } = this;
    if (what === "add") {
      if (!world.nodes.has(node)) world.addNode(node);
    } else if (what === "remove") world.removeNode(node);
    else if (what === "renumber") world.change(node, { addresses: this.nextAddress() });
    else if (what === "replace") this.replace(node);
    else if (what === "cordon") world.change(node, { unschedulable: true });
    else world.setReady(node, what === "ready");
  }

  /** Another machine under the same name: the watch shows it as a change of the object, or as a late delete. */
  private replace(node: string): void {
    if (!this.world.nodes.has(node)) return;
    this.renumbered += 1;
    const providerID = `digitalocean://${node}-${this.renumbered}`;
    this.world.change(node, { uid: `uid-${node}-${this.renumbered}`, providerID, addresses: this.nextAddress() });
  }

  private nextAddress() {
    this.renumbered += 1;
    return [{ type: "ExternalIP", address: `192.0.2.${this.renumbered}` }];
  }

  private check(): void {
    const values = this.world.dns.values(NAME);
    expect(values, "never empty").to.not.deep.equal([]);
    for (const value of values) expect(this.allowed.has(value), `${value} is in no set`).to.equal(true);
  }
}

describe("any history of a node record set", function () {
  this.timeout(120_000);

  it("never empties it, nor shows an address of neither set, and comes to the right end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40, size: "max" }),
        fc.constantFrom(0, GRACE),
        async (steps, grace) => {
          const story = new Story(grace);
          for (const each of steps) await story.apply(each);
          await settle(story);
          const { world } = story;
          const expected = story.matching();
          const held = world.dns.values(NAME);
          if (expected.length > 0) expect(held).to.deep.equal(expected);
          expect(world.plan("game").sequences, "plan again: nothing to do").to.deep.equal([]);
          const from = world.dns.calls.length;
          const { status } = world.resource("game");
          await world.run("game");
          expect(world.dns.calls.length, "at rest nothing is called").to.equal(from);
          expect(world.resource("game").status, "at rest nothing is written").to.deep.equal(status);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keeps a node that may recover for its grace period, and not longer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(20), { maxLength: 8 }),
        async (seconds, attempts) => {
          const story = new Story(GRACE);
          await story.run(undefined);
          story.world.setReady("n1", false);
          await story.run(undefined);
          let waited = 0;
          for (const evaluate of attempts) {
            waited += evaluate;
            await story.world.clock.advance(evaluate * 1000);
            await story.run(undefined);
            expect(story.world.dns.values(NAME).includes("203.0.113.1")).to.equal(waited < GRACE);
          }
          await story.world.pass("game", (GRACE + seconds) * 1000);
          expect(story.world.dns.values(NAME)).to.not.include("203.0.113.1");
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Faults stop: everything that the plan waits for passes. */
async function settle({ world }: Story): Promise<void> {
  world.dns.afterStep = () => expect(world.dns.values(NAME), "never empty").to.not.deep.equal([]);
  await world.pass("game", 45 * 60_000);
  // A read may be due at the very end.
  await world.run("game");
}
