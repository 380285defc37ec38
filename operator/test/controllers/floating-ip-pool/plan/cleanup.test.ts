import { Annotation, Finalizer, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { ownerName } from "../../../../src/addresses/annotations.js";
import { timestamp } from "../../../../src/clock.js";
import type { Snapshot } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import { createView, type InventoryAddress, type ResourceRef } from "../../../../src/inventory/view.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { FORGET_AFTER_MS } from "../../../../src/timings.js";
import type { ModelCloud } from "../support/model-cloud.js";
import { NO_MEMORY } from "../support/no-memory.js";
import { actions, altered, cluster, rest } from "../support/pool-plans.js";

const A = "203.0.113.7";
const DNS = { recordName: "web.example.com", zone: "example.com" };
const OTHER: ResourceRef = { kind: "FloatingIPPool", namespace: "default", name: "other", uid: "u" };

function open(cloud: ModelCloud): NonNullable<FloatingIPPoolStatus["pendingCreation"]> {
  return { startedAt: timestamp(cloud.now), provider: "digitalocean", family: "IPv4" };
}

describe("the cleanup of a pool", () => {
  function going(nodes: readonly string[], spec: Parameters<ModelCloud["addPool"]>[1], finalizers?: string[]) {
    const cloud = cluster(nodes, spec);
    for (let round = 0; round < 10; round++) cloud.run("web");
    const { metadata } = cloud.pool("web");
    const at = timestamp(cloud.now);
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: at, ...(finalizers && { finalizers }) } });
    return cloud;
  }

  it("gives nothing back before the account has been read in full", () => {
    const cloud = going(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete" });
    const { inventory } = cloud.snapshot("web");
    expect(actions(cloud.plan("web"))).to.include("release");
    expect(actions(altered(cloud, { inventory: { ...inventory, complete: false } }))).to.deep.equal([]);
  });

  it("does not announce addresses for a pool that goes", () => {
    const cloud = cluster(["n1"], { ips: [A, "203.0.113.8"] });
    const { metadata } = cloud.pool("web");
    const deletionTimestamp = timestamp(cloud.now);
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp, finalizers: [Finalizer.cleanup] } });
    const fulfilled = cloud.plan("web").conditions.find(({ type }) => type === "Fulfilled");
    expect(fulfilled?.message).to.equal(
      "0 of 2 addresses are active: the resource is being deleted, so the operator assigns and creates no address for it",
    );
    expect(fulfilled?.status).to.equal("Unknown");
  });

  it("takes annotations off at once while addresses wait, and in any case before the pool goes", () => {
    const dnsRecordSet = { ...DNS, deletionPolicy: "Delete" as const };
    const waiting = going(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet });
    expect(actions(waiting.plan("web")))
      .to.include("unannotate-node")
      .and.not.include("remove-finalizer");
    const done = going(["n1"], { ips: [A] }, [Finalizer.cleanup]);
    expect(done.nodes.get("n1")?.annotations[Annotation.reservedIpv4Owner]).to.equal(
      ownerName(done.pool("web").metadata),
    );
    expect(actions(done.plan("web"))).to.deep.equal(["unannotate-node", "remove-finalizer"]);
  });

  it("does not report listed addresses as left behind: they are not the pool's to release", () => {
    const cloud = going(["n1"], { ips: [A], reclaimPolicy: "Delete" }, [Finalizer.cleanup]);
    const last = cloud.plan("web").sequences.flatMap(actionsOf).at(-1);
    expect(last).to.deep.include({ do: "remove-finalizer", abandonedItems: [] });
  });

  it("says until when the last of its addresses may still be in caches of its DNS name", () => {
    const dnsRecordSet = { ...DNS, deletionPolicy: "Delete" as const };
    const cloud = going(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet }, [Finalizer.cleanup]);
    const { ips = {}, dns: _gone, ...status } = cloud.pool("web").status;
    const until = (seconds: number) => ({ state: "disabled" as const, retryAt: timestamp(cloud.now + seconds * 1000) });
    const draining = Object.fromEntries(
      Object.keys(ips).map((ip, index) => [ip, { ...ips[ip], ...until(60 - index) }]),
    );
    cloud.edit("web", { status: { ...status, ips: draining } });
    expect(Object.keys(draining)).to.have.length(2);
    expect(cloud.plan("web").deletion?.until).to.equal(cloud.now + 60_000);
  });

  it("is none without our finalizer", () => {
    expect(actions(going(["n1"], { ips: [A] }, []).plan("web"))).to.deep.equal([]);
  });

  it("waits for the end of an open creation under Delete, which keeps the finalizer, too", () => {
    const cloud = going(["n1"], { ips: [A], desiredIPs: 1, reclaimPolicy: "Delete" }, [Finalizer.cleanup]);
    cloud.edit("web", { status: { ...cloud.pool("web").status, pendingCreation: open(cloud) } });
    expect(actions(cloud.plan("web"))).to.not.include("remove-finalizer");
    const { deletionTimestamp: _gone, ...metadata } = cloud.pool("web").metadata;
    cloud.edit("web", { metadata });
    expect(actions(cloud.plan("web"))).to.not.include("remove-finalizer");
  });

  /** A pool that was made smaller under Delete, and the address that it does not want any more. */
  function shrunk() {
    const cloud = cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet: DNS });
    for (let round = 0; round < 10; round++) cloud.run("web");
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, desiredIPs: 1 } });
    for (let round = 0; round < 10; round++) cloud.run("web");
    const ip = cloud.plan("web").addresses.find(({ status }) => status.state === "disabled")?.ip ?? "";
    return { cloud, ip };
  }

  it("releases under Delete what it disabled while the policy was Retain", () => {
    const cloud = cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Retain" });
    for (let round = 0; round < 10; round++) cloud.run("web");
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, desiredIPs: 1 } });
    for (let round = 0; round < 10; round++) cloud.run("web");
    expect(cloud.addresses.size).to.equal(2);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, reclaimPolicy: "Delete" } });
    for (let round = 0; round < 10; round++) cloud.run("web");
    expect(cloud.addresses.size).to.equal(1);
  });

  it("releases what it took out of the list before a crash", () => {
    const { cloud, ip } = shrunk();
    cloud.now += 60_000;
    const { spec } = cloud.pool("web");
    cloud.edit("web", { spec: { ...spec, ips: (spec.ips ?? []).filter((listed) => listed !== ip) } });
    expect(actions(cloud.plan("web"))).to.deep.equal(["unassign", "release"]);
    for (let round = 0; round < 10; round++) cloud.run("web");
    expect([cloud.addresses.has(ip), cloud.pool("web").status.createdIPs?.length]).to.deep.equal([false, 1]);
  });

  it("gives back what is seen and its own, one TTL after it has left DNS", () => {
    const { cloud, ip } = shrunk();
    expect(actions(cloud.plan("web")), "before").to.deep.equal([]);
    cloud.now += 60_000;
    expect(actions(cloud.plan("web"))).to.deep.equal(["drop-from-spec", "unassign", "release"]);
    const { inventory, set, claims } = cloud.snapshot("web");
    const shown = (more: object) => ({
      inventory: {
        ...inventory,
        get: (asked: string) => inventory.get(asked) && { ...(inventory.get(asked) as InventoryAddress), ...more },
      },
    });
    const claim = { ours: false, owned: { owner: OTHER, basis: "uses" } } as const;
    const changes: Readonly<Record<string, Partial<Snapshot>>> = {
      unconfirmed: shown({ unconfirmed: true }),
      borrowed: shown({ borrowed: true }),
      "of another resource": { claims: { ...claims, addresses: new Map([...claims.addresses, [ip, claim]]) } },
      published: { set: { ...set, ...(set.writtenDns && { writtenDns: { ...set.writtenDns, values: [ip] } }) } },
    };
    for (const [what, change] of Object.entries(changes)) {
      expect(actions(altered(cloud, change)), what).to.not.include("release");
    }
  });

  it("waits for one TTL at most when the clock of a former leader was ahead, and writes the new time once", () => {
    const { cloud, ip } = shrunk();
    const { ips = {}, ...status } = cloud.pool("web").status;
    const ahead = timestamp(cloud.now + 6 * 3_600_000);
    const since = timestamp(cloud.now + 6 * 3_600_000 - 60_000);
    cloud.edit("web", { status: { ...status, ips: { ...ips, [ip]: { ...ips[ip], since, retryAt: ahead } } } });
    const end = timestamp(cloud.now + 60_000);
    for (let round = 0; round < 3; round++) {
      cloud.run("web");
      expect(cloud.pool("web").status.ips?.[ip]?.retryAt).to.equal(end);
      cloud.now += 5_000;
    }
    cloud.now += 45_000;
    expect(actions(cloud.plan("web"))).to.include("release");
  });

  it("waits as long as resolvers may have an address, though its TTL is shorter now", () => {
    const { cloud, ip } = shrunk();
    const { ips = {}, ...status } = cloud.pool("web").status;
    const end = timestamp(cloud.now + 30 * 60_000);
    cloud.edit("web", { status: { ...status, ips: { ...ips, [ip]: { ...ips[ip], retryAt: end } } } });
    cloud.run("web");
    expect(cloud.pool("web").status.ips?.[ip]?.retryAt).to.equal(end);
  });

  it("forgets what does not exist any more, the spec first, if no resource wants it", () => {
    const { cloud, ip } = shrunk();
    cloud.addresses.delete(ip);
    expect(actions(cloud.plan("web"))).to.deep.equal(["drop-from-spec", "annotate-pool", "forget-created"]);
    const wanted = cluster(["n1"], { desiredIPs: 1 });
    for (let round = 0; round < 10; round++) wanted.run("web");
    wanted.addresses.clear();
    expect(actions(wanted.plan("web"))).to.not.include("forget-created");
    wanted.edit("web", { spec: { ...wanted.pool("web").spec, ips: [] } });
    expect(actions(wanted.plan("web")), "a person has taken it out").to.include("forget-created");
  });

  it("keeps its finalizer without its status, and names the created addresses that it does not release", () => {
    const cloud = cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete" });
    for (let round = 0; round < 10; round++) cloud.run("web");
    const ips = [...cloud.addresses.keys()];
    cloud.edit("web", { status: {}, spec: { ...cloud.pool("web").spec, desiredIPs: 1 } });
    for (let round = 0; round < 10; round++) cloud.run("web");
    const { metadata } = cloud.pool("web");
    expect([metadata.finalizers, [...cloud.addresses.keys()]]).to.deep.equal([[Finalizer.cleanup], ips]);
    const accepted = cloud.plan("web").conditions.find(({ type }) => type === "Accepted");
    expect(accepted).to.include({ status: "True", reason: "OwnershipInferred" });
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    const last = cloud.plan("web").sequences.flatMap(actionsOf).at(-1);
    const abandonedItems = ips.map((ip) => `address ${ip}`);
    expect(last).to.deep.include({ do: "remove-finalizer", abandonedItems });
  });

  it("leaves a borrowed address where it is", () => {
    const cloud = going(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete" });
    const { inventory } = cloud.snapshot("web");
    const get = (ip: string): InventoryAddress | undefined => {
      const seen = inventory.get(ip);
      return seen && { ...seen, borrowed: true };
    };
    const made = altered(cloud, { inventory: { ...inventory, get } });
    expect(actions(made)).to.include("remove-finalizer").and.not.include("release");
  });

  it("cleans up a deleted pool under Delete, then lets it go", () => {
    const dnsRecordSet = { ...DNS, deletionPolicy: "Delete" as const };
    const cloud = rest(cluster(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet }));
    const { metadata } = cloud.pool("web");
    expect(metadata.finalizers).to.deep.equal([Finalizer.cleanup]);
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    rest(cloud);
    expect([cloud.zone.get(DNS.recordName), cloud.addresses.size]).to.deep.equal([[], 1]);
    cloud.now += 60_000;
    rest(cloud);
    expect([cloud.addresses.size, cloud.pool("web").metadata.finalizers]).to.deep.equal([0, []]);
    expect(cloud.nodes.get("n1")?.annotations).to.deep.equal({});
  });

  it("waits as long as resolvers keep a record with the TTL 1, which is automatic at Cloudflare", () => {
    const dnsRecordSet = { ...DNS, ttl: 1, deletionPolicy: "Delete" as const };
    const cloud = rest(cluster(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet }));
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    rest(cloud);
    for (const [ms, left] of [[299_000, 1] as const, [1_000, 0] as const]) {
      cloud.now += ms;
      expect(rest(cloud).addresses.size).to.equal(left);
    }
  });

  it("forgets an address that is to be released only after it has been missing for 10 minutes", () => {
    const cloud = going(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete" });
    const { inventory } = cloud.snapshot("web");
    const [ip = ""] = inventory.addresses.keys();
    const missing = (sinceMs: number) => {
      const view = createView({
        ...{ now: 0, listedAt: 0, cachedStates: new Map(), reservations: new Map() },
        gone: new Map([[ip, -sinceMs]]),
      });
      return altered(cloud, { inventory: view });
    };
    const early = missing(FORGET_AFTER_MS - 1);
    expect(actions(early)).to.not.include("forget-created").and.not.include("remove-finalizer");
    expect(early.deletion?.left).to.deep.equal([
      `address ${ip}, which the account does not have now: it counts as gone after 10 minutes`,
    ]);
    expect(actions(missing(FORGET_AFTER_MS))).to.include("forget-created");
  });

  it("releases nothing that an unread resource may list, shows that, and still lets the pool go at the deadline", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete" }));
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    const { claims } = cloud.snapshot("web");
    const addresses = new Map([...claims.addresses.keys()].map((ip) => [ip, { ours: true, unread: true } as const]));
    const unread = { claims: { ...claims, addresses } };
    const waiting = altered(cloud, unread);
    expect(actions(cloud.plan("web")), "read").to.include("release");
    expect(actions(waiting)).to.not.include("release").and.not.include("remove-finalizer");
    const accepted = waiting.conditions.find(({ type }) => type === "Accepted");
    expect(accepted).to.include({ status: "True", reason: "UnderWay" });
    expect(accepted?.message).to.match(
      /releases 198\.51\.100\.1 after it has read all pools, RoutedIPs and NodeDNSRecordSets/,
    );
    expect(waiting.addresses[0]?.status).to.include({ state: "disabled", reason: "UnderWay" });
    expect(waiting.requeueAt, "the next attempt").to.equal(cloud.now + 60_000);
    cloud.now += 3_600_000;
    const memory = { ...NO_MEMORY, cleanup: { attempts: 10, since: cloud.now - 600_000 } };
    const last = altered(cloud, { ...unread, memory })
      .sequences.flatMap(actionsOf)
      .at(-1);
    expect(last).to.deep.include({ do: "remove-finalizer", abandonedItems: ["address 198.51.100.1"] });
  });

  it("lets a pool go at the deadline, and names what stays behind", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1, reclaimPolicy: "Delete" }));
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    cloud.now += 3_600_000;
    const { inventory } = cloud.snapshot("web");
    const cleanup = { attempts: 10, since: cloud.now - 600_000 };
    const unread = { inventory: { ...inventory, complete: false } };
    const last = altered(cloud, { ...unread, memory: { ...NO_MEMORY, cleanup } })
      .sequences.flatMap(actionsOf)
      .at(-1);
    expect(last).to.deep.include({ do: "remove-finalizer", abandonedItems: ["address 198.51.100.1"] });
    expect(actions(altered(cloud, { ...unread, memory: NO_MEMORY }))).to.not.include("remove-finalizer");
  });
});
