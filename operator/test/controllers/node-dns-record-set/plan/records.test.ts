import { expect } from "chai";
import { plan } from "../../../../src/controllers/node-dns-record-set/plan.js";
import { refusal } from "../../../../src/match/checks.js";
import { facts } from "../../../match/cluster.js";
import { NAME, type Spec, settled, World, ZONE } from "../world.js";

const SET = { zone: ZONE, recordName: NAME };

describe("the records of a node record set", () => {
  it("publishes the type of address, and the families, that are asked for", async () => {
    const cases: readonly (readonly [Spec, readonly string[]])[] = [
      [{}, ["203.0.113.1"]],
      [{ addressType: "" }, ["203.0.113.1"]],
      [{ addressType: "InternalIP" }, ["10.0.0.1"]],
      [{ ipFamilies: ["IPv6"] }, ["2001:db8::1"]],
      [{ ipFamilies: ["IPv6", "IPv4"] }, ["2001:db8::1", "203.0.113.1"]],
      [{ addressType: "flipop.digitalocean.com/ipv4-reserved-ip" }, ["192.0.2.1"]],
      [{ addressType: "flipop.digitalocean.com/ipv6-reserved-ip" }, ["2001:db8:f::1"]],
    ];
    for (const [spec, expected] of cases) {
      const world = new World();
      world.addNode("n1", {
        annotations: {
          "flipop.digitalocean.com/ipv4-reserved-ip": "192.0.2.1",
          "flipop.digitalocean.com/ipv6-reserved-ip": "2001:db8:f::1",
        },
      });
      world.add("game", spec);
      await world.run("game");
      expect(world.dns.values(NAME), JSON.stringify(spec)).to.deep.equal(expected);
      const said = world.plan("game").conditions.find(({ type }) => type === "DNSReady")?.message ?? "";
      expect(said.includes("of private networks"), said).to.equal(expected[0] === "10.0.0.1");
    }
  });

  it("notes nodes that only a taint keeps out, unless the taint is the cluster's own or nothing else says what is meant", async () => {
    const cases = [
      ["burst", "PreferNoSchedule", { nodeLabel: "pool=edge" }, "TaintedNodes"],
      ["nvidia.com/gpu", "NoSchedule", { nodeLabel: "pool=edge" }, "TaintedNodes"],
      ["node-role.kubernetes.io/control-plane", "NoSchedule", { nodeLabel: "pool=edge" }, "Observed"],
      ["node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule", { nodeLabel: "pool=edge" }, "Observed"],
      ["DeletionCandidateOfClusterAutoscaler", "PreferNoSchedule", { nodeLabel: "pool=edge" }, "Observed"],
      ["node.kubernetes.io/not-ready", "NoSchedule", { nodeLabel: "pool=edge" }, "Observed"],
      ["node.kubernetes.io/unschedulable", "NoSchedule", { nodeLabel: "pool=edge" }, "Observed"],
      ["nvidia.com/gpu", "NoSchedule", {}, "Observed"],
    ] as const;
    for (const [key, effect, match, reason] of cases) {
      const world = new World();
      world.addNode("n1", { labels: { pool: "edge" } });
      world.addNode("n2", { labels: { pool: "edge" }, taints: [{ key, effect }] });
      world.add("game", { match });
      await world.run("game");
      expect(world.condition("game", "DNSReady"), key).to.equal(`True/${reason}`);
    }
  });

  describe("that hold only addresses of private networks", () => {
    const HELD = "A records of game.example.com hold 1 address of private networks, which the internet does not reach";
    const dnsReady = (world: World) => world.plan("game").conditions.find(({ type }) => type === "DNSReady");

    it("are ready, with a note that names addressType of the spec and another value", async () => {
      const world = await settled(["n1"], { addressType: "InternalIP" });
      const message = `${HELD} (at digitalocean); spec.addressType is InternalIP; fix: if clients outside of these networks use the name, set spec.addressType to ExternalIP`;
      expect(dnsReady(world)).to.include({ status: "True", reason: "PrivateAddresses", message });
      world.edit("game", { addressType: "ExternalIP" });
      await world.run("game");
      expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
    });

    it("say so also where the nodes report private addresses as ExternalIP", async () => {
      const world = new World();
      world.addNode("n1", { addresses: [{ type: "ExternalIP", address: "192.168.1.1" }] });
      world.add("game");
      await world.run("game");
      expect(dnsReady(world)?.message).to.equal(
        `${HELD} (at digitalocean); spec.addressType is ExternalIP; fix: if clients outside of these networks use the name, set another addressType, or have the cluster's administrator give the nodes public addresses`,
      );
    });

    it("keep the reason of what else is to be known of them, and its fix", async () => {
      const dnsRecordSet = { ...SET, ttl: 10 };
      const world = await settled(["n1"], { addressType: "InternalIP", dnsRecordSet });
      expect(world.condition("game", "DNSReady")).to.equal("True/TTLRaised");
      expect(dnsReady(world)?.message).to.match(
        /writes 30; spec\.addressType is InternalIP; fix: if clients [^;]*; fix: set ttl to 30 or more$/,
      );
    });

    it("are not noted where the name holds a public address, too", async () => {
      const world = await settled(["n1"], {});
      world.addNode("n2", { addresses: [{ type: "ExternalIP", address: "192.168.1.2" }] });
      await world.run("game");
      expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
    });
  });

  it("leaves a family alone whose last node has gone, and says so", async () => {
    const world = await settled(["n1", "n2"], { ipFamilies: ["IPv4", "IPv6"] });
    for (const name of ["n1", "n2"]) {
      world.change(name, { addresses: [{ type: "ExternalIP", address: `203.0.113.${name.slice(1)}` }] });
    }
    world.removeNode("n2");
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["2001:db8::1", "2001:db8::2", "203.0.113.1"]);
    expect(world.condition("game", "DNSReady")).to.equal("False/KeptLastKnown");
    expect((await world.run("game")).sequences).to.deep.equal([]);
  });

  it("says that a family which the spec asks for has no record, because no node has an address of it", async () => {
    const world = new World();
    world.addNode("n1", { addresses: [{ type: "ExternalIP", address: "203.0.113.1" }] });
    world.add("game", { ipFamilies: ["IPv4", "IPv6"] });
    for (let run = 0; run < 3; run++) await world.run("game");
    const said = world.plan("game").conditions.find(({ type }) => type === "DNSReady");
    expect(said?.status).to.equal("True");
    expect(said?.reason).to.equal("MissingFamily");
    expect(said?.message).to.equal(
      `A records of ${NAME} hold 1 address (at digitalocean); no node that matches has an IPv6 address in ExternalIP, so the name has no AAAA record; fix: have the cluster's administrator give the nodes an IPv6 address in ExternalIP; or remove IPv6 from spec.ipFamilies`,
    );
  });

  it("says of nodes that have only addresses of the other family which family to add", async () => {
    const world = new World();
    world.addNode("n1", { addresses: [{ type: "ExternalIP", address: "203.0.113.1" }] });
    world.add("game", { ipFamilies: ["IPv6"] });
    await world.run("game");
    const said = () => world.plan("game").conditions.find(({ type }) => type === "DNSReady")?.message;
    expect(said())
      .to.include(
        "has an IPv6 address in ExternalIP: n1 (there is an IPv4 address, which spec.ipFamilies does not ask for)",
      )
      .and.include("; fix: add IPv4 to spec.ipFamilies, or ");
    world.change("n1", { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] });
    expect(said()).to.include(": set another addressType, or ").and.not.include("ipFamilies");
  });

  it("counts nodes without an address of the type, and names them", async () => {
    const world = await settled(["n1"]);
    world.addNode("n2", { addresses: [{ type: "Hostname", address: "n2" }] });
    await world.run("game");
    expect(world.resource("game").status.counts).to.deep.equal({ candidates: 2, published: 1 });
    const { message } = world.plan("game").conditions[1] ?? { message: "" };
    expect(message).to.contain("n2");
  });

  for (const [bad, good] of [
    ["0.0.0.0", "203.0.113.1"],
    ["127.0.0.1", "203.0.113.1"],
    ["169.254.10.1", "203.0.113.1"],
    ["224.0.0.1", "203.0.113.1"],
    ["255.255.255.255", "203.0.113.1"],
    ["::", "2001:db8::1"],
    ["::1", "2001:db8::1"],
    ["fe80::1", "2001:db8::1"],
    ["ff02::1", "2001:db8::1"],
  ] as const) {
    it(`publishes no address of a node that no client reaches, and names the node: ${bad}`, async () => {
      const world = new World();
      const ipFamilies = [bad.includes(":") ? "IPv6" : "IPv4"] as const;
      world.addNode("n1", { addresses: [bad, good].map((address) => ({ type: "ExternalIP", address })) });
      world.addNode("n2", { addresses: [{ type: "ExternalIP", address: bad }] });
      world.add("game", { ipFamilies });
      await world.run("game");
      await world.run("game");
      expect(world.resource("game").status.dns?.values).to.deep.equal([good]);
      const { message } = world.plan("game").conditions[1] ?? { message: "" };
      expect(message).to.contain(`n2 has no ${ipFamilies[0]} address in ExternalIP`);
    });
  }

  it("leaves an existing TTL where none is asked for, takes 60 for new records, and corrects a wrong one", async () => {
    const cases: readonly (readonly [number | undefined, number | undefined, number])[] = [
      [undefined, 300, 300],
      [0, 300, 300],
      [undefined, undefined, 60],
      [120, 300, 120],
      [10, 300, 30],
    ];
    for (const [asked, existing, expected] of cases) {
      const world = new World();
      if (existing !== undefined) world.dns.set(NAME, ["203.0.113.1"], existing);
      world.addNode("n1");
      world.addNode("n2");
      world.add("game", { dnsRecordSet: { ...SET, ...(asked === undefined ? {} : { ttl: asked }) } });
      await world.run("game");
      const ttls = world.dns.records.get(NAME)?.map(({ ttl }) => ttl);
      expect(ttls, `${asked} over ${existing}`).to.deep.equal([expected, expected]);
    }
  });

  it("says which nodes it leaves out, and which it keeps in their grace period", async () => {
    const world = await settled(["n1", "n2", "n3"], { gracePeriodSeconds: 600 });
    const said = () => world.plan("game").conditions.find(({ type }) => type === "DNSReady")?.message ?? "";
    expect(said()).to.match(/^A records of game\.example\.com hold 3 addresses \(at digitalocean\)$/);
    world.setReady("n2", false);
    world.change("n3", { taints: [{ key: "maintenance", effect: "NoSchedule" }] });
    await world.run("game");
    await world.run("game");
    expect(said())
      .to.match(
        /hold 2 addresses; 1 of them of nodes that do not match now \(gracePeriodSeconds: 600 s; n2 until \S+Z\); left out: 1 Tainted \(n3: /,
      )
      .and.not.include("NodeNotReady");
  });

  it("says nothing of a pod that is not ready until that is no rollout, and looks again then", async () => {
    const world = await settled(["n1", "n2"]);
    const seen = (since: number) => {
      const refused = { ...refusal("PodNotReady", "pod game/x is not ready", since), pod: "game/x" };
      const meant = () => [{ node: facts("n3"), refusals: [refused] }];
      const made = plan({ ...world.snapshot("game"), meant, leftOut: () => "1 PodNotReady" });
      const { reason, message } = made.conditions.find(({ type }) => type === "DNSReady") ?? {};
      return { reason, message, requeueAt: made.requeueAt };
    };
    const now = world.clock.now();
    expect(seen(now - 599_000)).to.include({ reason: "Observed", requeueAt: now + 1000 });
    const late = seen(now - 600_000);
    expect(late.reason).to.equal("UnreadyPods");
    expect(late.message).to.match(
      /; pod game\/x on n3 is not ready since \S+Z; fix: repair pod game\/x \(kubectl -n game/,
    );
  });

  it("says where a TTL was raised", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, ttl: 10 } });
    expect(world.condition("game", "DNSReady")).to.equal("True/TTLRaised");
  });

  it("warns of a name that ends with the text of the zone without a dot", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, recordName: `not${ZONE}` } });
    expect(world.condition("game", "DNSReady")).to.equal("True/Invalid");
  });

  it("warns of a name that looks complete and ends otherwise than the zone, until it is written in full", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, recordName: "nodes.example.org" } });
    const full = `nodes.example.org.${ZONE}`;
    expect(world.dns.values(full)).to.deep.equal(["203.0.113.1"]);
    expect(world.condition("game", "DNSReady")).to.equal("True/Invalid");
    expect(world.plan("game").conditions.find(({ type }) => type === "DNSReady")?.message).to.equal(
      `A records of ${full} hold 1 address (at digitalocean, in zone example.com); recordName nodes.example.org does not end with a dot and the name of the zone, so the operator appends both; fix: if you mean nodes.example.org, correct zone; if you mean ${full}, write that in recordName, and this warning ends`,
    );
    world.edit("game", { dnsRecordSet: { ...SET, recordName: full } });
    await world.run("game");
    expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
    expect(world.dns.values(full)).to.deep.equal(["203.0.113.1"]);
  });

  it("takes spec.provider where the record set names none", async () => {
    const world = await settled(["n1"], { provider: "cloudflare" });
    expect([world.cloudflare.values(NAME), world.dns.values(NAME)]).to.deep.equal([["203.0.113.1"], []]);
    world.edit("game", { dnsRecordSet: { ...SET, provider: "digitalocean" } });
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
  });
});
