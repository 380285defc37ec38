import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { until } from "flipop-operator/testing/until";
import { afterEach, describe, it } from "mocha";
import { StoryClock } from "../../../src/story/clock.js";
import { Kubelets } from "../../../src/story/controllers/node-heartbeats.js";
import type { Fact } from "../../../src/story/rules/facts.js";
import { Observer } from "../../../src/story/rules/observer.js";
import { verdictsOf } from "../../../src/story/rules/rules.js";
import { readScenario } from "../../../src/story/scenario/read-scenario.js";
import { Stage } from "../../../src/story/stage.js";

const SCENARIO = `
title: t
nodes: [{ name: edge, count: 2 }]
cloud: { addresses: [192.0.2.10], zones: [example.com, example.net], zoneIds: { example.com: ${"a".repeat(32)} } }
acts: [{ title: a }]
`;
const POOL = {
  apiVersion: GROUP_VERSION,
  kind: "FloatingIPPool",
  metadata: { name: "web", namespace: "default" },
  spec: { provider: "digitalocean", region: "nyc3", ips: ["192.0.2.10"] },
};

describe("the observer of a story", () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  async function rig() {
    const clock = new StoryClock({ start: Date.now(), speed: 600 });
    const scenario = readScenario({ name: "t.yaml", text: SCENARIO, readFile: () => "" });
    const stage = await Stage.set({ scenario, clock, port: 0, logger: silentLogger });
    const { world, zones } = stage;
    const token = world.kubernetes.addIdentity("operator", "everything");
    const machines = new Kubelets(stage);
    const observer = new Observer({ world, zones, clock, operators: new Set([token]), machines });
    ends.push(async () => {
      observer.stop();
      await stage.close();
      clock.stop();
    });
    observer.look("story");
    clock.run();
    const { url, token: secret } = world.digitalocean;
    const post = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      expect(answer.ok, await answer.text()).to.equal(true);
    };
    const [first, second] = stage.nodes.map(({ spec }) => Number(spec.providerID?.replace("digitalocean://", "")));
    const facts = (kind: Fact["kind"]) => observer.facts.filter((fact) => fact.kind === kind);
    return { world, stage, clock, observer, machines, post, facts, first, second };
  }

  it("sees that an address is taken from a healthy holder", async () => {
    const { world, clock, observer, post, facts, first = 0, second } = await rig();
    world.kubernetes.create(POOL);
    world.digitalocean.state.setHolder("192.0.2.10", first);
    observer.look("story");
    await clock.sleep(6_000);
    await post("/v2/reserved_ips/192.0.2.10/actions", { type: "assign", droplet_id: second });
    await until("it moved", () => facts("moved").length === 2);

    expect(facts("ordered")[0]).to.include({ ip: "192.0.2.10", from: "edge-1", to: "edge-2" });
    expect(facts("moved").at(-1)).to.include({ from: "edge-1", to: "edge-2", by: "operator" });
    const [violation] = verdictsOf(observer.facts).flatMap(({ violations }) => violations);
    expect(violation).to.match(/default\/web: 192\.0\.2\.10 was taken from edge-1, which was well since 00:0\d/);
  });

  it("knows what was wrong with a holder at the moment of the call, also if no time passed in between", async () => {
    const { world, clock, observer, post, first = 0, second } = await rig();
    world.kubernetes.create(POOL);
    world.digitalocean.state.setHolder("192.0.2.10", first);
    observer.look("story");
    await clock.sleep(6_000);
    clock.stop();
    world.kubernetes.change({ apiVersion: "v1", kind: "Node", name: "edge-1" }, (node) => ({
      ...node,
      spec: { ...(node["spec"] as object), unschedulable: true },
    }));
    await post("/v2/reserved_ips/192.0.2.10/actions", { type: "assign", droplet_id: second });
    expect(verdictsOf(observer.facts).flatMap(({ violations }) => violations)).to.deep.equal([]);
  });

  it("does not take a machine without power for a healthy holder, though its Node is still ready", async () => {
    const { world, clock, observer, post, machines, first = 0, second } = await rig();
    world.kubernetes.create(POOL);
    world.digitalocean.state.setHolder("192.0.2.10", first);
    observer.look("story");
    await clock.sleep(6_000);
    machines.setSilent("edge-1", true);
    await post("/v2/reserved_ips/192.0.2.10/actions", { type: "assign", droplet_id: second });
    expect(verdictsOf(observer.facts).flatMap(({ violations }) => violations)).to.deep.equal([]);
  });

  it("sees that too many addresses are created, and which", async () => {
    const { observer, post, facts, world } = await rig();
    world.kubernetes.create({ ...POOL, spec: { ...POOL.spec, desiredIPs: 2 } });
    await post("/v2/reserved_ips", { region: "nyc3" });
    expect(verdictsOf(observer.facts).flatMap(({ violations }) => violations)).to.deep.equal([]);
    await post("/v2/reserved_ips", { region: "nyc3" });
    expect(facts("made")).to.have.length(2);
    expect(
      verdictsOf(observer.facts)
        .flatMap(({ violations }) => violations)
        .join(),
    ).to.include(": 2 in all, 1 wanted");
  });

  it("sees an empty record set between two calls, in both clouds and all zones", async () => {
    const { world, observer, post, facts } = await rig();
    await post("/v2/domains/example.net/records", { type: "A", name: "www", data: "192.0.2.1", ttl: 60 });
    const [{ id = 0 } = {}] = world.digitalocean.state.dns.records("example.net", "www");
    const { url, token } = world.digitalocean;
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${url}/v2/domains/example.net/records/${id}`, { method: "DELETE", headers });
    expect(facts("records")).to.have.length(2);
    const violations = verdictsOf(observer.facts).flatMap((verdict) => verdict.violations);
    expect(violations.join()).to.include("A www.example.net (digitalocean) was empty");

    world.cloudflare.addRecord("example.com", { type: "AAAA", name: "six", content: "2001:db8::1" });
    observer.look("story");
    expect(facts("records").at(-1)).to.include({ set: "AAAA six.example.com (cloudflare)", by: "story" });
    expect(world.cloudflare.zone("example.com").id).to.equal("a".repeat(32));
  });

  it("sees that somebody deletes a zone with all of its records", async () => {
    const { world, post, facts } = await rig();
    await post("/v2/domains/example.net/records", { type: "A", name: "www", data: "192.0.2.1", ttl: 60 });
    const { url, token } = world.digitalocean;
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${url}/v2/domains/example.net`, { method: "DELETE", headers });
    expect(status).to.equal(204);
    expect(facts("records").at(-1)).to.deep.include({ set: "A www.example.net (digitalocean)", values: [] });
    world.cloudflare.removeZone("example.com");
    expect(world.cloudflare.records("example.com")).to.deep.equal([]);
  });

  it("sees what firewalls let in, those of the cluster apart", async () => {
    const { world, observer, facts, first = 0 } = await rig();
    const { firewalls } = world.digitalocean.state;
    const target = { addresses: ["0.0.0.0/0"] };
    const { id } = firewalls.add({ name: "voice", inbound: [{ protocol: "udp", ports: "5060", target }] });
    observer.look("operator");
    firewalls.change(id, { inbound: [], dropletIds: [first] });
    observer.look("story");
    expect(facts("firewall").map(({ at: _at, ...fact }) => fact)).to.deep.equal([
      { kind: "firewall", name: "voice", rules: ["udp 5060"], nodes: [], by: "operator" },
      { kind: "firewall", name: "voice", rules: [], nodes: ["edge-1"], by: "story" },
    ]);
  });

  it("shows an Event once, although two resources or conditions report it", async () => {
    const { world, observer, facts } = await rig();
    const event = (name: string, note: string) => ({
      ...{ apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name, namespace: "default" }, type: "Warning" },
      ...{ eventTime: "2025-01-01T00:00:00.000000Z", reportingController: "c", reportingInstance: "i", action: "A" },
      ...{ reason: "R", note, regarding: { kind: "FloatingIPPool", namespace: "default", name: "web" } },
    });
    for (const [name, note] of [
      ["a", "one"],
      ["b", "one"],
      ["c", "two"],
    ] as const) {
      world.kubernetes.create(event(name, note));
    }
    observer.look("operator");
    observer.look("operator");
    expect(facts("event").map((fact) => fact.kind === "event" && [fact.about, fact.note, fact.warning])).to.deep.equal([
      ["FloatingIPPool web", "one", true],
      ["FloatingIPPool web", "two", true],
    ]);
  });
});
