import type { AddressStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { desiredOf } from "../../../../src/addresses/desired-addresses.js";
import { isServed, observedOf, placementsOf } from "../../../../src/addresses/placements.js";
import { timestamp } from "../../../../src/clock.js";
import type { Plan } from "../../../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import { createView, type InventoryAddress, type ResourceRef } from "../../../../src/inventory/view.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { DUE_READ_MS, MOVE_MAX_AGE_SECONDS } from "../../../../src/timings.js";
import type { ModelCloud } from "../support/model-cloud.js";
import { actions, altered, assigned, cluster } from "../support/pool-plans.js";

const [A, B] = ["203.0.113.7", "203.0.113.8"];
const N1 = "digitalocean://n1";
const DNS = { recordName: "web.example.com", zone: "example.com" };
const OTHER: ResourceRef = { kind: "FloatingIPPool", namespace: "default", name: "other", uid: "u" };
const RUNNING = { [A]: { state: "in-progress" as const, providerID: N1, actionID: "7" } };

function able(cloud: ModelCloud, change: object): Pick<Snapshot, "capabilities"> {
  const { capabilities } = cloud.snapshot("web");
  if (capabilities === undefined) throw new Error("the model has capabilities");
  return { capabilities: { ...capabilities, ...change } };
}

describe("what the plan of a pool holds back", () => {
  it("does not run again at once for the read of an address that could not be made although it is due", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const { inventory } = cloud.snapshot("web");
    const requeueAfter = (rereadSeconds: number) =>
      (altered(cloud, { inventory: { ...inventory, rereadSeconds } }).requeueAt ?? 0) - cloud.now;
    expect([requeueAfter(0), requeueAfter(5)]).to.deep.equal([DUE_READ_MS, 5_000]);
  });

  it("looks at no action before the account has been read in full, and at none on another one's address", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    cloud.edit("web", { status: { ips: RUNNING } });
    const { inventory } = cloud.snapshot("web");
    expect(actions(altered(cloud, {}))).to.deep.equal(["poll"]);
    expect(actions(altered(cloud, { inventory: { ...inventory, complete: false } }))).to.deep.equal([]);
    const claim = { ours: false, owned: { owner: OTHER, basis: "uses" } } as const;
    expect(actions(altered(cloud, { claims: { addresses: new Map([[A, claim]]), names: [] } }))).to.deep.equal([]);
  });

  it("reads an address before it moves it, if the data is old", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const shown = (ageSeconds: number) => {
      const get = (ip: string) => ({ ip, family: "IPv4", region: "r", ageSeconds, unconfirmed: false }) as const;
      const made = altered(cloud, { inventory: { ...cloud.snapshot("web").inventory, get } });
      return made.sequences.find(({ lockKey }) => lockKey.includes(A))?.confirmFirst?.do;
    };
    expect(shown(MOVE_MAX_AGE_SECONDS)).to.equal(undefined);
    expect(shown(MOVE_MAX_AGE_SECONDS + 1)).to.equal("confirm-address");
  });

  it("writes neither records nor annotations while the spec can't be served, and asks for no node", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A, B], dnsRecordSet: DNS });
    cloud.addresses.set(A, N1);
    const problem = { reason: "Invalid", message: "a selector that is none" } as const;
    expect(actions(altered(cloud, {}))).to.include.members(["assign", "annotate-node", "apply-records"]);
    const made = altered(cloud, { problem });
    expect([actions(made), made.waitingNodes.wants]).to.deep.equal([[], 0]);
  });

  it("writes no record that a cleanup would have to delete before the finalizer stands", () => {
    const cloud = cluster(["n1"], { ips: [A], dnsRecordSet: { ...DNS, deletionPolicy: "Delete" } });
    cloud.addresses.set(A, N1);
    expect(actions(cloud.plan("web")))
      .to.include("add-finalizer")
      .and.not.include("apply-records");
    cloud.run("web");
    expect(actions(cloud.plan("web"))).to.include("apply-records");
  });

  it("creates no address that a cleanup would have to release before the finalizer stands", () => {
    const cloud = cluster(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete" });
    expect(actions(cloud.plan("web"))).to.deep.equal(["add-finalizer"]);
    cloud.run("web");
    expect(actions(cloud.plan("web"))).to.include("create-address");
  });

  it("creates nothing while a creation of its own runs", () => {
    const cloud = cluster(["n1"], { desiredIPs: 1 });
    expect(actions(altered(cloud, { creating: true }))).to.deep.equal([]);
  });

  it("takes no node from others while it is being deleted", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    expect(cloud.plan("web").waitingNodes.wants).to.equal(0);
  });

  it("keeps off a node that another one moves an address to, or creates one on", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const { inventory } = cloud.snapshot("web");
    const reservedFor = (node: string) => (node === N1 ? OTHER : undefined);
    expect(assigned(altered(cloud, {}))).to.deep.equal([A]);
    expect(assigned(altered(cloud, { inventory: { ...inventory, reservedFor } }))).to.deep.equal([]);
    expect(assigned(altered(cloud, { otherCreations: [{ resource: OTHER, node: N1 }] }))).to.deep.equal([]);
  });

  it("counts an address once that has arrived while its action still runs", () => {
    const cloud = cluster(["n1"], { ips: [A, B] });
    cloud.addresses.set(A, N1);
    cloud.edit("web", { status: { ips: RUNNING } });
    const { inventory } = cloud.snapshot("web");
    const get = (ip: string): InventoryAddress | undefined => {
      const seen = inventory.get(ip);
      return seen && ip === A ? { ...seen, action: { id: "7" } } : seen;
    };
    const change = { inventory: { ...inventory, get }, ...able(cloud, { addressesPerNode: 2 }) };
    expect(assigned(altered(cloud, change))).to.deep.equal([B]);
  });

  it("moves no address beyond those that should be up", () => {
    expect(assigned(cluster(["n1", "n2"], { ips: [A, B], desiredIPs: 1 }).plan("web"))).to.deep.equal([A]);
  });

  it("looks again no sooner than a read of the account takes that is due now", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const providerFailure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    const made = altered(cloud, { providerFailure, providerRetryAt: cloud.now - 5_000 });
    expect([made.sequences, made.requeueAt]).to.deep.equal([[], cloud.now + 1_000]);
  });
});

describe("what the plan of a pool remembers of a creation", () => {
  const intentOf = ({ sequences }: Plan) =>
    sequences.flatMap(actionsOf).flatMap((action) => (action.do === "record-intent" ? [action.intent] : []))[0];

  it("is whether the node has an address already", () => {
    const cloud = cluster(["n1"], { ips: [A], desiredIPs: 2 });
    const two = able(cloud, { addressesPerNode: 2 });
    cloud.addresses.set(A, N1);
    expect(intentOf(altered(cloud, two))).to.include({ providerID: N1, dropletHadAddress: true });
  });

  it("is which addresses there were, unassigned ones first", () => {
    const cloud = cluster(["n1"], { desiredIPs: 1 });
    const { inventory } = cloud.snapshot("web");
    const addresses = new Map(
      Array.from({ length: 900 }, (_, at): [string, InventoryAddress] => {
        const ip = `192.0.${Math.floor(at / 200)}.${at % 200}`;
        const base = { ip, family: "IPv4", region: "r", ageSeconds: 0, unconfirmed: false } as const;
        return [ip, at < 500 ? { ...base, holder: "digitalocean://x" } : base];
      }),
    );
    const seen = intentOf(altered(cloud, { inventory: { ...inventory, addresses } }))?.unassignedSeen ?? [];
    expect(seen).to.have.length(500);
    const unassigned = [...addresses.values()].filter(({ holder }) => holder === undefined).map(({ ip }) => ip);
    expect(seen).to.include.members(unassigned);
  });

  it("is no region where the provider has none", () => {
    const cloud = cluster([], { desiredIPs: 1 });
    const { region: _region, ...spec } = cloud.pool("web").spec;
    cloud.edit("web", { spec });
    expect(actions(altered(cloud, able(cloud, { regional: true })))).to.deep.equal([]);
    expect(actions(altered(cloud, able(cloud, { regional: false })))).to.include("create-address");
  });
});

describe("where the plan of a pool sees an address", () => {
  const N2 = "digitalocean://n2";

  /** @param was of the status. @param facts as the provider shows it */
  function placement(was: AddressStatus, facts: Partial<InventoryAddress>) {
    const cloud = cluster(["n1", "n2"], { ips: [A], gracePeriodSeconds: 60 });
    for (const name of ["n1", "n2"]) cloud.setReady(name, false);
    cloud.edit("web", { status: { ips: { [A]: was } } });
    const snapshot = cloud.snapshot("web");
    const seen = { ip: A, family: "IPv4", region: "r", ageSeconds: 0, unconfirmed: false, ...facts } as const;
    const altered = { ...snapshot, inventory: { ...snapshot.inventory, get: () => seen } };
    const [only] = placementsOf(altered, observedOf(altered, desiredOf(altered)));
    if (only === undefined) throw new Error("the pool has one address");
    return { ...only, now: cloud.now };
  }
  const moving = { state: "in-progress", providerID: N1, actionID: "7" } as const;
  const leaving = { state: "disabled", providerID: N1, actionID: "7" } as const;

  const actionCases: readonly (readonly [string, AddressStatus, Partial<InventoryAddress>, object | undefined])[] = [
    ["on its way, though the API shows no action", moving, {}, { id: "7", expected: N1 }],
    ["there, once the holder is the expected one", moving, { holder: N1 }, undefined],
    ["leaving its node where it is disabled", leaving, { holder: N1 }, { id: "7", expected: undefined }],
    ["there, once a disabled one has left", leaving, {}, undefined],
    [
      "on its way by the id of the status where the API returns none",
      moving,
      { action: {} },
      { id: "7", expected: N1 },
    ],
    [
      "in the hands of somebody else, who leaves it where it is",
      { state: "active", providerID: N1 },
      { holder: N2, action: { id: "9" } },
      { id: "9", expected: N2 },
    ],
  ];
  for (const [what, was, facts, action] of actionCases) {
    it(`is ${what}`, () => {
      const seen = placement(was, facts);
      expect(seen.action).to.deep.equal(action);
      expect(seen.certainty).to.equal(action === undefined ? "seen" : "moving");
      if (action !== undefined) expect(isServed(seen)).to.equal(false);
    });
  }

  it("counts grace from the time of its holder, which is the other end while it moves", () => {
    const since = (was: AddressStatus) => {
      const { grace, now } = placement({ ...was, graceSince: timestamp(Date.UTC(2024, 0, 1)) }, { holder: N1 });
      return grace?.state === "matches" || grace === undefined ? undefined : grace.since - now;
    };
    expect(since({ state: "active", providerID: N2 }), "of another holder").to.equal(0);
    expect(since({ ...moving, providerID: N2 }), "of the holder that it leaves").to.be.lessThan(0);
    expect(since({ state: "active", providerID: N1 })).to.be.lessThan(0);
  });

  it("waits for no cool-off that a clock of the future has begun, and for none longer than it lasts", () => {
    const cloud = cluster(["n1"], { ips: [A], assignmentCoolOffSeconds: 60 });
    const begun = (seconds: number) => {
      cloud.edit("web", { status: { lastAssignmentTime: timestamp(cloud.now + seconds * 1000) } });
      return cloud.plan("web");
    };
    expect(assigned(begun(600))).to.deep.equal([A]);
    const ahead = begun(30);
    expect([assigned(ahead), ahead.requeueAt]).to.deep.equal([[], cloud.now + 60_000]);
  });

  it("minds regions only where addresses are bound to them, and misses none while a node may be anywhere", () => {
    const cloud = cluster([], { ips: [A, B] });
    const cachedStates = new Map(
      [A, B].map((ip) => [ip, { facts: { ip, family: "IPv4" as const, region: "nyc3" }, at: 0 }] as const),
    );
    const inventory = createView({ now: 0, listedAt: 0, cachedStates, gone: new Map(), reservations: new Map() });
    cloud.addNode("anywhere");
    const made = altered(cloud, { inventory, ...able(cloud, { regional: true }) });
    expect(assigned(made)).to.deep.equal([A]);
    expect(made.conditions.find(({ type }) => type === "Fulfilled")?.reason).to.not.equal("WrongRegion");
    cloud.addNode("far", { labels: { "topology.kubernetes.io/region": "ams3" } });
    expect(assigned(altered(cloud, { inventory, ...able(cloud, { regional: false }) }))).to.have.members([A, B]);
  });
});
