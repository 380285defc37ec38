/** What must be so at rest: a small world in which all is well, and each mistake in it. */

import { expect } from "chai";
import { describe, it } from "mocha";
import type { History, HolderFact } from "./history.js";
import { call, fact, held, history, IP, NODE, OTHER_IP, object, POOL } from "./made-up.js";
import type { Picture, PictureNode, PictureResource } from "./oracle/picture.js";
import { unsettled } from "./oracle/rest.js";
import type { AnyResource } from "./stage/specs.js";

const DNS = { cloud: "digitalocean", fqdn: "web.example.com", deletes: false } as const;
const KEY = "digitalocean A web.example.com";

function node(name: string, change: Partial<PictureNode> = {}): PictureNode {
  return { name, state: NODE, externalIp: "198.18.0.1", hasMachine: true, annotations: {}, ...change };
}

const HOLDER = node("node-1", { annotations: { ipv4: IP } });
const FREE = node("node-2", { state: { ...NODE, droplet: 2 }, externalIp: "198.18.0.2" });

function conditions(status: string) {
  return ["Ready", "Fulfilled"].map((type) => ({ type, status, reason: "Observed", message: "as it should be" }));
}

function pool(status: AnyResource["status"] = {}, state: Partial<PictureResource["state"]> = {}): PictureResource {
  const active = { ips: { [IP]: { state: "active", nodeName: "node-1" } }, conditions: conditions("True") };
  const metadata = { name: "web", uid: "uid-web", resourceVersion: "1" };
  return {
    name: "web",
    state: { ...POOL, dns: DNS, ...state },
    object: { metadata, spec: { ips: [IP] }, status: { ...active, ...status } },
  };
}

function picture(change: Partial<Picture> = {}): Picture {
  return {
    ...{ at: 0, nodes: [HOLDER, FREE], holders: { [IP]: 1 }, records: { [KEY]: [IP] } },
    ...{ resources: [pool()], lingering: [], versions: {} },
    ...change,
  };
}

function finds(change: Partial<Picture>, words: RegExp, past: Partial<History> = {}): void {
  expect(unsettled(picture(change), history(past)).join("\n")).to.match(words);
}

function passes(change: Partial<Picture> = {}, past: Partial<History> = {}): void {
  expect(unsettled(picture(change), history(past))).to.deep.equal([]);
}

describe("the oracle of the storm, at rest", () => {
  it("finds nothing where all is well", () => {
    passes();
  });

  it("an address that could be on a free candidate", () => {
    const failed = node("node-1", { state: { ...NODE, ready: false }, annotations: { ipv4: IP } });
    finds({ nodes: [failed, FREE] }, /is on node-1 and could be on node-2/);
    finds({ holders: { [IP]: null }, nodes: [node("node-1"), FREE] }, /could be on node-1/);
    passes({ nodes: [failed] });
    // An older resource may keep the node for an address that it lacks: that is reported by itself.
    const lacking = { ...pool(), name: "older", state: { ...POOL, desired: 2 } };
    const found = unsettled(picture({ nodes: [failed, FREE], resources: [pool(), lacking] }), history());
    expect(found.join("\n")).to.match(/^older: it has 1 of 2.*$/);
    const paused = { resources: [pool({}, { paused: true })] };
    passes({ nodes: [failed, FREE], ...paused });
  });

  it("an address that a person moved last: the operator looks at it every 5 minutes only", () => {
    const holders = [held(20_000, IP, null, "hand"), held(20_001, IP, 1), held(20_002, IP, null, "hand")];
    passes({ holders: { [IP]: null }, nodes: [node("node-1"), FREE] }, { holders });
  });

  it("a status that disagrees with the cloud", () => {
    finds({ resources: [pool({ ips: { [IP]: { state: "in-progress", nodeName: "node-1" } } })] }, /the status says/);
    finds({ resources: [pool({ conditions: conditions("False") })] }, /Ready is not True though all is well/);
    finds({ resources: [pool({ error: "no answer" })] }, /status.error is "no answer"/);
  });

  it("too few addresses, unless a person must say which one is the pool's", () => {
    finds({ resources: [pool({}, { desired: 2 })] }, /it has 1 of 2 addresses/);
    const ambiguous = [{ type: "Fulfilled", status: "False", reason: "CreationUnsettled", message: "two could be it" }];
    const waiting = pool({ conditions: ambiguous }, { desired: 2 });
    const holders = [...history().holders, held(21_000, OTHER_IP, null, "hand")];
    passes({ resources: [waiting] }, { holders });
    finds({ resources: [waiting] }, /it has 1 of 2/, { holders: history().holders.slice(1) });
    // The pool needs that address no longer, and the creation is still open.
    passes({ resources: [pool({ conditions: [...conditions("True"), ...ambiguous] })] }, { holders });
  });

  it("an address that the order of ips disables, whoever created it", () => {
    const active = { state: "active", nodeName: "node-1" };
    const createdIPs = [{ ip: IP, createdTime: "2026-01-02T03:04:05Z", inSpec: true }];
    const fewer = pool({ ips: { [IP]: active, [OTHER_IP]: { state: "disabled" } }, createdIPs });
    const listing = (...ips: readonly string[]) => ({ ...fewer, object: { ...fewer.object, spec: { ips } } });
    const holders = { [IP]: 1, [OTHER_IP]: null };
    passes({ holders, resources: [listing(IP, OTHER_IP)] });
    finds({ holders, resources: [listing(OTHER_IP, IP)] }, new RegExp(`${OTHER_IP} is on no node`));
    finds({ holders, resources: [listing(OTHER_IP)] }, new RegExp(`${OTHER_IP} is on no node`));
  });

  it("an address whose pool has a disabled one on the last node, unless another resource lists that", () => {
    const fewer = pool({ ips: { [OTHER_IP]: { state: "disabled" } } });
    const object = { ...fewer.object, spec: { ips: [IP, OTHER_IP] } };
    const resources = [{ ...fewer, object, state: { ...fewer.state, desired: 1 } }];
    const world = { nodes: [HOLDER], holders: { [IP]: null, [OTHER_IP]: 1 } };
    finds({ ...world, resources }, new RegExp(`${IP} is on no node and could be on node-1`));
    const asking = { ...pool(), name: "other", object: { ...pool().object, spec: { ips: [OTHER_IP] } } };
    const found = unsettled(picture({ ...world, resources: [...resources, asking] }), history());
    expect(found.join()).not.to.include(`${IP} is on no node`);
  });

  it("a record set with other values than it should have", () => {
    finds({ records: {} }, /holds \[\] instead of/);
    const byHand = { at: 1, cloud: "digitalocean", key: "A web.example.com", values: [], by: "hand" } as const;
    passes({ records: {} }, { records: [byHand] });
    // The operator replaces a value of its own, and does not read what a person added meanwhile.
    const set = (at: number, by: "hand" | "api", ...values: readonly string[]) => ({ ...byHand, at, by, values });
    const records = [
      set(1, "api", IP, OTHER_IP),
      set(2, "hand", IP, OTHER_IP, "203.0.113.1"),
      set(4, "api", IP, "203.0.113.1"),
    ];
    const values = { records: { [KEY]: [IP, "203.0.113.1"] } };
    passes(values, { records });
    const read = { method: "GET", path: "/v2/domains/example.com/records", query: "name=web.example.com&type=A" };
    finds(values, /holds .* instead of/, { records, calls: [call(3, read)] });
  });

  it("a record set of nodes without one of them", () => {
    const set = pool({}, { kind: "set", dns: DNS });
    finds({ resources: [set], records: { [KEY]: ["198.18.0.1"] } }, /instead of \[198.18.0.1, 198.18.0.2\]/);
    passes({ resources: [set], records: { [KEY]: ["198.18.0.1", "198.18.0.2"] } });
  });

  it("a RoutedIP away from the nodes that serve it", () => {
    const routed = (endpoints: Record<string, "ready">) =>
      pool({ routedIP: IP, state: "active", assignedNode: "node-1" }, { kind: "routed", endpoints });
    passes({ resources: [routed({ "node-1": "ready" })] });
    finds({ resources: [routed({ "node-2": "ready" })] }, /is on node-1 and could be on node-2/);
    const tainted = { ...HOLDER, state: { ...NODE, taint: "hard" as const } };
    passes({ nodes: [tainted, FREE], resources: [routed({ "node-1": "ready", "node-2": "ready" })] });
  });

  const CHECK = { type: "TCP", intervalSeconds: 1, failureThreshold: 2, successThreshold: 2 } as const;
  const CHECKED = { resources: [pool({}, { check: CHECK })] };
  const dead = (one: PictureNode): PictureNode => ({ ...one, state: { ...one.state, service: "closed" } });

  it("an address on a node whose probes fail, with a candidate whose probes do not", () => {
    const at = 120_000;
    finds({ ...CHECKED, at, nodes: [dead(HOLDER), FREE] }, /is on node-1 and could be on node-2/);
    passes({ ...CHECKED, at, nodes: [dead(HOLDER), dead(FREE)] });
    const { nodes } = history();
    const twice = [0, 10_000].flatMap((later) => [
      fact("node-2", 30_000 + later, dead(FREE).state),
      fact("node-2", 35_000 + later, FREE.state),
    ]);
    // It failed twice: for 30 s, and until enough probes have succeeded, it is no candidate.
    passes({ ...CHECKED, at: 85_000, nodes: [dead(HOLDER), FREE] }, { nodes: [...nodes, ...twice] });
    finds({ ...CHECKED, at, nodes: [dead(HOLDER), FREE] }, /could be on node-2/, { nodes: [...nodes, ...twice] });
    const cutOff = [{ from: 60_000, to: 110_000, what: "node-2" }];
    passes({ ...CHECKED, at, nodes: [dead(HOLDER), FREE] }, { cutOff });
  });

  it("a record set of nodes: one whose probes fail leaves it, one that failed lately may be in it", () => {
    const set = [pool({}, { kind: "set", check: CHECK })];
    const records = (...values: readonly string[]) => ({ records: { [KEY]: values }, resources: set, at: 50_000 });
    const both = ["198.18.0.1", "198.18.0.2"];
    finds({ ...records(...both), nodes: [HOLDER, dead(FREE)] }, /instead of \[198.18.0.1\]/);
    passes({ ...records("198.18.0.1"), nodes: [HOLDER, dead(FREE)] });
    const lately = {
      nodes: [...history().nodes, fact("node-2", 30_000, dead(FREE).state), fact("node-2", 40_000, FREE.state)],
    };
    for (const values of [both, ["198.18.0.1"]]) passes(records(...values), lately);
    finds(records("198.18.0.1"), /instead of \[198.18.0.1, 198.18.0.2\]/);
  });

  it("a mass failure stops moves, if enough nodes have failed and the resource does not override it", () => {
    const stopped = {
      conditions: [...conditions("True"), { type: "MassFailure", status: "True", reason: "", message: "" }],
    };
    const failed = { ...HOLDER, state: { ...NODE, ready: false } };
    const others = ["node-3", "node-4"].map((name) => node(name, { state: { ...NODE, droplet: 3, ready: false } }));
    passes({ nodes: [failed, FREE, ...others], resources: [pool(stopped)] });
    finds({ nodes: [failed, FREE], resources: [pool(stopped)] }, /a mass failure, and 1 nodes have failed/);
    const overridden = pool(stopped, { ignoresMassFailure: true });
    finds({ nodes: [failed, FREE, ...others], resources: [overridden] }, /which its annotation overrides/);
  });

  it("probes that are doubted although the replicas see the same", () => {
    const doubted = { type: "ProbesDoubted", status: "True", reason: "NoWitness", message: "node-1" };
    finds({ resources: [pool({ conditions: [...conditions("True"), doubted] })] }, /its probes are doubted/);
  });

  it("a deleted resource, unless the operator still looks for an address that it created", () => {
    const created = { objects: [object({ created: [OTHER_IP] })] };
    const released: HolderFact = { at: 30_000, ip: OTHER_IP, family: "ipv4", by: "hand" };
    passes({ lingering: ["web"] }, { ...created, holders: [...history().holders, released] });
    const holders = [...history().holders, { ...released, by: "api" as const }];
    finds({ lingering: ["web"] }, /still there/, { ...created, holders });
    const [process] = history().processes;
    const processes =
      process === undefined ? [] : [{ ...process, exit: { at: 30_500, code: null, signal: "SIGKILL" } }];
    passes({ lingering: ["web"] }, { ...created, holders, processes });
  });

  it("annotations, leaks, and what should be gone", () => {
    finds({ nodes: [HOLDER, { ...FREE, annotations: { ipv4: OTHER_IP } }] }, /node-2 has the annotation/);
    finds({ lingering: ["web"] }, /web is deleted and still there/);
    const holders = [...history().holders, held(30_000, OTHER_IP, null)];
    const objects = [object({ known: [IP] })];
    const leaked = { [IP]: 1, [OTHER_IP]: null };
    finds({ holders: leaked }, /no resource has ever known it/, { holders, objects });
    passes({ holders: leaked }, { holders, objects: [object({ known: [IP, OTHER_IP] })] });
    const deleted = [...objects, object({ uid: "uid-gone", known: [IP], deleted: true, pending: true })];
    passes({ holders: leaked }, { holders, objects: deleted });
    // It goes, waits for an address that a person released, and reports its open creation at the end.
    const released: HolderFact = { at: 30_000, ip: "198.51.100.9", family: "ipv4", by: "hand" };
    const going = [...objects, object({ name: "gone", known: [IP], created: [released.ip], pending: true })];
    const picture = { holders: leaked, lingering: ["gone"] };
    passes(picture, { holders: [...holders, released], objects: going });
    const settled = going.map((fact) => ({ ...fact, pending: false }));
    finds(picture, /no resource has ever known it/, { holders: [...holders, released], objects: settled });
  });
});
