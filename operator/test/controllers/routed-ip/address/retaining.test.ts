import { expect } from "chai";
import { describe, it } from "mocha";
import type { Placement } from "../../../../src/addresses/placements.js";
import { retaining, supersededChain } from "../../../../src/controllers/routed-ip/address/address-set.js";
import { retainingRecords } from "../../../../src/controllers/routed-ip/deletion.js";
import type { Snapshot } from "../../../../src/controllers/routed-ip/snapshot.js";
import type { RoutedIP } from "../../../../src/routing/read-resources.js";

describe("the address that a RoutedIP leaves to its namespace", () => {
  const of = (status: RoutedIP["status"]) =>
    retaining({ metadata: { namespace: "shop" }, status } as unknown as RoutedIP).map(({ retained }) => retained);

  it("is the one that it created", () => {
    const status = { created: true, routedIP: "203.0.113.7" };
    expect(of(status)).to.deep.equal([{ address: { ip: "203.0.113.7", namespace: "shop" } }]);
    expect(of({ ...status, inferred: false })).to.have.length(1);
  });

  it("is none that it did not create, or whose creation is only inferred", () => {
    expect(of({ routedIP: "203.0.113.7" })).to.deep.equal([]);
    expect(of({ created: true })).to.deep.equal([]);
    expect(of({ created: true, routedIP: "203.0.113.7", inferred: true })).to.deep.equal([]);
  });
});

describe("the record set that a RoutedIP leaves to its namespace", () => {
  const DNS = {
    ...{ provider: "digitalocean", zone: "example.com", recordName: "www" },
    ...{ types: ["A" as const], values: ["203.0.113.7"] },
  };
  const of = (status: RoutedIP["status"], spec: object = {}) =>
    retainingRecords({ metadata: { namespace: "shop" }, spec, status } as unknown as RoutedIP).map(
      ({ retained }) => retained,
    );

  it("is the one that it wrote, if the policy keeps it", () => {
    expect(of({ dns: DNS })).to.deep.equal([{ records: { ...DNS, namespace: "shop" } }]);
    expect(of({ dns: DNS }, { dnsRecordSet: { deletionPolicy: "Delete" } })).to.deep.equal([]);
    expect(of({ dns: { ...DNS, values: [] } }), "nothing is in it").to.deep.equal([]);
    expect(of({})).to.deep.equal([]);
  });
});

describe("the address that a RoutedIP created, while spec.routedIP names another one that serves", () => {
  const POOL = { kind: "FloatingIPPool", namespace: "ingress", name: "web", uid: "pool" };
  const [IP, NEXT] = ["203.0.113.7", "203.0.113.8"];
  const chain = (claim: object, more: Partial<Placement> = {}, needsNode = false) => {
    const status = { created: true, routedIP: IP };
    const routed = { metadata: {}, spec: { routedIP: NEXT }, status };
    const createdIPs = [{ ip: IP, createdTime: "2026-01-01T10:00:00Z", inSpec: true }];
    const snapshot = { routed, set: { ...routed, createdIPs, reclaimPolicy: "Retain" } } as unknown as Snapshot;
    const placement = {
      address: { ip: IP, origin: "created", claim },
      certainty: "seen",
      ...more,
    } as unknown as Placement;
    const grace = needsNode ? undefined : { state: "matches" };
    const next = { address: { ip: NEXT, wanted: true, claim: { ours: true } }, grace } as unknown as Placement;
    return supersededChain(snapshot, [placement], { next, needsNode });
  };
  const whyOf = (...args: Parameters<typeof chain>) => chain(...args).at(-1)?.why;

  it("stays in the account, unless another resource has or gets it, or it is gone", () => {
    const seen = "spec.routedIP is 203.0.113.8 now; 203.0.113.7";
    expect(whyOf({ ours: true })).to.equal(`${seen} stays in the account`);
    expect(whyOf({ ours: true }, { certainty: "gone" })).to.equal(`${seen} is no longer in the account`);
    expect(whyOf({ ours: true, askedBy: POOL })).to.equal(`${seen} goes to FloatingIPPool ingress/web`);
    const passed = chain({ ours: true, askedBy: POOL }).find((action) => action.do === "pass-on");
    expect(passed, "before it is forgotten").to.deep.include({ ip: IP, heir: POOL, retained: true });
    expect(whyOf({ ours: false, owned: { owner: POOL } })).to.equal(`${seen} goes to FloatingIPPool ingress/web`);
  });

  it("leaves its node before the next one serves only if that one needs the node", () => {
    const held = { holder: "digitalocean://1", verdict: {} } as Partial<Placement>;
    expect(chain({ ours: true }, held, true).map((action) => action.do)).to.deep.equal(["unassign"]);
    const waits = { next: undefined, needsNode: false };
    const routed = { metadata: {}, spec: { routedIP: NEXT }, status: { created: true, routedIP: IP } };
    const placement = {
      address: { ip: IP, claim: { ours: true } },
      certainty: "seen",
      ...held,
    } as unknown as Placement;
    expect(supersededChain({ routed } as unknown as Snapshot, [placement], waits)).to.deep.equal([]);
  });
});
