import { expect } from "chai";
import { describe, it } from "mocha";
import type { Snapshot } from "../../../../src/controllers/floating-ip-pool/snapshot.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { fulfilled } from "../support/fulfilled.js";
import type { ModelCloud } from "../support/model-cloud.js";
import { actions, altered, cluster, rest } from "../support/pool-plans.js";

const [A, B, C, D] = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"] as const;
const NAME = "web.example.com";
const DNS = { recordName: NAME, zone: "example.com" };

type Spec = Parameters<ModelCloud["addPool"]>[1];

/** All addresses are up, and then the pool asks for less, or for others. */
function changed(nodes: readonly string[], before: Spec, after: Spec): ModelCloud {
  const cloud = rest(cluster(nodes, before));
  cloud.edit("web", { spec: { ...cloud.pool("web").spec, ...after } });
  return cloud;
}

/** A serves, and B is disabled on the only other node; its TTL in DNS is over. */
function spare(before: Spec = { ips: [A, B] }, after: Spec = { desiredIPs: 1 }): ModelCloud {
  const cloud = rest(changed(["n1", "n2"], { ...before, dnsRecordSet: DNS }, after));
  cloud.now += 3_600_000;
  return rest(cloud);
}

function holder(cloud: ModelCloud, ip: string): string | undefined {
  return cloud.addresses.get(ip)?.split("//")[1];
}

function fail(cloud: ModelCloud, ip: string): ModelCloud {
  cloud.setReady(holder(cloud, ip) ?? "", false);
  return cloud;
}

function unassigns(made: ReturnType<ModelCloud["plan"]>): readonly string[] {
  return made.sequences.flatMap(actionsOf).flatMap((action) => (action.do === "unassign" ? [action.ip] : []));
}

describe("an address of a pool that it no longer asks for, on the only node that is left", () => {
  it("gives the node to an address whose node fails or goes", () => {
    for (const end of ["fails", "goes"]) {
      const cloud = spare();
      const [lost, left] = [holder(cloud, A) ?? "", holder(cloud, B)];
      if (end === "fails") cloud.setReady(lost, false);
      else cloud.removeNode(lost);
      expect(unassigns(cloud.plan("web")), end).to.deep.equal([B]);
      rest(cloud);
      expect([holder(cloud, A), holder(cloud, B)], end).to.deep.equal([left, undefined]);
      expect(fulfilled(cloud.plan("web")).is).to.equal("True/Observed");
      expect(cloud.zone.get(NAME)).to.deep.equal([A]);
    }
  });

  it("gives it also where the operator created it, whatever the policy, and where only the lists show that", () => {
    for (const reclaimPolicy of ["Retain", "Delete"] as const) {
      for (const inferred of [false, true]) {
        const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy }));
        const { status, spec } = cloud.pool("web");
        const createdIPs = (status.createdIPs ?? []).map((entry) => ({ ...entry, ...(inferred && { inferred }) }));
        cloud.edit("web", { spec: { ...spec, desiredIPs: 1 }, status: { ...status, createdIPs } });
        const [first = ""] = spec.ips ?? [];
        rest(fail(cloud, first));
        expect(fulfilled(cloud.plan("web")).is, `${reclaimPolicy} ${inferred}`).to.equal("True/Observed");
      }
    }
  });

  it("stays while a node is free, while the holder of the other one is well, and while the pool is paused", () => {
    const cloud = spare();
    expect(actions(cloud.plan("web"))).to.deep.equal([]);
    fail(cloud, A);
    const { pool } = cloud.snapshot("web");
    const paused = { ...pool, spec: { ...pool.spec, paused: true } };
    expect(actions(altered(cloud, { pool: paused })), "paused").to.deep.equal([]);
    cloud.addNode("n3");
    expect(unassigns(cloud.plan("web")), "a free node").to.deep.equal([]);
    rest(cloud);
    expect(holder(cloud, A)).to.equal("n3");
  });

  it("stays if it is of another resource, if that lists it, too, if a read contradicts it, or an action runs on it", () => {
    const planned = (change: (snapshot: Snapshot) => Partial<Snapshot>) => {
      const cloud = fail(spare(), A);
      return unassigns(altered(cloud, change(cloud.snapshot("web"))));
    };
    const claimed = (claim: object) => (snapshot: Snapshot) => {
      const addresses = new Map([...snapshot.claims.addresses, [B, claim as never]]);
      return { claims: { ...snapshot.claims, addresses } };
    };
    const seen = (facts: object) => (snapshot: Snapshot) => {
      const get = (ip: string) => {
        const known = snapshot.inventory.get(ip);
        return ip === B && known !== undefined ? { ...known, ...facts } : known;
      };
      return { inventory: { ...snapshot.inventory, get } };
    };
    expect(planned(() => ({}))).to.deep.equal([B]);
    const other = { kind: "FloatingIPPool", namespace: "default", name: "other", uid: "other" };
    expect(planned(claimed({ ours: false, owned: { owner: other, basis: "older" } }))).to.deep.equal([]);
    expect(planned(claimed({ ours: true, askedBy: other }))).to.deep.equal([]);
    expect(planned(claimed({ ours: true, unread: true }))).to.deep.equal([]);
    expect(planned(claimed({ ours: true, asked: true }))).to.deep.equal([]);
    expect(planned(seen({ unconfirmed: true }))).to.deep.equal([]);
    expect(planned(seen({ action: {} }))).to.deep.equal([]);
    expect(planned(seen({ borrowed: true }))).to.deep.equal([]);
  });

  it("comes last where the provider did not take it off its node, and the condition says what is on the node", () => {
    const failed = (cloud: ModelCloud) => {
      const { memory, now } = cloud.snapshot("web");
      return altered(cloud, { memory: { ...memory, retryAt: new Map([[`address ${B}`, now + 60_000]]) } });
    };
    const alone = failed(fail(spare(), A));
    expect(fulfilled(alone)).to.deep.include({ is: "False/TooFewCandidates" });
    expect(fulfilled(alone).message).to.include(`have the owner of the account unassign ${B} at the provider`);
    expect(unassigns(alone), "the engine tries it again").to.deep.equal([B]);
    const cloud = rest(changed(["n1", "n2", "n3"], { ips: [A, B, C] }, { desiredIPs: 1 }));
    expect(unassigns(failed(fail(cloud, A)))).to.deep.equal([C]);
  });

  it("stays if another pool lists it", () => {
    const cloud = spare();
    cloud.addPool("other", { ips: [B] });
    cloud.run("other");
    expect(unassigns(fail(cloud, A).plan("web"))).to.deep.equal([]);
  });

  it("leaves for one address only: while it goes, no second one gives its node", () => {
    const cloud = rest(changed(["n1", "n2", "n3"], { ips: [A, B, C] }, { desiredIPs: 1 }));
    fail(cloud, A);
    const [first = ""] = unassigns(cloud.plan("web"));
    const { inventory } = cloud.snapshot("web");
    const get = (ip: string) => {
      const facts = inventory.get(ip);
      return ip === first && facts ? { ...facts, inFlight: { id: "7", expected: undefined } } : facts;
    };
    const made = altered(cloud, { inventory: { ...inventory, get } });
    expect(unassigns(made)).to.deep.equal([]);
    expect(fulfilled(made)).to.deep.include({ is: "Unknown/UnderWay" });
  });

  it("follows the cool-off and the limit of moves, before it leaves", () => {
    const cloud = fail(spare(), A);
    const moveAllowance = { moves: 0, nextAt: cloud.now + 30_000, begun: new Set<string>() };
    const limited = altered(cloud, { moveAllowance });
    expect(unassigns(limited)).to.deep.equal([]);
    expect(fulfilled(limited).is).to.equal("False/MoveLimit");
    const { memory, set } = cloud.snapshot("web");
    const cooling = altered(cloud, {
      set: { ...set, coolOffSeconds: 60 },
      memory: { ...memory, lastAssignmentAt: cloud.now - 1000 },
    });
    expect(unassigns(cooling)).to.deep.equal([]);
    expect(fulfilled(cooling).is).to.equal("False/CoolingOff");
  });

  it("gives the node after a crash, wherever it happened", () => {
    for (const what of ["crash-before", "crash-after", "lost", "refused"] as const) {
      for (let at = 0; at < 6; at++) {
        const cloud = fail(spare(), A);
        cloud.run("web", { at, what });
        for (let round = 0; round < 5; round++) {
          cloud.now += 35_000;
          rest(cloud);
        }
        expect([holder(cloud, A) !== undefined, fulfilled(cloud.plan("web")).is], `${what} ${at}`).to.deep.equal([
          true,
          "True/Observed",
        ]);
      }
    }
  });
});

describe("an address of a pool that serves, and stands behind another one after a change of ips", () => {
  /** Each run, until the pool is at rest: what DNS has. */
  function story(cloud: ModelCloud): readonly string[] {
    const seen = new Set<string>();
    for (let round = 0; round < 60; round++) {
      cloud.run("web");
      seen.add((cloud.zone.get(NAME) ?? []).join(" "));
      for (const ip of cloud.zone.get(NAME) ?? []) expect(cloud.matches(cloud.addresses.get(ip)), ip).to.equal(true);
      cloud.now += 5_000;
    }
    return [...seen];
  }

  it("leaves DNS, and a TTL later its node, which the other one gets", () => {
    const cloud = changed(["n1", "n2"], { ips: [A, B, C], desiredIPs: 2, dnsRecordSet: DNS }, { ips: [C, A, B] });
    cloud.run("web");
    cloud.run("web");
    const waiting = cloud.plan("web");
    expect([unassigns(waiting), cloud.zone.get(NAME), holder(cloud, B) === undefined]).to.deep.equal([[], [A], false]);
    expect(fulfilled(waiting).is).to.equal("Unknown/UnderWay");
    expect(fulfilled(waiting).message).to.match(/1 of 2 addresses are active; .* 203\.0\.113\.2.*10:01:00/);
    expect(waiting.requeueAt).to.equal(cloud.now + 60_000);
    expect(story(cloud)).to.deep.equal([A, `${A} ${C}`]);
    expect([holder(cloud, C) !== undefined, holder(cloud, B)]).to.deep.equal([true, undefined]);
  });

  it("stays in DNS while a free node gets the other one", () => {
    const cloud = changed(["n1", "n2", "n3"], { ips: [A, B, C], desiredIPs: 2, dnsRecordSet: DNS }, { ips: [C, A, B] });
    cloud.actionSeconds = 8;
    expect(story(cloud)).to.deep.equal([`${A} ${B}`, `${A} ${C}`]);
    expect(holder(cloud, B), "B keeps its node").to.not.equal(undefined);
  });

  it("goes one at a time where all of them are replaced, so that DNS never lacks one that serves", () => {
    const before = { ips: [A, B], dnsRecordSet: DNS };
    const cloud = changed(["n1", "n2"], before, { ips: [C, D, A, B], desiredIPs: 2 });
    for (const ip of [C, D]) cloud.addresses.set(ip, undefined);
    expect(story(cloud)).to.deep.equal([B, C, `${C} ${D}`]);
    expect(fulfilled(cloud.plan("web")).is).to.equal("True/Observed");
  });

  it("goes at once where the name has no other one: a name is never empty", () => {
    const cloud = changed(["n1"], { ips: [A], dnsRecordSet: DNS }, { ips: [B, A], desiredIPs: 1 });
    cloud.addresses.set(B, undefined);
    rest(cloud);
    expect([holder(cloud, B), holder(cloud, A), cloud.zone.get(NAME)]).to.deep.equal(["n1", undefined, [B]]);
  });

  it("is not touched where ips does not name it any more", () => {
    const cloud = changed(["n1"], { ips: [A] }, { ips: [B] });
    cloud.addresses.set(B, undefined);
    const { message } = fulfilled(rest(cloud).plan("web"));
    expect(holder(cloud, A)).to.equal("n1");
    expect(message).to.include(`append ${A} to ips and set desiredIPs to 1`);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [B, A], desiredIPs: 1 } });
    expect(holder(rest(cloud), B), "the remedy works").to.equal("n1");
  });
});
