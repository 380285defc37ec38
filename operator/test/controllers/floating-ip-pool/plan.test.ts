import { Annotation, Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { OtherCreation } from "../../../src/addresses/address-set.js";
import { MOVE_MAX_AGE_SECONDS } from "../../../src/bounds.js";
import { timestamp } from "../../../src/clock.js";
import { type Plan, plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { ModelCloud } from "./model-cloud.js";
import { NO_MEMORY } from "./no-memory.js";

const [A, B, C] = ["203.0.113.7", "203.0.113.8", "203.0.113.9"];
const DNS = { recordName: "web.example.com", zone: "example.com" };

function actions({ sequences }: Plan): readonly string[] {
  return sequences.flatMap(actionsOf).map((action) => action.do);
}

function condition({ conditions }: Plan, type: string): string {
  const { status, reason } = conditions.find((each) => each.type === type) ?? {};
  return `${status}/${reason}`;
}

/** Runs until nothing is left to do. */
function rest(cloud: ModelCloud, name = "web"): ModelCloud {
  for (let round = 0; round < 20 && cloud.plan(name).sequences.length > 0; round++) cloud.run(name);
  // One more, which writes what the last plan says.
  cloud.run(name);
  return cloud;
}

function cluster(nodes: readonly string[], spec: Parameters<ModelCloud["addPool"]>[1]): ModelCloud {
  const cloud = new ModelCloud();
  for (const name of nodes) cloud.addNode(name);
  cloud.addPool("web", spec);
  return cloud;
}

function altered(cloud: ModelCloud, change: Partial<Snapshot>): Plan {
  return plan({ ...cloud.snapshot("web"), ...change });
}

describe("the plan of a pool", () => {
  it("reads like a sentence", () => {
    const cloud = rest(cluster(["node-3"], { ips: [A], gracePeriodSeconds: 10, assignmentCoolOffSeconds: 60 }));
    cloud.setReady("node-3", false);
    cloud.run("web");
    for (const name of ["node-4", "node-5", "node-6"]) cloud.addNode(name);
    cloud.now += 12_000;
    cloud.addNode("node-9");
    for (const ip of [B, C]) cloud.addresses.set(ip, "digitalocean://elsewhere");
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [A, B, C] }, status: { ...cloud.pool("web").status } });
    const { status } = cloud.pool("web");
    const { lastAssignmentTime: _last, ...unhurried } = status;
    cloud.edit("web", { status: unhurried });
    expect(cloud.plan("web").explanation).to.equal(
      "web: 203.0.113.7 moves from node-3 (NotReady for 12 s, grace 10 s over) to node-9 (youngest of 4 candidates); " +
        "2 others wait for the cool-off until 2025-06-01T10:01:12Z.",
    );
  });

  it("takes unassigned addresses first, then the longest-released", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A, B, C] }));
    cloud.setReady("n2", false);
    cloud.run("web");
    cloud.now += 1000;
    cloud.setReady("n1", false);
    cloud.run("web");
    const onN2 = [...cloud.addresses].find(([, holder]) => holder === "digitalocean://n2")?.[0];
    for (const name of ["n8", "n9"]) cloud.addNode(name);
    const assigned = cloud
      .plan("web")
      .sequences.map(actionsOf)
      .flatMap(([first]) => (first?.do === "assign" ? [first.ip] : []));
    expect(assigned).to.deep.equal([C, onN2]);
  });

  it("never chooses a machine of another cloud", () => {
    const cloud = cluster([], { ips: [A, B] });
    cloud.addNode("foreign", { providerID: "aws:///eu-west-1a/i-0123456789" });
    cloud.addNode("ours");
    const chosen = cloud
      .plan("web")
      .sequences.map(actionsOf)
      .flatMap(([first]) => (first?.do === "assign" ? [first.node.name] : []));
    expect(chosen).to.deep.equal(["ours"]);
    expect(cloud.plan("web").counts).to.deep.include({ candidates: 1 });
  });

  it("writes nothing before the provider has been read in full", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const made = altered(cloud, { inventory: { ...cloud.snapshot("web").inventory, complete: false } });
    expect(made.sequences).to.be.empty;
    expect(condition(made, "Accepted")).to.equal("Unknown/NotObserved");
  });

  it("judges no holder by caches that are not complete", () => {
    const cloud = rest(cluster(["n1"], { ips: [A] }));
    const { ips } = cloud.pool("web").status;
    const made = altered(cloud, { cachesComplete: false, candidates: [], verdictOf: () => undefined });
    expect(made.sequences).to.be.empty;
    expect(made.addresses[0]?.status).to.deep.equal(ips?.[A]);
  });

  it("writes nothing while it is paused", () => {
    const made = cluster(["n1"], { ips: [A], desiredIPs: 2, paused: true, reclaimPolicy: "Delete" }).plan("web");
    expect(made.sequences).to.be.empty;
    expect(condition(made, "Accepted")).to.equal("True/Paused");
  });

  it("creates an address on the waiting node, after its intent", () => {
    const made = cluster(["n1"], { desiredIPs: 2 }).plan("web");
    expect(actions(made)).to.deep.equal(["record-intent", "create-address"]);
    expect(made.sequences.map(actionsOf)[0]?.[1]).to.deep.include({
      desired: { family: "IPv4", node: "digitalocean://n1" },
    });
  });

  it("creates by region where no node waits", () => {
    const made = cluster([], { desiredIPs: 1 }).plan("web");
    expect(made.sequences.map(actionsOf)[0]?.[1]).to.deep.include({ desired: { family: "IPv4", region: "r" } });
  });

  it("creates nothing under an older CRD, and says so", () => {
    const made = altered(cluster(["n1", "n2"], { ips: [A], desiredIPs: 2 }), { crdTooOld: true });
    expect(actions(made)).to.deep.equal(["assign", "annotate-node"]);
    expect(condition(made, "Fulfilled")).to.equal("False/CRDTooOld");
  });

  describe("beside a creation of another resource", () => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: "other", uid: "u" };
    const beside = (nodes: readonly string[], other: Partial<OtherCreation>) => {
      const cloud = cluster(nodes, { desiredIPs: 1 });
      const { now } = cloud;
      return { now, made: altered(cloud, { otherCreations: [{ resource, startedAt: now, ...other }] }) };
    };

    it("creates on a node, whether that one runs or its answer was lost: its address is on another node", () => {
      for (const other of [{ running: true }, { node: "digitalocean://n2" }, {}]) {
        expect(actions(beside(["n1"], other).made), JSON.stringify(other)).to.deep.equal([
          "record-intent",
          "create-address",
        ]);
      }
    });

    it("waits for unread resources without a word of a lost answer", () => {
      const { made } = beside([], { unread: true });
      expect(made.sequences).to.be.empty;
      expect(condition(made, "Fulfilled")).to.equal("False/UnderWay");
    });

    it("creates in a region once that one can add no address to the list any more", () => {
      const running = beside([], { running: true }).made;
      expect(running.sequences).to.be.empty;
      expect(condition(running, "Fulfilled")).to.equal("False/UnderWay");
      const { made, now } = beside([], {});
      expect(made.sequences).to.be.empty;
      expect(condition(made, "Fulfilled")).to.equal("False/CreationUnsettled");
      expect(made.requeueAt).to.equal(now + 70_000);
      const later = beside([], { startedAt: now - 70_000 }).made;
      expect(actions(later)).to.deep.equal(["record-intent", "create-address"]);
    });
  });

  it("forgets an open creation when a person says so, once", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const pendingCreation = { startedAt: timestamp(cloud.now), provider: "digitalocean", family: "IPv4" as const };
    const { metadata } = cloud.pool("web");
    const annotated = { ...metadata, annotations: { [Annotation.forgetCreation]: "yes" } };
    cloud.edit("web", { status: { pendingCreation }, metadata: annotated });
    expect(actions(cloud.plan("web"))).to.include.members(["settle-creation", "clear-forget-creation"]);
    rest(cloud);
    expect(cloud.pool("web").metadata.annotations).to.deep.equal({});
  });

  it("leaves an address that another resource has, and creates no substitute", () => {
    const cloud = cluster(["n1"], { ips: [A], desiredIPs: 1 });
    const owner = { kind: "RoutedIP", namespace: "default", name: "old", uid: "u" };
    const claim = { ours: false, owned: { owner, basis: "uses" } } as const;
    const made = altered(cloud, { claims: { addresses: new Map([[A, claim]]), names: [] } });
    expect(made.sequences).to.be.empty;
    expect([made.addresses[0]?.status.reason, condition(made, "Conflict")]).to.deep.equal([
      "ClaimedByOther",
      "True/ClaimedByOther",
    ]);
  });

  it("does nothing on a doubt", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const { inventory } = cloud.snapshot("web");
    const get = () => ({ ip: A, family: "IPv4" as const, region: "", ageSeconds: 0, unconfirmed: true });
    expect(altered(cloud, { inventory: { ...inventory, get } }).sequences).to.be.empty;
  });

  it("reads an address again before it moves on old data, and on fresh data does not", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const { inventory } = cloud.snapshot("web");
    const confirmations = (ageSeconds: number) => {
      const get = () => ({ ip: A, family: "IPv4" as const, region: "r", ageSeconds, unconfirmed: false });
      const made = altered(cloud, { inventory: { ...inventory, get } });
      return [actions(made).includes("assign"), made.sequences.map(({ confirmFirst }) => confirmFirst?.do)];
    };
    expect(confirmations(MOVE_MAX_AGE_SECONDS + 1)).to.deep.equal([true, ["confirm-address"]]);
    expect(confirmations(MOVE_MAX_AGE_SECONDS)).to.deep.equal([true, [undefined]]);
  });

  it("polls an action that runs, and nothing else on that address", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A] });
    const ips = { [A]: { state: "in-progress" as const, providerID: "digitalocean://n1", actionID: "7" } };
    cloud.edit("web", { status: { ips } });
    const made = cloud.plan("web");
    expect(made.sequences.flatMap(actionsOf)).to.deep.include.members([
      { do: "poll", ip: A, id: "7", expected: "digitalocean://n1", why: "an action runs on it" },
    ]);
    expect(actions(made)).to.deep.equal(["poll"]);
  });

  it("lets another address have the node while a failed one waits for its retry", () => {
    const cloud = cluster(["n1"], { ips: [A, B] });
    cloud.run("web", { at: 0, what: "refused" });
    expect(cloud.plan("web").sequences.map(actionsOf)[0]?.[0]).to.include({ do: "assign", ip: B });
  });

  it("does not offer an address to a node that refused one lately", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A], nodePreference: "Name" });
    const nodeRetryAt = new Map([["digitalocean://n1", cloud.now + 5000]]);
    const [first] = altered(cloud, { memory: { ...NO_MEMORY, nodeRetryAt } }).sequences.flatMap(actionsOf);
    expect(first).to.deep.include({ do: "assign", node: { name: "n2", machine: "digitalocean://n2" } });
  });

  it("steps back when somebody else undoes its moves again and again", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const times = [1, 2, 3].map((minute) => cloud.now - minute * 60_000);
    const made = altered(cloud, { memory: { ...NO_MEMORY, reverts: new Map([[A, times]]) } });
    expect(made.sequences).to.be.empty;
    expect(condition(made, "Conflict")).to.equal("True/ForeignWriter");
    expect(made.requeueAt).to.equal(cloud.now + 9 * 60_000);
  });

  it("unassigns first where the provider moves no held address", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    cloud.addresses.set(A, "digitalocean://elsewhere");
    const capabilities = { ...cloud.snapshot("web").capabilities, movesHeld: false } as Snapshot["capabilities"];
    const made = altered(cloud, capabilities === undefined ? {} : { capabilities });
    expect(actions(made)).to.deep.equal(["unassign"]);
  });

  it("takes its annotation off a node that has lost the address", () => {
    const cloud = rest(cluster(["n1"], { ips: [A] }));
    expect(cloud.nodes.get("n1")?.annotations[Annotation.reservedIpv4]).to.equal(A);
    cloud.addresses.set(A, undefined);
    cloud.setReady("n1", false);
    rest(cloud);
    expect(cloud.nodes.get("n1")?.annotations).to.deep.equal({});
  });

  it("leaves the record set alone while nothing is up, and says what it keeps", () => {
    const cloud = rest(cluster(["n1"], { ips: [A], dnsRecordSet: DNS }));
    cloud.setReady("n1", false);
    rest(cloud);
    expect(cloud.zone.get(DNS.recordName)).to.deep.equal([A]);
    expect(condition(cloud.plan("web"), "DNSReady")).to.equal("False/KeptLastKnown");
  });

  it("keeps an address published while it moves", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A, B], dnsRecordSet: DNS }));
    cloud.setReady("n1", false);
    cloud.addNode("n3");
    expect(actions(cloud.plan("web"))).to.have.members(["assign", "annotate-node", "unannotate-node"]);
  });

  it("does not shrink the record set to one address that moves while the others are down", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A, B], dnsRecordSet: DNS }));
    for (const name of ["n1", "n2"]) cloud.setReady(name, false);
    cloud.addNode("n3");
    expect(actions(cloud.plan("web"))).to.not.include("apply-records");
  });

  it("keeps off the node of an address whose creation is not settled", () => {
    const cloud = cluster(["n1"], { ips: [A], desiredIPs: 2 });
    const pendingCreation = {
      startedAt: timestamp(cloud.now),
      provider: "digitalocean",
      family: "IPv4" as const,
      providerID: "digitalocean://n1",
      dropletHadAddress: false,
    };
    cloud.edit("web", { status: { pendingCreation } });
    expect(cloud.plan("web").sequences).to.be.empty;
  });

  it("gives a holder whose grace is over no second one", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A], gracePeriodSeconds: 60 });
    cloud.addresses.set(A, "digitalocean://n1");
    cloud.setReady("n1", false);
    const entry = { providerID: "digitalocean://n1", graceSince: timestamp(cloud.now - 5000) };
    cloud.edit("web", { status: { ips: { [A]: { ...entry, state: "active" } } } });
    expect(actions(cloud.plan("web"))).to.not.include("assign");
    cloud.edit("web", { status: { ips: { [A]: { ...entry, state: "no-match" } } } });
    expect(actions(cloud.plan("web"))).to.include("assign");
  });

  it("deletes a renamed record set under Delete, after the new one stands", () => {
    const dnsRecordSet = { ...DNS, deletionPolicy: "Delete" as const };
    const cloud = rest(cluster(["n1"], { ips: [A], dnsRecordSet }));
    const { spec } = cloud.pool("web");
    cloud.edit("web", { spec: { ...spec, dnsRecordSet: { ...dnsRecordSet, recordName: "new.example.com" } } });
    expect(actions(cloud.plan("web"))).to.deep.equal(["apply-records", "apply-records", "record-dns"]);
    rest(cloud);
    expect([cloud.zone.get("new.example.com"), cloud.zone.get(DNS.recordName)]).to.deep.equal([[A], []]);
  });

  it("gives created addresses back when the pool shrinks under Delete, one TTL after they left DNS", () => {
    const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet: DNS }));
    const { spec } = cloud.pool("web");
    cloud.edit("web", { spec: { ...spec, desiredIPs: 1 } });
    rest(cloud);
    expect([cloud.addresses.size, cloud.zone.get(DNS.recordName)?.length]).to.deep.equal([2, 1]);
    expect(cloud.plan("web").requeueAt).to.equal(cloud.now + 60_000);
    cloud.now += 60_000;
    rest(cloud);
    expect([cloud.addresses.size, cloud.pool("web").spec.ips?.length]).to.deep.equal([1, 1]);
    expect(cloud.pool("web").status.createdIPs).to.have.lengthOf(1);
  });

  it("keeps created addresses on their nodes when the pool shrinks under Retain, and takes them up again", () => {
    const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 2 }));
    const { spec } = cloud.pool("web");
    const holders = [...cloud.addresses];
    cloud.edit("web", { spec: { ...spec, desiredIPs: 1 } });
    rest(cloud);
    expect(cloud.plan("web").addresses.map(({ status }) => status.state)).to.deep.equal(["active", "disabled"]);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, desiredIPs: 2 } });
    expect([...rest(cloud).addresses]).to.deep.equal(holders);
  });

  it("creates nothing anew when an address that it created does not exist any more", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1 }));
    cloud.addresses.clear();
    const made = rest(cloud).plan("web");
    expect([cloud.createdBy.size, condition(made, "Accepted")]).to.deep.equal([1, "False/AddressNotFound"]);
  });

  it("never appends a created address twice", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1 }));
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [] } });
    expect(cloud.plan("web").sequences).to.be.empty;
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
