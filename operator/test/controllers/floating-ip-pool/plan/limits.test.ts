import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { CreationFailure } from "../../../../src/addresses/address-set.js";
import { ownerName } from "../../../../src/addresses/annotations.js";
import type { Plan } from "../../../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import { createView } from "../../../../src/inventory/view.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import type { ModelCloud } from "../support/model-cloud.js";
import { NO_MEMORY } from "../support/no-memory.js";
import { actions, altered, cluster, condition, settled } from "../support/pool-plans.js";

const A = "203.0.113.7";
const DNS = { recordName: "web.example.com", zone: "example.com" };
const VALUE = Annotation.reservedIpv4;
const OWNER = Annotation.reservedIpv4Owner;

describe("the plan of a pool at the limits of its provider", () => {
  it("creates IPv6 addresses by region, though a node waits", () => {
    const cloud = cluster(["n1"], { desiredIPs: 1, ipFamily: "IPv6" });
    const [intent, create] = cloud.plan("web").sequences.flatMap(actionsOf);
    expect(intent).to.deep.include({ do: "record-intent" }).and.to.have.nested.property("intent.family", "IPv6");
    expect(create).to.have.deep.property("desired", { family: "IPv6", region: "r" });
  });

  it("is not ready while the cloud refuses its spec as invalid, and ready while only nodes are missing", () => {
    const cloud = cluster(["n1"], { desiredIPs: 1, region: "atlantis" });
    const retryAt = cloud.now + 60_000;
    const failure = { reason: "Invalid", message: "no region atlantis", retryAt } as const;
    const conditions = (creationFailure: CreationFailure, now = cloud.now) => {
      const refused = altered(cloud, { now, memory: { ...NO_MEMORY, creationFailure } });
      return [condition(refused, "Accepted"), condition(refused, "Fulfilled")];
    };
    expect(conditions({ ...failure, ofSpec: true })).to.deep.equal(["False/Invalid", "False/Invalid"]);
    expect(conditions({ ...failure, ofSpec: true }, retryAt)[0], "while it is tried again").to.equal("False/Invalid");
    expect(conditions(failure), "the API server's error").to.deep.equal(["True/Observed", "False/Invalid"]);
    const withoutNodes = cluster([], { desiredIPs: 1, ipFamily: "IPv6", region: "" }).plan("web");
    expect([condition(withoutNodes, "Accepted"), condition(withoutNodes, "Fulfilled")]).to.deep.equal([
      "True/Observed",
      "False/NoCandidate",
    ]);
  });

  it("passes over the addresses of the other family, and says so", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A, "2001:db8::1"] });
    const made = cloud.plan("web");
    const moved = made.sequences.flatMap(actionsOf).flatMap((action) => (action.do === "assign" ? [action.ip] : []));
    expect(moved).to.deep.equal([A]);
    expect(condition(made, "Accepted")).to.equal("False/Invalid");
  });

  it("sends no address to a node of another region, and says why nothing moves", () => {
    const cloud = cluster([], { ips: [A] });
    cloud.addNode("far", { labels: { "topology.kubernetes.io/region": "ams3" } });
    const cachedStates = new Map([[A, { facts: { ip: A, family: "IPv4" as const, region: "nyc3" }, at: 0 }]]);
    const inventory = createView({ now: 0, listedAt: 0, cachedStates, gone: new Map(), reservations: new Map() });
    const made = altered(cloud, { inventory });
    expect(actions(made)).to.deep.equal([]);
    expect(condition(made, "Fulfilled")).to.equal("False/WrongRegion");
  });

  it("leaves the nodes to others while it can't create what is missing, and takes one for what is there", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A], desiredIPs: 2 });
    expect(cloud.plan("web").waitingNodes.wants).to.equal(2);
    const retryAt = cloud.now + 60_000;
    const creationFailure = { reason: "QuotaExceeded", message: "no more", retryAt } as const;
    const memory = { ...NO_MEMORY, creationFailure };
    for (const change of [{ crdTooOld: true }, { memory }]) {
      const made = altered(cloud, change);
      expect(made.waitingNodes.wants).to.equal(1);
      expect(actions(made)).to.include("assign").and.not.include("create-address");
    }
    expect(altered(cloud, { memory, now: retryAt }).waitingNodes.wants, "when it is tried again").to.equal(2);
  });

  it("names the resources that hold the addresses of an account at its limit, and how many are of no resource", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A], desiredIPs: 2 });
    cloud.addresses.set(A, "digitalocean://n1");
    const others = { shop: 3, blog: 2, mail: 2, old: 1 };
    const ips = Array.from({ length: 9 }, (_, at) => `203.0.113.${at + 11}`);
    for (const ip of ips) cloud.addresses.set(ip, undefined);
    for (const [name, count] of Object.entries(others)) cloud.addPool(name, { ips: ips.splice(0, count) });
    const cause = { seen: "digitalocean: the limit is 10", fix: "ask for more" };
    const creationFailure = { reason: "QuotaExceeded", message: `${cause.seen}; fix: ${cause.fix}` } as const;
    const messageOf = () => {
      const memory = { ...NO_MEMORY, creationFailure: { ...creationFailure, retryAt: cloud.now + 60_000 } };
      return altered(cloud, { memory }).conditions.find(({ type }) => type === "Fulfilled")?.message;
    };
    expect(messageOf()).to.equal(
      `1 of 2 addresses are active: ${cause.seen}; of the account's 10 IPv4 addresses, FloatingIPPool default/shop has 3, FloatingIPPool default/blog has 2, FloatingIPPool default/mail has 2, 2 more resources have 2, and 1 is of no resource that the operator knows (flipop orphans lists it); fix: ${cause.fix}`,
    );
  });

  it("blames the provider for what it can't move while that does not answer, not the nodes", () => {
    const cloud = cluster(["n1", "n2", "n3"], { ips: [A] });
    const providerFailure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    const made = altered(cloud, { providerFailure });
    const { reason, message } = made.conditions.find(({ type }) => type === "Fulfilled") ?? {};
    expect({ reason, message }).to.deep.equal({
      reason: "ProviderUnavailable",
      message: "0 of 1 addresses are active: no answer",
    });
  });

  for (const label of ["nyc3", "NYC3"]) {
    it(`takes a node of its region though another one is in front, with region label ${label}`, () => {
      const cloud = cluster([], { ips: [A] });
      cloud.addNode("near", { labels: { "topology.kubernetes.io/region": label } });
      cloud.now += 60_000;
      cloud.addNode("far", { labels: { "topology.kubernetes.io/region": "ams3" } });
      const cachedStates = new Map([[A, { facts: { ip: A, family: "IPv4" as const, region: "nyc3" }, at: 0 }]]);
      const inventory = createView({ now: 0, listedAt: 0, cachedStates, gone: new Map(), reservations: new Map() });
      const [assign] = altered(cloud, { inventory }).sequences.flatMap(actionsOf);
      expect(assign).to.have.nested.property("node.name", "near");
    });
  }

  describe("with a region", () => {
    const REGION = "topology.kubernetes.io/region";
    const places = (made: Plan) =>
      made.sequences.flatMap(actionsOf).flatMap((action) => (action.do === "create-address" ? [action.desired] : []));

    function regional(region: string, nodes: Readonly<Record<string, string>>) {
      const cloud = cluster([], { desiredIPs: 1, region });
      for (const [name, at] of Object.entries(nodes)) {
        cloud.addNode(name, { labels: { [REGION]: at } });
        cloud.now += 60_000;
      }
      const snapshot = cloud.snapshot("web");
      const capabilities = { ...snapshot.capabilities, regional: true } as NonNullable<Snapshot["capabilities"]>;
      return { cloud, made: altered(cloud, { capabilities }) };
    }

    it("creates an address on a node of that region, though one of another region is in front", () => {
      const { cloud, made } = regional("nyc3", { near: "nyc3", far: "ams3" });
      const near = cloud.snapshot("web").candidates.find(({ name }) => name === "near")?.machine;
      expect(places(made)).to.deep.equal([{ family: "IPv4", node: near }]);
    });

    it("creates nothing if all nodes are elsewhere, as with a typo, and reports the regions", () => {
      const { made } = regional("nyc33", { near: "nyc3", far: "ams3" });
      expect(actions(made)).to.deep.equal([]);
      const { reason, message } = made.conditions.find(({ type }) => type === "Fulfilled") ?? {};
      expect(reason).to.equal("WrongRegion");
      expect(message).to.include(
        "all nodes that match are in region ams3, nyc3, by their label topology.kubernetes.io/region, and an address in region nyc33",
      );
    });

    it("names the nodes of that region that somebody cordoned before it names another region", () => {
      const { cloud } = regional("nyc3", { far: "ams3" });
      cloud.addNode("near", { labels: { [REGION]: "nyc3" }, unschedulable: true });
      const { capabilities } = cloud.snapshot("web");
      const made = altered(cloud, { capabilities: { ...capabilities, regional: true } as never });
      expect(actions(made)).to.deep.equal([]);
      const { reason, message = "" } = made.conditions.find(({ type }) => type === "Fulfilled") ?? {};
      expect(reason).to.equal("NoCandidate");
      expect(message).to.match(
        /in region nyc3, 0 of 1 nodes match; 1 Cordoned .*; all nodes that match are in region ams3/,
      );
      expect(message.indexOf("kubectl uncordon near")).to.be.within(0, message.indexOf("set region to ams3"));
    });

    it("creates nothing in a region without any node of the cluster, also while no node matches", () => {
      const { cloud } = regional("fra1", { far: "ams3" });
      cloud.setReady("far", false);
      const { capabilities } = cloud.snapshot("web");
      const made = altered(cloud, { capabilities: { ...capabilities, regional: true } as never });
      expect(actions(made)).to.deep.equal([]);
      const { reason, message } = made.conditions.find(({ type }) => type === "Fulfilled") ?? {};
      expect(reason).to.equal("WrongRegion");
      expect(message).to.include("all nodes of the cluster are in region ams3");
    });

    it("creates an address by region while no node waits", () => {
      expect(places(regional("nyc3", {}).made)).to.deep.equal([{ family: "IPv4", region: "nyc3" }]);
    });

    it("creates an address wherever a node waits, without a region", () => {
      const { cloud, made } = regional("", { far: "ams3" });
      expect(places(made)).to.deep.equal([{ family: "IPv4", node: cloud.snapshot("web").candidates[0]?.machine }]);
    });

    it("creates no address elsewhere though a listed one is there", () => {
      const cloud = cluster([], { ips: [A], desiredIPs: 2, region: "nyc3" });
      for (const name of ["far-1", "far-2"]) cloud.addNode(name, { labels: { [REGION]: "ams3" } });
      const cachedStates = new Map([[A, { facts: { ip: A, family: "IPv4" as const, region: "ams3" }, at: 0 }]]);
      const inventory = createView({ now: 0, listedAt: 0, cachedStates, gone: new Map(), reservations: new Map() });
      const made = altered(cloud, { inventory });
      expect(actions(made)).to.include("assign");
      expect(places(made)).to.deep.equal([]);
    });
  });

  it("creates nothing while another resource owns its DNS name, and everything once it does not", () => {
    const cloud = cluster(["n1"], { desiredIPs: 1, dnsRecordSet: DNS });
    const { dns } = cloud.snapshot("web");
    const owner = { kind: "FloatingIPPool", namespace: "default", name: "older", uid: "older" } as const;
    const claim = { ours: false, owned: { owner, basis: "uses" } } as const;
    const made = altered(cloud, { dns: { ...(dns as NonNullable<typeof dns>), claim } });
    expect(actions(made)).to.deep.equal([]);
    expect(made.waitingNodes.wants).to.equal(0);
    const { reason, message } = made.conditions.find(({ type }) => type === "Fulfilled") ?? {};
    expect([reason, message]).to.deep.equal([
      "ClaimedByOther",
      "0 of 1 addresses are active: web.example.com belongs to FloatingIPPool default/older, which already uses it; fix: use another name here, or ask the author of FloatingIPPool default/older to change its dnsRecordSet",
    ]);
    expect(actions(cloud.plan("web"))).to.include("create-address");
  });

  it("writes the provider's shortest TTL, and says that it is not the one asked for", () => {
    const cloud = settled(cluster(["n1"], { ips: [A], dnsRecordSet: { ...DNS, ttl: 30 } }));
    const snapshot = cloud.snapshot("web");
    const capabilities = { ttl: (seconds: number) => Math.max(60, seconds), owner: false };
    const records = { zone: "example.com", fqdn: DNS.recordName, types: ["A" as const] };
    const record = { id: "1", type: "A" as const, value: A };
    const dns = (ttl: number) => ({
      dns: {
        ...snapshot.dns,
        previous: { records: "unknown" as const },
        capabilities,
        records: { ...records, records: [{ ...record, ttl }] },
      },
    });
    const [change] = altered(cloud, dns(30)).sequences.flatMap(actionsOf);
    expect(change).to.have.nested.property("changes.steps[0].ttl", 60);
    expect(actions(altered(cloud, dns(60)))).to.deep.equal([]);
    expect(condition(altered(cloud, dns(60)), "DNSReady")).to.equal("True/TTLRaised");
  });

  it("leaves a record set alone that somebody else keeps writing", () => {
    const cloud = settled(cluster(["n1"], { ips: [A], dnsRecordSet: DNS }));
    cloud.zone.set(DNS.recordName, ["192.0.2.1"]);
    const { memory, now } = cloud.snapshot("web");
    const reverts = new Map([["records", [now - 300_000, now - 200_000, now - 100_000]]]);
    const made = altered(cloud, { memory: { ...memory, reverts } });
    expect(actions(made)).to.deep.equal([]);
    expect(condition(made, "DNSReady")).to.equal("False/ForeignWriter");
    expect(condition(made, "Conflict")).to.equal("True/ForeignWriter");
    expect(made.requeueAt).to.equal(now + 500_000);
    expect(actions(altered(cloud, {}))).to.deep.equal(["apply-records"]);
  });
});

describe("the plan of a pool, among the annotations of others", () => {
  const held = () => settled(cluster(["n1"], { ips: [A] }));
  const annotate = (cloud: ModelCloud, annotations: Readonly<Record<string, string>>) => {
    const node = cloud.nodes.get("n1");
    if (node !== undefined) cloud.nodes.set("n1", { ...node, annotations });
    return actions(cloud.plan("web"));
  };

  it("takes over one that names no owner, as the Go operator left it", () => {
    expect(annotate(held(), { [VALUE]: A })).to.deep.equal(["annotate-node"]);
  });

  it("corrects one of its own with another address", () => {
    const cloud = held();
    expect(annotate(cloud, { [VALUE]: "192.0.2.1", [OWNER]: ownerName(cloud.pool("web").metadata) })).to.deep.equal([
      "annotate-node",
    ]);
  });

  it("leaves one of another resource whose address is on the node", () => {
    const cloud = held();
    cloud.addresses.set("192.0.2.1", "digitalocean://n1");
    expect(annotate(cloud, { [VALUE]: "192.0.2.1", [OWNER]: "default/other/uid-other" })).to.deep.equal([]);
  });

  it("replaces one of another resource whose address is elsewhere", () => {
    const cloud = held();
    cloud.addresses.set("192.0.2.1", "digitalocean://n9");
    expect(annotate(cloud, { [VALUE]: "192.0.2.1", [OWNER]: "default/other/uid-other" })).to.deep.equal([
      "annotate-node",
    ]);
  });

  it("removes no other resource's annotation from a node that holds none of its addresses", () => {
    const cloud = cluster(["n1"], { ips: [A], paused: false });
    cloud.addresses.set(A, "digitalocean://n5");
    cloud.addNode("n5");
    settled(cloud);
    expect(annotate(cloud, { [VALUE]: "192.0.2.1" })).to.deep.equal([]);
    expect(annotate(cloud, { [VALUE]: A, [OWNER]: "default/other/uid-other" })).to.deep.equal([]);
    expect(annotate(cloud, { [VALUE]: A })).to.deep.equal(["unannotate-node"]);
  });
});
