import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../src/clock.js";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import type { SlimNode } from "../../../src/kube/cache/slim-objects.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { MOVE_MAX_AGE_SECONDS } from "../../../src/timings.js";
import { NOT_READY } from "../../match/cluster.js";
import { NO_MEMORY } from "./support/no-memory.js";
import { actions, altered, cluster, condition, rest } from "./support/pool-plans.js";

const CORDONED = { unschedulable: true };
const [A, B, C] = ["203.0.113.7", "203.0.113.8", "203.0.113.9"];

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
      "web: 203.0.113.7 moves from node-3 (NodeNotReady for 12 s, grace 10 s over) to node-9 (youngest of 4 candidates); " +
        "2 others wait for the cool-off until 2025-06-01T10:01:12Z.",
    );
  });

  it("says why a holder has no grace period", () => {
    const moving = (gracePeriodSeconds: number, failure: Partial<SlimNode>) => {
      const cloud = rest(cluster(["n1"], { ips: [A], gracePeriodSeconds }));
      cloud.addNode("n1", failure);
      cloud.addNode("n2");
      return cloud.plan("web").explanation;
    };
    const move = (why: string) => `web: ${A} moves from n1 (${why}) to n2 (the only candidate).`;
    expect(moving(0, NOT_READY)).to.equal(move("NodeNotReady; gracePeriodSeconds is 0"));
    expect(moving(60, CORDONED)).to.equal(move("Cordoned, which gracePeriodSeconds does not cover"));
    expect(moving(60, { ...CORDONED, ...NOT_READY })).to.equal(
      move("Cordoned, NodeNotReady; gracePeriodSeconds does not cover Cordoned"),
    );
    expect(moving(0, CORDONED)).to.equal(move("Cordoned"));
  });

  it("calls a node the only candidate only where no other one matches, with or without an address", () => {
    const cloud = cluster(["n1"], { ips: [A, B] });
    expect(cloud.plan("web").explanation).to.equal(`web: ${A} goes to n1 (the only candidate).`);
    rest(cloud);
    cloud.addNode("n2");
    expect(cloud.plan("web").explanation).to.equal(`web: ${B} goes to n2 (the only candidate that is free).`);
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

  it("says that it is paused, not that it has no node, of an address whose holder is deleted", () => {
    const cloud = rest(cluster(["n1"], { ips: [A] }));
    cloud.removeNode("n1");
    // The machine is still there.
    cloud.addresses.set(A, "digitalocean://n1");
    for (const name of ["n2", "n3"]) cloud.addNode(name);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, paused: true }, status: { ...cloud.pool("web").status } });
    const { sequences, addresses } = cloud.plan("web");
    expect(sequences).to.be.empty;
    expect(addresses[0]?.status).to.deep.include({ state: "no-match", reason: "Paused" });
    expect(addresses[0]?.status.error).to.include("set spec.paused to false");
    const { message } = cloud.plan("web").conditions.find(({ type }) => type === "Fulfilled") ?? {};
    expect(message).to.equal(`0 of 1 addresses are active: ${addresses[0]?.status.error}`).and.to.include("n1");
  });

  it("promises no move after the grace period while it is paused", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A], gracePeriodSeconds: 300 }));
    cloud.setReady("n1", false);
    expect(cloud.plan("web").unserved?.reason).to.equal("InGrace");
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, paused: true } });
    const { reason, message } = cloud.plan("web").unserved ?? {};
    expect(reason).to.equal("Paused");
    expect(message).to.include(`${A} stays on n1`).and.to.include("set spec.paused to false");
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

  it("says what gives up a created address that ips does not list any more", () => {
    const fulfilled = (ips: readonly string[], reclaimPolicy: "Retain" | "Delete", inferred = false) => {
      const cloud = cluster(["n1", "n2"], { ips: [A, B], desiredIPs: 2, reclaimPolicy });
      const createdIPs = [A, B].map((ip) => ({ ip, createdTime: "2025-01-01T00:00:00Z", inSpec: true, inferred }));
      cloud.edit("web", { status: { createdIPs } });
      rest(cloud);
      cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips } });
      return cloud.plan("web").conditions.find(({ type }) => type === "Fulfilled");
    };
    const text = (what: string) =>
      `2 of 2 addresses are active; ips does not list ${B}, which the operator created: it serves, because desiredIPs is 2; to give it up, also set desiredIPs to 1: ${what}`;
    expect(fulfilled([A], "Retain")).to.deep.include({
      ...{ status: "True", reason: "Observed" },
      message: text(
        "the pool then stops using it, and the account keeps it until somebody releases it (reclaimPolicy is Retain)",
      ),
    });
    expect(fulfilled([A], "Delete")?.message).to.equal(text("the operator then releases it (reclaimPolicy is Delete)"));
    expect(fulfilled([A], "Delete", true)?.message, "it may be of somebody else").to.equal(
      text("the pool then stops using it, and the account keeps it until somebody releases it"),
    );
    expect(fulfilled([], "Delete")?.message).to.equal(
      `2 of 2 addresses are active; ips does not list ${A}, ${B}, which the operator created: they serve, because desiredIPs is 2; to give them up, delete the pool: the operator then releases them (reclaimPolicy is Delete)`,
    );
    expect(fulfilled([A, B], "Delete")?.message).to.equal("2 of 2 addresses are active");
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

  it("gives a holder whose grace is over no second one", () => {
    const cloud = cluster(["n1", "n2"], { ips: [A], gracePeriodSeconds: 60 });
    cloud.addresses.set(A, "digitalocean://n1");
    cloud.setReady("n1", false);
    const entry = { providerID: "digitalocean://n1", graceSince: timestamp(cloud.now - 5000) };
    cloud.edit("web", { status: { ips: { [A]: { ...entry, state: "active" } } } });
    expect(actions(cloud.plan("web"))).to.not.include("assign");
    expect(cloud.plan("web").unserved?.message).to.include(
      "n2 could take it now; fix: to let it move sooner, lower gracePeriodSeconds; fix: to keep it there, have the cluster",
    );
    cloud.edit("web", { status: { ips: { [A]: { ...entry, state: "no-match" } } } });
    expect(actions(cloud.plan("web"))).to.include("assign");
  });
});
