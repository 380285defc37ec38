import { expect } from "chai";
import { describe, it } from "mocha";
import { NodeRequestRegistry } from "../../../src/claims/node-shares.js";
import { lookUpDns } from "../../../src/controllers/routed-ip/gather-records.js";
import { registerDecision, reserve } from "../../../src/controllers/routed-ip/register-decision.js";

type Reserve = Parameters<typeof reserve>;
type Register = Parameters<typeof registerDecision>;
type LookUp = Parameters<typeof lookUpDns>;

describe("what a RoutedIP announces before the first action of a sequence", () => {
  it("is the creation of an address, so that no other resource takes the answer for its own", () => {
    const announced: object[] = [];
    const context = {
      moveLimits: { begin: () => undefined },
      creations: { set: (one: object) => announced.push(one) },
    };
    const memory: { creating?: string } = {};
    const ref = { kind: "RoutedIP", namespace: "shop", name: "web", uid: "u" };
    const gathered = { snapshot: { resolvedClass: { provider: "digitalocean" } }, family: "IPv4", account: {} };
    const create = { do: "create-address", desired: { family: "IPv4", node: "digitalocean://1" }, why: "" };
    const parts = [
      { routing: { context } },
      { memory, ref },
      gathered,
      { lockKey: "creation", steps: [{ actions: [create] }] },
    ];
    reserve(...(parts as unknown as Reserve));
    expect(announced).to.have.length(1);
    expect(announced[0]).to.deep.include({ running: true, family: "IPv4" });
    expect(memory.creating).to.equal("announced");
  });
});

describe("a RoutedIP whose class has Jobs now", () => {
  it("keeps no node from others that it waited for before", () => {
    const notified: (readonly string[])[] = [];
    const nodeRequests = new NodeRequestRegistry((uids) => notified.push(uids));
    for (const uid of ["web", "young"]) {
      const ref = { kind: "RoutedIP", namespace: "shop", name: uid, uid };
      const candidates = () => ["digitalocean://1"];
      nodeRequests.set("IPv4", {
        ...{ ref, account: "one", createdAt: uid === "web" ? "2025-01-01T00:00:00Z" : "2025-01-02T00:00:00Z" },
        ...{ wants: 1, missing: 0, candidates },
      });
    }
    const snapshot = {
      routed: { metadata: { uid: "web" }, spec: {}, status: {} },
      candidates: [],
      cachesComplete: false,
    };
    const parts = [
      { routing: { context: { nodeRequests } }, jobs: { aims: { set: () => false } } },
      { ref: { uid: "web" }, memory: { follower: {} } },
      { by: "jobs", snapshot },
      { decision: { by: "jobs", settled: false, nodes: [] } },
    ];
    registerDecision(...(parts as unknown as Register));
    expect(notified).to.deep.equal([["young"]]);
  });
});

describe("the record set of a RoutedIP", () => {
  it("does not exist without one in the spec and in the status", () => {
    const records = { zones: { lookUp: () => undefined }, clock: { now: () => 0 } };
    const routing = { context: { records, providers: { names: [] } } };
    const scene = { family: "IPv4", claims: { addresses: new Map(), names: [] } };
    const dnsOf = (spec: object, status: object) =>
      lookUpDns(...([routing, { metadata: { namespace: "shop" }, spec, status }, scene] as unknown as LookUp)).dns;
    expect(dnsOf({}, {})).to.equal(undefined);
    const written = { provider: "cloudflare", zone: "example.com", recordName: "www", types: ["A"], values: [] };
    expect(dnsOf({}, { dns: written })).not.to.equal(undefined);
  });
});
