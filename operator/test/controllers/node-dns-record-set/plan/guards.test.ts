import { expect } from "chai";
import { describe, it } from "mocha";
import { plan } from "../../../../src/controllers/node-dns-record-set/plan.js";
import type { Snapshot } from "../../../../src/controllers/node-dns-record-set/resource.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { NAME, settled, World, ZONE } from "../world.js";

const MINUTE = 60_000;
const SET = { zone: ZONE, recordName: NAME };

function altered(world: World, change: (snapshot: Snapshot) => Partial<Snapshot>) {
  const snapshot = world.snapshot("game");
  const made = plan({ ...snapshot, ...change(snapshot) });
  return { ...made, actions: made.sequences.flatMap(actionsOf).map((action) => action.do) };
}

describe("what the plan of a node record set holds back", () => {
  /** A set with no node left, whose nodes are gone for long. */
  async function abandoned() {
    const world = await settled(["n1"], { emptyPolicy: "Delete" });
    const gone = ({ now }: Snapshot) => ({
      candidates: [],
      verdictOf: () => undefined,
      noNode: { since: now - 10 * MINUTE, connected: true },
    });
    return { world, gone };
  }

  it("empties a set whose nodes are gone, not while somebody is published, nor under a name that it never wrote", async () => {
    const { world, gone } = await abandoned();
    expect(altered(world, gone).actions).to.deep.equal(["apply-records", "record-dns"]);
    const there = (snapshot: Snapshot) => ({ noNode: gone(snapshot).noNode });
    expect(altered(world, there).actions, "a node is there").to.deep.equal([]);
    const renamed = ({ resource }: Snapshot) => {
      const spec = { ...resource.spec, dnsRecordSet: { ...SET, recordName: "new.example.com" } };
      return { resource: { ...resource, spec } };
    };
    const made = altered(world, (snapshot) => ({ ...gone(snapshot), ...renamed(snapshot) }));
    expect(made.actions, "another name").to.not.include("apply-records");
  });

  it("looks at a set that it never wrote once, when calls may be made", async () => {
    const world = new World();
    world.add("game");
    expect(altered(world, () => ({})).actions).to.deep.equal(["read-records"]);
    const later = altered(world, ({ dns, now }) => ({ dns: { ...dns, retryAt: now + MINUTE } }));
    expect([later.actions, later.requeueAt]).to.deep.equal([[], world.clock.now() + MINUTE]);
    const fought = altered(world, ({ now }) => ({ reverts: [now - 3, now - 2, now - 1] }));
    expect([fought.actions, fought.requeueAt]).to.deep.equal([[], world.clock.now() - 1 + 10 * MINUTE]);
  });

  it("reads the set again after a failure though no node is left, or the failure would be reported for ever", async () => {
    const { world, gone } = await abandoned();
    const failed = (snapshot: Snapshot, retryInMs: number) => {
      const { noNode: _absence, ...nodes } = gone(snapshot);
      const failure = { reason: "ProviderUnavailable", message: "no answer" } as const;
      const dns = { ...snapshot.dns, records: "unknown", failure, retryAt: snapshot.now + retryInMs } as const;
      return { ...nodes, dns };
    };
    expect(altered(world, (snapshot) => failed(snapshot, 1)).actions).to.deep.equal([]);
    expect(altered(world, (snapshot) => failed(snapshot, 0)).actions).to.deep.equal(["read-records"]);
  });

  it("goes on publishing until it is decided which resource has the name", async () => {
    const world = await settled(["n1"]);
    const made = altered(world, () => ({ ours: [], lost: [] }));
    expect(made.intended.map(({ address }) => address)).to.deep.equal(["203.0.113.1"]);
  });

  it("looks at nothing again while it is paused", async () => {
    const world = await settled(["n1"]);
    expect(world.plan("game").requeueAt).to.not.equal(undefined);
    world.edit("game", { paused: true });
    expect(world.plan("game").requeueAt).to.equal(undefined);
  });

  it("publishes more than a handful, and passes over what is no address", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
    const world = await settled(names);
    expect(world.plan("game").counts).to.deep.include({ published: 12 });
    const odd = ({ candidates }: Snapshot) => ({
      candidates: candidates.map((node) => ({
        ...node,
        addresses: [{ type: "ExternalIP", address: "not-an-address" }, ...node.addresses],
      })),
    });
    expect(altered(world, odd).actions).to.deep.equal([]);
  });
});
