import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { START_WARNING_MS } from "../../../src/timings.js";
import { DnsWorld, NAME, ZONE } from "./dns-world.js";

const SET = { zone: ZONE, recordName: NAME };
/** What is not noticed at once is not noticed at all. */
const WITHOUT_RESYNC = { resync: "86400" };

describe("the controller of node record sets, at DigitalOcean", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create();
  });

  afterEach(() => rig.close());

  it("publishes every matching node in n+1 calls, says so, and is idle then", async () => {
    for (const node of ["n1", "n2", "n3"]) rig.addNode(node);
    rig.world.addNode("other");
    rig.addSet("game");
    rig.start();
    await rig.ready();
    expect(rig.records()).to.deep.equal(["n1", "n2", "n3"].map((node) => rig.address(node)).sort());
    expect(rig.calls()).to.deep.equal(["GET", "POST", "POST", "POST"]);
    const { counts, state, dns, addresses } = rig.status("game");
    expect({ counts, state }).to.deep.equal({ counts: { candidates: 3, published: 3 }, state: "active" });
    expect(dns?.values).to.deep.equal(rig.records());
    expect(addresses?.map(({ nodeName }) => nodeName)).to.deep.equal(["n1", "n2", "n3"]);
    await rig.until("Event", () => rig.events("RecordsChanged").length === 1);
    const revision = rig.world.kubernetes.revision;
    await rig.world.clock.sleep(200_000);
    expect(rig.world.kubernetes.revision, "no write while nothing happens").to.equal(revision);
    expect(rig.calls()).to.have.length(4);
    expect(rig.world.complaints).to.deep.equal([]);
  });

  it("has its name on record before its first call, so that a crash after it leaves no record behind", async () => {
    rig.addNode("n1");
    const seen: unknown[] = [];
    const onPost = ({ method, path }: { readonly method: string; readonly path: string }) => {
      if (method === "POST" && path.includes("/domains/")) seen.push(rig.status("game").dns?.recordName);
      return false;
    };
    rig.world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: onPost, times: Infinity });
    rig.addSet("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    rig.start();
    await rig.ready();
    expect(seen).to.deep.equal([NAME]);
  });

  it("does not remove what was there before a first change that failed", async () => {
    rig.addNode("n1");
    const { dns } = rig.world.digitalocean.state;
    dns.addRecord(ZONE, { type: "A", name: "game", data: "192.0.2.99", ttl: 60 });
    const { faults } = rig.world.digitalocean;
    faults.inject({ kind: "status", status: 422 }, { on: /^(POST|PUT|DELETE) .*\/domains\//, times: Infinity });
    rig.addSet("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    rig.start();
    await rig.until("it says so", () => rig.condition("game", "DNSReady").startsWith("False"));
    faults.clear();
    rig.delete("game");
    await rig.until("it is gone", () => rig.object("game") === undefined);
    expect(rig.records()).to.include("192.0.2.99");
  });

  it("follows nodes that come, fail, recover and go", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game");
    rig.start();
    await rig.publishes("n1", "n2");
    rig.world.setReady("n1", false);
    await rig.publishes("n2");
    rig.addNode("n3");
    await rig.publishes("n2", "n3");
    rig.world.setReady("n1", true);
    await rig.publishes("n1", "n2", "n3");
    rig.world.removeNode("n2");
    await rig.publishes("n1", "n3");
  });

  it("gives the nodes of a new set a minute to start, before a Warning says that there are none", async () => {
    rig.addSet("game");
    rig.start();
    await rig.until("it says so", () => rig.condition("game", "DNSReady") === "False/NoCandidate");
    await rig.world.clock.sleep(START_WARNING_MS / 2);
    expect(rig.events("NoCandidate")).to.be.empty;
    await rig.world.clock.sleep(START_WARNING_MS);
    await rig.until("a Warning", () => rig.events("NoCandidate").length === 1);
  });

  it("keeps the records when all nodes vanish", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game");
    rig.start();
    await rig.ready();
    const before = rig.records();
    for (const node of ["n1", "n2"]) rig.world.removeNode(node);
    await rig.until("it says so", () => rig.condition("game", "DNSReady") === "False/KeptLastKnown");
    // The first to go may have left the set to the second.
    const [kept = "none"] = rig.records();
    expect(before).to.include(kept);
    await rig.until("Event", () => rig.events("KeptLastKnown").some((note) => note.includes(kept)));
    expect(rig.status("game").addresses?.map(({ address }) => address)).to.deep.equal(rig.records());
    expect(rig.status("game").state).to.equal("active");
  });

  it("warns at once when a set loses all nodes soon after it was created", async () => {
    rig.addNode("n1");
    rig.addSet("game");
    rig.start();
    await rig.ready();
    rig.world.removeNode("n1");
    await rig.until("it says so", () => rig.condition("game", "DNSReady") === "False/KeptLastKnown");
    await rig.world.clock.sleep(START_WARNING_MS / 6);
    expect(rig.events("KeptLastKnown")).to.have.length(1);
  });

  it("publishes a changed address of a node", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game");
    rig.start(WITHOUT_RESYNC);
    await rig.rests();
    rig.setAddresses("n1", [{ type: "ExternalIP", address: "198.51.100.77" }]);
    await rig.publishes("n1", "n2");
    expect(rig.records()).to.include("198.51.100.77");
  });

  it("publishes the machine that has taken over the name of a node", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game", { gracePeriodSeconds: 3600 });
    rig.start(WITHOUT_RESYNC);
    await rig.rests();
    const previous = rig.address("n1");
    rig.replaceNode("n1");
    expect(rig.address("n1")).to.not.equal(previous);
    await rig.publishes("n1", "n2");
    expect(rig.records()).to.not.include(previous);
  });

  it("says that calls fail, tries again after longer and longer waits, and recovers", async () => {
    rig.addNode("n1");
    rig.addSet("game");
    const { faults, journal } = rig.world.digitalocean;
    faults.inject({ kind: "status", status: 422 }, { on: "POST /v2/domains/{domain_name}/records", times: 2 });
    rig.start();
    await rig.until("error", () => rig.status("game").state === "error");
    expect(rig.condition("game", "DNSReady").startsWith("False/")).to.equal(true);
    expect(rig.status("game").error).to.contain("digitalocean");
    await rig.ready();
    expect(rig.status("game")).to.deep.include({ state: "active" });
    expect(rig.status("game")).to.not.have.property("error");
    const tries = journal.calls({ on: "POST /v2/domains/{domain_name}/records" }).map(({ at }) => at);
    const waits = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / 1000);
    expect(waits).to.have.length(2);
    expect(waits[0]).to.be.at.least(60);
    expect(waits[1]).to.be.at.least(300);
  });

  it("says at once that a change waits for the rate limit, and forgets nothing that it knows", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game");
    rig.start();
    await rig.ready();
    const { faults } = rig.world.digitalocean;
    faults.inject({ kind: "status", status: 429, retryAfterSeconds: 15 }, { on: /domains/, times: 4 });
    rig.world.setReady("n2", false);
    const seen = new Set<string>();
    await rig.until("the change is made", () => {
      for (const type of ["Ready", "DNSReady"]) seen.add(`${type} ${rig.condition("game", type)}`);
      return rig.records().length === 1;
    });
    expect([...seen].join("\n"))
      .to.include("RateLimited")
      .and.not.include("NotObserved");
  });

  it("deletes a renamed set and its own records at the end under Delete", async () => {
    rig.addNode("n1");
    rig.addSet("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    rig.start();
    await rig.ready();
    expect(rig.object("game")?.metadata.finalizers).to.deep.equal(["flipop.digitalocean.com/cleanup"]);
    rig.edit("game", { dnsRecordSet: { ...SET, recordName: "new", deletionPolicy: "Delete" } });
    await rig.until("renamed", () => rig.records("new").length === 1 && rig.records().length === 0);
    const { faults } = rig.world.digitalocean;
    faults.inject({ kind: "status", status: 422 }, { on: /^DELETE .*domains/, times: 1 });
    rig.delete("game");
    await rig.until("Ready names the failure", () => {
      const { status, message = "" } = rig.status("game").conditions?.find(({ type }) => type === "Ready") ?? {};
      return status === "False" && /until the operator has removed record set new in zone .*answer 422/.test(message);
    });
    expect(rig.condition("game", "DNSReady")).to.not.contain("NoCandidate").and.not.contain("True");
    await rig.until("gone", () => rig.object("game") === undefined);
    expect(rig.records("new")).to.deep.equal([]);
  });

  it("leaves its records when it is deleted under Retain, and claims nothing any more", async () => {
    rig.addNode("n1");
    rig.addSet("game");
    rig.start();
    await rig.ready();
    rig.addSet("late");
    await rig.until("late has lost", () => rig.condition("late", "Conflict") === "True/ClaimedByOther");
    expect(rig.status("late").error).to.contain("NodeDNSRecordSet default/game");
    const calls = rig.calls().length;
    rig.delete("game");
    await rig.ready("late");
    expect(rig.records()).to.deep.equal([rig.address("n1")]);
    expect(rig.calls().length - calls).to.be.at.most(1);
  });

  it("writes nothing on a dry run", async () => {
    rig.addNode("n1");
    rig.addSet("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    rig.start({ "dry-run": "true" });
    await rig.until("it looked", () => rig.world.logs.some((line) => line.includes("dry run")));
    expect(rig.records()).to.deep.equal([]);
    expect(rig.object("game")?.metadata.finalizers).to.equal(undefined);
  });

  it("goes on over a restart without a call but the reading", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game");
    const first = rig.start();
    await rig.ready();
    await first.stop();
    const [calls, status] = [rig.calls().length, rig.status("game")];
    rig.start();
    await rig.until("read again", () => rig.calls().length > calls);
    await rig.world.clock.sleep(5_000);
    expect(rig.calls().slice(calls)).to.deep.equal(["GET"]);
    expect(rig.status("game")).to.deep.equal(status);
  });

  it("shows how many records it has, until it is gone", async () => {
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.addSet("game");
    const { operator } = rig.start();
    await rig.ready();
    const labels = `namespace="default",name="game",provider="digitalocean",dns="${NAME}"`;
    expect(await operator.registry.text()).to.contain(`flipop_nodednsrecordset_records{${labels}} 2`);
    rig.delete("game");
    await rig.until("forgotten", () => rig.object("game") === undefined);
    await rig.world.clock.sleep(2_000);
    expect(await operator.registry.text()).to.not.contain('flipop_nodednsrecordset_records{namespace="default"');
  });
});
