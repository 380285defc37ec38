import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../src/clock.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import { orderOf } from "../../../src/controllers/routed-ip/update/steps.js";
import { FIREWALL, FOREIGN, TAINT } from "./model-cluster.js";
import type { ModelWorld } from "./model-world.js";
import { altered, condition, conditionOf, does, IP, settled, world } from "./routed-plans.js";

const MOVE = [
  "elect: set-taints",
  "record: record-firewall",
  "add-node: change-firewall",
  "assign: assign",
  "remove-nodes: change-firewall",
  "untaint: set-taints",
];

describe("the plan of a RoutedIP", () => {
  it("arms, then opens the firewall, then assigns", () => {
    expect(does(world().plan("a"))).to.deep.equal([
      "arm: add-finalizer",
      "elect: set-taints",
      "record: record-firewall",
      "add-rules: change-firewall",
      "add-node: change-firewall",
      "assign: assign",
    ]);
  });

  it("comes to rest, with node, port and taint in place", () => {
    const made = settled();
    expect(made.holderOf("a")).to.equal("n1");
    expect(made.isOpen("web", "n1")).to.equal(true);
    expect(made.ownTaints("n1")).to.deep.equal([TAINT]);
    expect(made.get("a").status).to.deep.include({ routedIP: IP, assignedNode: "n1", state: "active" });
    const [accepted, assigned, firewall] = ["Accepted", "Assigned", "FirewallReady"].map((type) =>
      condition(made.plan("a"), type),
    );
    expect([accepted, assigned, firewall]).to.deep.equal(["True/Observed", "True/Observed", "True/Observed"]);
  });

  it("moves in the order of the least loss of service", () => {
    const made = settled();
    made.serve("web", "n2");
    expect(does(made.plan("a"))).to.deep.equal(MOVE);
    expect(made.plan("a").explanation).to.contain(`${IP} moves from n1`);
  });

  it("says why it moves at once though there is a grace period", () => {
    const made = settled();
    made.edit("a", { spec: { ...made.get("a").spec, gracePeriodSeconds: 600 } });
    made.endpoints.set("default/web", [
      { node: "n1", ready: false, serving: true },
      { node: "n2", ready: true, serving: true },
    ]);
    expect(made.plan("a").explanation).to.contain(
      `${IP} moves from n1 (PodNotReady; gracePeriodSeconds does not apply when all pods of the node are ending) to n2`,
    );
  });

  it("assigns first with firewallPostAllow", () => {
    const names = does(world({ postAllow: true }).plan("a")).map((text) => text.split(":")[0]);
    expect(names).to.deep.equal(["arm", "elect", "assign", "record", "add-rules", "add-node"]);
    expect(orderOf(false).filter((name) => !["arm", "record", "untaint"].includes(name))).to.deep.equal([
      "elect",
      "find-firewall",
      "find-ports",
      "add-rules",
      "make-room",
      "add-node",
      "assign",
      "remove-rules",
      "remove-nodes",
    ]);
  });

  it("keeps a holder whose endpoints terminate until another node is ready", () => {
    const made = settled();
    made.endpoints.set("default/web", [{ node: "n1", ready: false, serving: true }]);
    made.settle();
    expect(made.holderOf("a")).to.equal("n1");
    expect(condition(made.plan("a"), "Assigned")).to.equal("True/NoCandidate");
    made.endpoints.set("default/web", [
      { node: "n1", ready: false, serving: true },
      { node: "n2", ready: true, serving: true },
    ]);
    expect(does(made.plan("a"))).to.deep.equal(MOVE);
  });

  it("moves at a cordon of the holder, though it serves", () => {
    const made = settled();
    made.serve("web", "n1", "n2");
    expect(made.plan("a").steps).to.be.empty;
    made.editNode("n1", { unschedulable: true });
    expect(does(made.plan("a"))).to.deep.equal(MOVE);
  });

  it("says why the address stays if no node is a candidate", () => {
    const made = settled();
    made.serve("web");
    made.settle();
    expect(made.holderOf("a")).to.equal("n1");
    expect(made.get("a").status.state).to.equal("no-match");
    expect(condition(made.plan("a"), "Assigned")).to.equal("False/NoCandidate");
  });

  it("elects the youngest, and no node beyond the limit", () => {
    const made = world();
    made.addNode("n3");
    made.serve("web", "n1", "n2", "n3");
    made.addresses.set("203.0.113.99", { holder: "digitalocean://n3" });
    made.settle();
    expect(made.holderOf("a")).to.equal("n2");
  });

  it("lets a holder recover within its grace period", () => {
    const made = settled();
    made.edit("a", { spec: { ...made.get("a").spec, gracePeriodSeconds: 30 } });
    made.serve("web", "n2");
    made.run("a");
    expect(made.plan("a").steps).to.be.empty;
    expect(made.get("a").status.reason).to.equal("InGrace");
    const said = made.plan("a").conditions.find(({ type }) => type === "Assigned")?.message;
    expect(said).to.include(
      "n2 could take it now; fix: to let it move sooner, lower gracePeriodSeconds; fix: to keep it there, have the author of Service default/web",
    );
    expect(made.plan("a").requeueAt).to.equal(made.now + 30_000);
    made.pass(30_000);
    made.settle();
    expect(made.holderOf("a")).to.equal("n2");
  });

  it("spends no grace period on endpoints that terminate, once another node is ready", () => {
    const made = settled();
    made.edit("a", { spec: { ...made.get("a").spec, gracePeriodSeconds: 600 } });
    const ends = { node: "n1", ready: false, serving: true };
    made.endpoints.set("default/web", [ends]);
    made.settle();
    expect(condition(made.plan("a"), "Assigned")).to.equal("True/NoCandidate");
    made.endpoints.set("default/web", [ends, { node: "n2", ready: true, serving: true }]);
    expect(does(made.plan("a"))).to.deep.equal(MOVE);
  });

  it("names the resource that has a given address, also while the holder is no node of the cluster", () => {
    const made = world();
    made.addresses.set(IP, { holder: "digitalocean://elsewhere" });
    const owner = { kind: "FloatingIPPool", namespace: "default", name: "web", uid: "u" };
    const claim = { ours: false, owned: { owner, basis: "uses" } } as const;
    const planned = altered(made, { claims: { addresses: new Map([[IP, claim]]), names: [] } });
    for (const type of ["Assigned", "Conflict"]) {
      const { is, message } = conditionOf(planned, type);
      expect(is, type).to.match(/ClaimedByOther$/);
      expect(message, "would take it away from the pool")
        .to.include("FloatingIPPool default/web")
        .and.not.to.include("unassign");
    }
    expect(does(planned).join()).not.to.include("assign");
  });

  it("refuses a given address on a machine that is no node of the cluster", () => {
    const made = world();
    made.addresses.set(IP, { holder: "digitalocean://elsewhere" });
    made.settle();
    expect(made.addresses.get(IP)?.holder).to.equal("digitalocean://elsewhere");
    expect(condition(made.plan("a"), "Conflict")).to.equal("True/HeldElsewhere");
    expect(condition(made.plan("a"), "Accepted")).to.equal("False/HeldElsewhere");
    const { status } = made.get("a");
    made.pass(60_000);
    expect(made.run("a")).to.equal(true);
    expect(made.get("a").status, "the same is not written again").to.deep.equal(status);
  });

  it("leaves it to the resource that has it what its address does on such a machine", () => {
    const made = world();
    made.addresses.set(IP, { holder: "digitalocean://elsewhere" });
    made.settle();
    made.addRouted("b", { routedIP: IP });
    made.serve("web", "n1", "n2");
    made.settle();
    expect(condition(made.plan("b"), "Accepted")).to.equal("True/Observed");
    for (const type of ["Assigned", "Conflict"]) expect(condition(made.plan("b"), type)).to.match(/ClaimedByOther$/);
  });

  it("creates an address on the elected node, after its firewall is open", () => {
    const made = world();
    made.addRouted("b", {}, { reclaimPolicy: "Delete" });
    made.serve("web", "n1", "n2");
    made.settle();
    const actions = made.journal.filter(({ by }) => by === "b").map(({ action }) => action.do);
    expect(actions.indexOf("change-firewall")).to.be.lessThan(actions.indexOf("create-address"));
    expect(made.get("b").status).to.deep.include({ created: true, routedIP: "198.51.100.1", state: "active" });
  });

  it("takes over what a crash has left: a taint, a node in the firewall", () => {
    const made = settled();
    made.serve("web", "n2");
    for (let at = 0; at < 7; at++) {
      const crashed = settled();
      crashed.serve("web", "n2");
      crashed.run("a", { at, what: "crash-after" });
      crashed.settle();
      expect(crashed.ownTaints("n1"), `crash after action ${at}`).to.be.empty;
      expect(crashed.ownTaints("n2")).to.deep.equal([TAINT]);
      expect(crashed.firewalls.get(FIREWALL)?.nodes).to.deep.equal(["digitalocean://n2"]);
      expect(crashed.holderOf("a")).to.equal("n2");
    }
  });

  it("leaves the address where it is while the Service can't be followed", () => {
    const made = settled();
    made.services.delete("default/web");
    expect(made.plan("a").steps).to.be.empty;
    expect(condition(made.plan("a"), "Accepted")).to.equal("False/ServiceNotFound");
    expect(condition(made.plan("a"), "Assigned")).to.equal("False/ServiceNotFound");
  });

  it("writes nothing while it is paused, and cleans up when it is deleted", () => {
    const made = settled();
    made.edit("a", { spec: { ...made.get("a").spec, paused: true } });
    made.serve("web", "n2");
    expect(made.isAtRest()).to.equal(true);
    made.delete("a");
    made.settle();
    expect(made.routed.size).to.equal(0);
    expect(made.ownTaints("n1")).to.be.empty;
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
  });

  it("gives up the cleanup after its deadline, and says what stays", () => {
    const made = settled();
    made.delete("a");
    const now = made.now + 3_600_000;
    const memory = { ...made.snapshot("a").memory, cleanup: { attempts: 10, since: now - 600_000 } };
    const { firewall } = made.snapshot("a");
    if (firewall === undefined) throw new Error("no firewall");
    const failure = { reason: "Unauthorized", message: "no" } as const;
    const late = altered(made, { now, memory, firewall: { ...firewall, facts: "unknown", failure } });
    expect(late.chains.flat().map((action) => action.do)).to.deep.equal(["remove-finalizer"]);
    expect(late.chains.flat()[0]).to.deep.include({
      abandonedItems: [
        "rule tcp 443 in firewall ingress",
        "digitalocean://n1 in firewall ingress",
        "a taint on node n1",
      ],
    });
  });

  describe("status.retryAt", () => {
    const refused = { reason: "Unauthorized", message: "no" } as const;
    const retryAtOf = (made: ModelWorld, change: Partial<Snapshot>) => altered(made, change).status.retryAt;

    it("says when the operator tries a refused creation again", () => {
      const made = world();
      made.edit("a", { spec: { ...made.get("a").spec, routedIP: "" } });
      const { memory, now } = made.snapshot("a");
      const creationFailure = { ...refused, retryAt: now + 60_000 };
      expect(retryAtOf(made, { memory: { ...memory, creationFailure } })).to.equal(timestamp(now + 60_000));
    });

    it("says when the operator tries records again, and delays no move by that", () => {
      const made = settled();
      const { now } = made.snapshot("a");
      const retryAt = timestamp(now + 60_000);
      const dns = {
        records: "unknown",
        previous: { records: "unknown" },
        failure: refused,
        failureRetryAt: now + 60_000,
        retryAt: now + 60_000,
      } as const;
      const spec = { ...made.get("a").spec, dnsRecordSet: { zone: "example.com", recordName: "a" } };
      made.edit("a", { spec, status: { ...made.get("a").status, retryAt } });
      expect(retryAtOf(made, { dns })).to.equal(retryAt);
      expect(retryAtOf(made, {}), "it is over").to.equal(undefined);
      made.serve("web", "n2");
      expect(does(altered(made, { dns }))).to.include("assign: assign");
    });
  });
});
