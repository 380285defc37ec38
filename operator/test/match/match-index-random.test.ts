import type { Match } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import type { SlimNode, SlimPod } from "../../src/kube/cache/slim-objects.js";
import type { Refusal, Verdict } from "../../src/match/checks.js";
import type { MatchIndex } from "../../src/match/match-index.js";
import { slimPod } from "../support/kube/objects.js";
import { readyCondition, slimNode, taint } from "./cluster.js";
import { IndexRig } from "./index-rig.js";

/** Few names, so that they meet; machines are fewer still, so that some are named twice. */
const NODES = ["a", "b", "c", "d"];
const MACHINES = ["digitalocean://1", "digitalocean://2", "digitalocean://3"];

const match: fc.Arbitrary<Match> = fc.record(
  {
    nodeLabel: fc.constantFrom("pool=web", "pool!=web", ""),
    podLabel: fc.constantFrom("app=web", "app"),
    tolerations: fc.constantFrom([], [{ operator: "Exists" }]),
  },
  { requiredKeys: [] },
);

const node: fc.Arbitrary<SlimNode> = fc
  .record({
    name: fc.constantFrom(...NODES),
    uid: fc.constantFrom("1", "2"),
    providerID: fc.constantFrom(undefined, ...MACHINES),
    labels: fc.constantFrom({}, { pool: "web" }),
    unschedulable: fc.boolean(),
    taints: fc.constantFrom(undefined, [taint("x")], [taint("node.kubernetes.io/not-ready")]),
    conditions: fc.constantFrom([readyCondition("True")], [readyCondition("Unknown")]),
    kubeletVersion: fc.constantFrom("v1.31.0", "v1.32.0"),
  })
  .map(({ name, uid, ...more }) => slimNode(name, { ...more, uid: `${name}-${uid}` }));

const pod: fc.Arbitrary<SlimPod> = fc
  .record({
    name: fc.constantFrom("p", "q", "r"),
    labels: fc.constantFrom({}, { app: "web" }, { app: "db" }),
    nodeName: fc.constantFrom(undefined, ...NODES),
    ready: fc.boolean(),
  })
  .map(({ name, ...more }) => slimPod(name, more));

const step = fc.oneof(
  { weight: 5, arbitrary: node.map((object) => (rig: IndexRig) => rig.nodes.upsert(object)) },
  { weight: 2, arbitrary: node.map((object) => (rig: IndexRig) => rig.nodes.remove(object)) },
  { weight: 5, arbitrary: pod.map((object) => (rig: IndexRig) => rig.pods.upsert(object)) },
  { weight: 2, arbitrary: pod.map((object) => (rig: IndexRig) => rig.pods.remove(object)) },
  { weight: 1, arbitrary: match.map((spec) => (rig: IndexRig) => rig.rematch(spec)) },
);
const history = fc.tuple(match, fc.array(step, { maxLength: 40 }));

/** What a listener knows that applies every change that it gets. */
class Mirror {
  private readonly seen = new Map<string, Verdict>();
  private received = 0;

  catchUp({ changes }: IndexRig): ReadonlyMap<string, Verdict> {
    for (const { name, before, after } of changes.slice(this.received)) {
      expect(before, `${name} changes from what the listener knows`).to.equal(this.seen.get(name));
      if (after === undefined) this.seen.delete(name);
      else this.seen.set(name, after);
    }
    this.received = changes.length;
    return this.seen;
  }
}

describe("the index of a match, in random histories", () => {
  it("is after each event what an index made anew is", () => {
    fc.assert(
      fc.property(history, ([spec, steps]) => {
        const rig = new IndexRig(spec);
        for (const apply of steps) {
          apply(rig);
          const fresh = rig.fresh();
          expect(rig.candidates()).to.deep.equal(rig.candidates(fresh));
          for (const name of NODES) expect(world(rig.index, name)).to.deep.equal(fresh.verdict(name)?.refusals);
          expect(rig.index.tally()).to.deep.equal(fresh.tally());
        }
      }),
    );
  });

  it("has reported to its listener all that the listener needs to have the same candidates", () => {
    fc.assert(
      fc.property(history, ([spec, steps]) => {
        const [rig, mirror] = [new IndexRig(spec), new Mirror()];
        for (const apply of steps) {
          apply(rig);
          const known = [...mirror.catchUp(rig).values()].filter(({ refusals }) => refusals.length === 0);
          expect(new Set(known.map((verdict) => verdict.node))).to.deep.equal(new Set(rig.index.candidates()));
        }
      }),
    );
  });

  it("has reported all changes of each holder", () => {
    fc.assert(
      fc.property(history, ([spec, steps]) => {
        const [rig, mirror] = [new IndexRig(spec), new Mirror()];
        rig.index.watchHolders(MACHINES);
        for (const apply of steps) {
          apply(rig);
          const known = mirror.catchUp(rig);
          for (const machine of MACHINES) {
            const verdict = rig.index.verdictOfMachine(machine);
            if (verdict !== undefined) expect(known.get(verdict.node.name)).to.deep.equal(verdict);
          }
        }
      }),
    );
  });

  it("never has two candidates of one machine", () => {
    fc.assert(
      fc.property(history, ([spec, steps]) => {
        const rig = new IndexRig(spec);
        for (const apply of steps) apply(rig);
        const machines = rig.index.candidates().map(({ machine }) => machine);
        expect(new Set(machines).size).to.equal(machines.length);
      }),
    );
  });
});

/** Refusals for the state of the world; an edit is the past, which a new index can't know. */
function world(index: MatchIndex, name: string): readonly Refusal[] | undefined {
  return index.verdict(name)?.refusals.filter(({ reason }) => reason !== "MatchEdited");
}
