import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../src/clock.js";
import { plan } from "../../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import { accessMessages, classMessages } from "../../../src/messages/issuers-and-classes.js";
import { providerMessages } from "../../../src/messages/provider.js";
import { ModelWorld } from "./model-world.js";
import { settled } from "./routed-plans.js";

const IP = "203.0.113.7";

function world(spec: Parameters<ModelWorld["addRouted"]>[1] = { routedIP: IP }): ModelWorld {
  const made = new ModelWorld();
  for (const name of ["n1", "n2"]) made.addNode(name);
  made.addService("web", [443]);
  made.serve("web", "n1");
  made.addFirewall();
  made.addRouted("a", spec);
  return made;
}

function assigned(made: ModelWorld, change: Partial<Snapshot> = {}) {
  const { conditions } = plan({ ...made.snapshot("a"), ...change });
  const { status, reason, message = "" } = conditions.find(({ type }) => type === "Assigned") ?? {};
  return { is: `${status}/${reason}`, message };
}

/** The holder no longer serves, and the other node does. */
function toMove(): ModelWorld {
  const made = world();
  made.settle();
  made.serve("web", "n2");
  return made;
}

describe("a RoutedIP that the operator does not serve", () => {
  const refused = accessMessages.addressNotAllowed({ ip: IP, refusals: [], namespace: "default" });

  it("does not show an address that it may not have and never had: it may be at work for somebody else", () => {
    const made = world();
    const { status } = plan({ ...made.snapshot("a"), problem: refused });
    expect([status.routedIP, status.state]).to.deep.equal([undefined, "unassigned"]);
    expect(plan(made.snapshot("a")).status.routedIP, "it may have it").to.equal(IP);
    const missing = classMessages.missing({ name: "public" });
    expect(plan({ ...made.snapshot("a"), problem: missing }).status.routedIP, "that is not known").to.equal(IP);
    const created = { ...made.get("a"), status: { routedIP: IP, created: true } };
    expect(plan({ ...made.snapshot("a"), routed: created, problem: refused }).status.routedIP, "its own").to.equal(IP);
    made.settle();
    expect(plan({ ...made.snapshot("a"), problem: refused }).status.routedIP, "it had the address").to.equal(IP);
  });

  it("says that its record stays as it is", () => {
    const dnsRecordSet = { provider: "digitalocean", zone: "example.com", recordName: "www" };
    const made = world({ routedIP: IP, dnsRecordSet });
    const { status } = made.get("a");
    made.edit("a", { status: { ...status, dns: { ...dnsRecordSet, types: ["A"], values: [IP] } } });
    const problem = classMessages.missing({ name: "public" });
    const { conditions } = plan({ ...made.snapshot("a"), problem });
    const { reason, message } = conditions.find(({ type }) => type === "DNSReady") ?? {};
    expect(reason).to.equal("KeptLastKnown");
    expect(message).to.include(`record www.example.com holds ${IP}; the operator keeps it as it is`);
    made.edit("a", { spec: { ...made.get("a").spec, dnsRecordSet: { ...dnsRecordSet, recordName: "new" } } });
    const capabilities = { ttl: (seconds: number) => seconds, owner: false };
    const records = { records: "unknown", previous: { records: "unknown" } } as const;
    const dns = { ...records, capabilities, fqdn: "new.example.com" };
    const renamed = plan({ ...made.snapshot("a"), problem, dns, cachesComplete: false }).conditions.find(
      ({ type }) => type === "DNSReady",
    );
    expect(renamed?.message, "the spec names another one now").to.include(`record www.example.com holds ${IP}`);
  });
});

describe("what keeps a RoutedIP from its node", () => {
  it("names the address once, if the last action on it failed while it serves on the former node", () => {
    const made = toMove();
    made.serve("web", "n1", "n2");
    const error = "node n2: the provider's action failed: no reason given";
    const failed = { state: "error", reason: "ProviderUnavailable", error } as const;
    const { status } = made.get("a");
    made.edit("a", { status: { ...status, ...failed, retryAt: timestamp(made.now + 60_000) } });
    made.editNode("n1", { unschedulable: true });
    expect(assigned(made).message).to.equal(`${IP} is on n1 and cannot move: ${error}`);
  });

  it("is the resource whose address is on the node that serves", () => {
    const made = world();
    made.addRouted("b", { routedIP: "203.0.113.8" });
    made.addresses.set("203.0.113.8", { holder: "digitalocean://n1" });
    const { is, message } = assigned(made);
    expect(is).to.equal("False/NoCandidate");
    expect(message).to.include("n1 already holds 203.0.113.8 of RoutedIP default/b");
    expect(message).to.include("Service default/web");
  });

  it("is the region of the address, although the nodes of other regions are occupied, too", () => {
    const made = world();
    made.addRouted("b", { routedIP: "203.0.113.8" });
    made.addresses.set("203.0.113.8", { holder: "digitalocean://n1" });
    made.editNode("n1", { labels: { "topology.kubernetes.io/region": "nyc3" } });
    const { inventory } = made.snapshot("a");
    const get = (ip: string) => {
      const facts = inventory.get(ip);
      return facts && { ...facts, region: "ams3" };
    };
    const { is, message } = assigned(made, { inventory: { ...inventory, get } });
    expect(is).to.equal("False/WrongRegion");
    expect(message).to.include(`${IP} is in region ams3`).and.to.include("nyc3");
  });

  it("is what keeps the node of the address's region from matching", () => {
    const made = world();
    made.editNode("n1", { labels: { "topology.kubernetes.io/region": "nyc3" } });
    made.editNode("n2", { labels: { "topology.kubernetes.io/region": "ams3" }, unschedulable: true });
    made.serve("web", "n1", "n2");
    const { inventory } = made.snapshot("a");
    const get = (ip: string) => {
      const facts = inventory.get(ip);
      return facts && { ...facts, region: "ams3" };
    };
    const { is, message } = assigned(made, { inventory: { ...inventory, get } });
    expect(is, "a reason that the reference has for Assigned").to.equal("False/NoCandidate");
    expect(message).to.include("no node that matches is there (0 of 1 nodes match; 1 Cordoned");
    expect(message).to.include("kubectl uncordon n2");
  });

  it("is the pause, with an address that should move and with none", () => {
    const made = toMove();
    const { set } = made.snapshot("a");
    expect(assigned(made, { set: { ...set, paused: true } }).is).to.equal("False/Paused");
    expect(assigned(world({ paused: true })).is).to.equal("False/Paused");
  });

  it("is the pause, with the holder that is lost, also where its endpoints still show as serving and in its grace", () => {
    const losses: Readonly<Record<string, (made: ModelWorld) => void>> = {
      NodeNotReady: (made) => made.setReady("n1", false),
      NoPod: (made) => made.serve("web", "n2"),
    };
    for (const gracePeriodSeconds of [0, 300]) {
      for (const [reason, lose] of Object.entries(losses)) {
        const made = settled();
        made.edit("a", { spec: { ...made.get("a").spec, gracePeriodSeconds, paused: true } });
        lose(made);
        const { is, message } = assigned(made, {});
        expect(is, reason).to.equal("False/Paused");
        expect(message).to.include(`${IP} stays on n1 (${reason}`).and.to.include("set spec.paused to false");
        expect(message, "it does not move after the grace either").not.to.include("gracePeriodSeconds");
        expect(made.plan("a").status.error ?? message, "one text").to.equal(message);
      }
    }
  });

  it("is the node that is not ready, although its endpoints still show as serving", () => {
    const made = settled();
    made.setReady("n1", false);
    expect(assigned(made, {}).is).to.equal("False/NoCandidate");
    expect(made.plan("a").status.state).to.equal("no-match");
    made.edit("a", { spec: { ...made.get("a").spec, gracePeriodSeconds: 300 } });
    expect(assigned(made, {}).is).to.equal("False/InGrace");
  });

  it("is the failure of the account, while an address should move", () => {
    const providerFailure = providerMessages.unauthorized({ text: "digitalocean: list addresses: 401" });
    const made = toMove();
    const { is, message } = assigned(made, { providerFailure, providerRetryAt: made.now + 60_000 });
    expect(is).to.equal("False/Unauthorized");
    expect(message).to.include("401");
  });
});
