import { GROUP_VERSION, LEASE_NAME, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { Emulator } from "flipop-sandbox/kubernetes";
import { afterEach, describe, it } from "mocha";
import { microTime } from "../../../src/clock.js";
import type { Probe } from "../../../src/health/probe.js";
import { LIST_MAX_AGE_SECONDS, NODE_LEASE_SECONDS, SECOND_MS } from "../../../src/timings.js";
import { hostOf as hostIn, runKubelet } from "../kubelets.js";
import { World, type WorldOptions } from "../world.js";

const FLAGS = { features: "pools,dns,healthchecks" };
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;

describe("operator in process: health checks", function () {
  this.timeout(240_000);
  let world: World;
  /** Hosts that were probed. */
  let probed: Set<string>;
  /** Hosts that do not answer. */
  let mute: Set<string>;
  let kubelets: Map<string, { alive: boolean }>;

  const probe: Probe = ({ host }) => {
    probed.add(host);
    return Promise.resolve(mute.has(host) ? { ok: false, error: "no answer within 1 s" } : { ok: true });
  };

  async function start(nodes: number, options: WorldOptions = {}): Promise<void> {
    [probed, mute, kubelets] = [new Set(), new Set(), new Map()];
    world = await World.create({ speed: 100, flags: FLAGS, probe, ...options });
    for (let number = 1; number <= nodes; number++) {
      world.addNode(`node-${number}`);
      kubelets.set(`node-${number}`, runKubelet(world, `node-${number}`));
    }
  }

  type Edit = Parameters<Emulator["change"]>[1];

  const hostOf = (node: string) => hostIn(world, node);

  const healthCheck = { type: "TCP", port: 80 } as const;
  const holderOf = (ip: string) => world.status("web").ips?.[ip]?.nodeName ?? "";
  const assigned = () => world.digitalocean.journal.calls({ on: ASSIGN }).length;
  const address = () => world.digitalocean.state.addAddress().ip;

  /** @param nodes 0: two nodes without kubelets. */
  async function serving(nodes: number, spec: Parameters<World["addPool"]>[1] = {}): Promise<string> {
    await start(nodes);
    if (nodes === 0) for (const name of ["node-1", "node-2"]) world.addNode(name);
    const ip = address();
    world.addPool("web", { ips: [ip], healthCheck, ...spec });
    world.start();
    await world.fulfilled("web");
    await world.until("the holder is probed", () => probed.has(hostOf(holderOf(ip))));
    return ip;
  }

  const withoutCheck: Edit = ({ spec, ...object }) => {
    const { healthCheck: _removed, ...rest } = spec as { readonly healthCheck?: unknown };
    return { ...object, spec: rest };
  };

  afterEach(() => world.close());

  it("moves the address off a node that died silently, long before Kubernetes notices", async () => {
    const ip = await serving(2);
    const [failed, before] = [holderOf(ip), world.holder(ip)];
    const at = world.clock.now();
    mute.add(hostOf(failed));
    (kubelets.get(failed) ?? { alive: true }).alive = false;
    await world.until("it has moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    const [call] = world.digitalocean.journal.calls({ on: ASSIGN }).slice(-1);
    expect((call?.at ?? 0) - at).to.be.lessThan(NODE_LEASE_SECONDS * SECOND_MS);
    const [moving] = [...world.events("Moving"), ...world.events("Assigned")].map(({ note }) => String(note));
    expect(moving).to.be.a("string");
    await world.until("the status says it", () => holderOf(ip) !== failed && holderOf(ip) !== "");
    expect(world.condition("web", "ProbesDoubted")?.status).to.equal("False");
  });

  it("moves nothing while the kubelet renews its Lease, and says why", async () => {
    const ip = await serving(2);
    const moves = assigned();
    mute.add(hostOf(holderOf(ip)));
    await world.until("the doubt is shown", () => world.condition("web", "ProbesDoubted")?.status === "True");
    expect(world.condition("web", "ProbesDoubted")).to.include({ reason: "LeaseRenewed" });
    expect(world.condition("web", "ProbesDoubted")?.message).to.include("no answer within 1 s");
    await world.until("an Event", () => world.events("LeaseRenewed").length > 0);
    expect(world.status("web").failedProbes?.map(({ nodeName }) => nodeName)).to.deep.equal([holderOf(ip)]);
    await world.clock.sleep(120_000);
    expect(assigned()).to.equal(moves);
    expect(world.status("web").ips?.[ip]?.state).to.equal("active");
    mute.clear();
    await world.until("the doubt is over", () => world.condition("web", "ProbesDoubted")?.status === "False");
    expect(world.status("web")).not.to.have.property("failedProbes");
  });

  it("shows a holder that it cannot probe, until the node has such an address", async () => {
    await start(1);
    const node = { apiVersion: "v1", kind: "Node", name: "node-1" };
    world.change(node, "status", { addresses: [{ type: "InternalIP", address: "10.0.0.9" }] });
    const ip = address();
    world.addPool("web", { ips: [ip], healthCheck: { ...healthCheck, address: "ExternalIP" } });
    world.start();
    await world.fulfilled("web");
    const doubt = () => world.condition("web", "ProbesDoubted");
    await world.until("the gap is shown", () => doubt()?.status === "True");
    expect(doubt()).to.include({ reason: "NotProbed" });
    expect(doubt()?.message).to.include("cannot probe these nodes: node-1 (no ExternalIP)");
    await world.until("an Event", () => world.events("NotProbed").length > 0);
    expect(world.condition("web", "Ready")?.status, "the address serves").to.equal("True");
    expect([...probed]).to.deep.equal([]);
    const addresses = [
      { type: "InternalIP", address: "10.0.0.9" },
      { type: "ExternalIP", address: "198.51.100.9" },
    ];
    world.change(node, "status", { addresses });
    await world.until("it is probed", () => probed.has("198.51.100.9"));
    await world.until("the gap is closed", () => doubt()?.status === "False");
  });

  it("gives an address to no candidate whose probes fail", async () => {
    await start(2);
    world.addPool("web", { ips: [address()], healthCheck });
    mute.add(hostOf("node-1"));
    mute.add(hostOf("node-2"));
    world.edit("web", { paused: true });
    world.start();
    await world.until("both are refused", () => world.status("web").counts?.candidates === 0);
    expect(world.status("web").failedProbes).to.deep.equal(
      ["node-1", "node-2"].map((nodeName) => ({ nodeName, error: `TCP ${hostOf(nodeName)}:80: no answer within 1 s` })),
    );
    mute.delete(hostOf("node-2"));
    await world.until("one is a candidate", () => world.status("web").counts?.candidates === 1);
    world.edit("web", { paused: false });
    await world.fulfilled("web");
    expect(Object.values(world.status("web").ips ?? {}).map(({ nodeName }) => nodeName)).to.deep.equal(["node-2"]);
  });

  it("leaves an address where a person puts it, though the probes of both nodes fail, while both kubelets live", async () => {
    const ip = await serving(2);
    const first = holderOf(ip);
    const second = first === "node-1" ? "node-2" : "node-1";
    mute.add(hostOf(first));
    mute.add(hostOf(second));
    const failed = () => world.status("web").failedProbes?.map(({ nodeName }) => nodeName);
    await world.until("the probes of both fail", () => failed()?.join() === "node-1,node-2");
    await world.until("the holder is in doubt", () => world.condition("web", "ProbesDoubted")?.status === "True");
    const moves = assigned();
    world.digitalocean.state.setHolder(ip, world.droplet(second).id);
    await world.clock.sleep(2 * LIST_MAX_AGE_SECONDS * SECOND_MS);
    expect(assigned() - moves, "moves by the operator").to.equal(0);
    expect(holderOf(ip)).to.equal(second);
  });

  it("honours the grace period", async () => {
    const ip = await serving(2, { gracePeriodSeconds: 600 });
    const failed = holderOf(ip);
    mute.add(hostOf(failed));
    (kubelets.get(failed) ?? { alive: true }).alive = false;
    await world.until("grace", () => world.status("web").ips?.[ip]?.reason === "InGrace");
    (kubelets.get(failed) ?? { alive: false }).alive = true;
    mute.clear();
    await world.until("well again", () => world.status("web").ips?.[ip]?.graceSince === undefined);
    expect(assigned()).to.equal(1);
  });

  it("moves nothing where there is no Lease to confirm the failure, and says why", async () => {
    const ip = await serving(0);
    const failed = holderOf(ip);
    mute.add(hostOf(failed));
    await world.until("the doubt is shown", () => world.condition("web", "ProbesDoubted")?.status === "True");
    expect(world.condition("web", "ProbesDoubted")).to.include({ reason: "NoWitness" });
    await world.clock.sleep(120_000);
    expect(assigned()).to.equal(1);
    expect(holderOf(ip)).to.equal(failed);
  });

  it("probes no node, watches no Lease and shows no condition without a health check", async () => {
    await start(2);
    world.addPool("web", { ips: [address()] });
    const { operator } = world.start();
    await world.fulfilled("web");
    await world.clock.sleep(60_000);
    expect([...probed]).to.deep.equal([]);
    expect(await operator.registry.text())
      .to.include('name="nodes"')
      .and.not.to.include("nodeleases");
    expect(world.condition("web", "ProbesDoubted")).to.equal(undefined);
  });

  it("probes no node without the feature, and says so", async () => {
    await start(2, { flags: { features: "pools" } });
    world.addPool("web", { ips: [address()], healthCheck });
    world.start();
    await world.fulfilled("web");
    expect([...probed]).to.deep.equal([]);
    expect(world.condition("web", "Accepted")?.message).to.include("without feature healthchecks");
  });

  it("stops its probes when the health check is removed or the pool is deleted", async () => {
    await serving(2);
    world.kubernetes.change(world.refTo("web"), withoutCheck);
    await world.until("seen", () => world.status("web").observedGeneration === world.pool("web").metadata.generation);
    expect(world.condition("web", "ProbesDoubted")?.status).to.equal("False");
    probed.clear();
    await world.clock.sleep(30_000);
    expect([...probed]).to.deep.equal([]);
  });

  /** The operator under test stands by. */
  function anotherLeads(): void {
    const [apiVersion, kind] = ["coordination.k8s.io/v1", "Lease"];
    const times = { renewTime: microTime(world.clock.now()), acquireTime: microTime(world.clock.now()) };
    world.kubernetes.create({
      ...{ apiVersion, kind, metadata: { name: LEASE_NAME, namespace: "default" } },
      spec: { holderIdentity: "another", leaseDurationSeconds: 86_400, ...times },
    });
  }

  it("probes on the standby replica what the status names, so that it knows the nodes when it leads", async () => {
    await start(3);
    anotherLeads();
    const ip = address();
    world.addPool("web", { ips: [ip], healthCheck });
    const node = world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: "node-2" });
    const { providerID = "" } = (node?.["spec"] ?? {}) as { readonly providerID?: string };
    const ips = { [ip]: { state: "active", nodeName: "node-2", providerID } };
    world.kubernetes.change(
      world.refTo("web"),
      ((object: object) => ({ ...object, status: { ips, assignableNodes: ["node-3"] } })) as Edit,
      "status",
    );
    world.start({ "leader-elect": "true" });
    await world.until("both are probed", () => probed.size === 2);
    expect([...probed].sort()).to.deep.equal([hostOf("node-2"), hostOf("node-3")].sort());
    expect(assigned()).to.equal(0);
  });

  it("probes on the standby replica the nodes of a name", async () => {
    await start(2);
    anotherLeads();
    const [kind, name] = ["NodeDNSRecordSet", "web"];
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind, metadata: { name, namespace: "default" } },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "www" }, healthCheck },
    });
    const addresses = [{ address: "203.0.113.2", type: "IPv4", nodeName: "node-2" }];
    world.kubernetes.change(
      { apiVersion: GROUP_VERSION, kind, namespace: "default", name },
      ((object: object) => ({ ...object, status: { addresses } })) as Edit,
      "status",
    );
    world.start({ "leader-elect": "true" });
    await world.until("it is probed", () => probed.has(hostOf("node-2")));
    expect([...probed]).to.deep.equal([hostOf("node-2")]);
  });

  it("takes a node out of a name when it died silently, and not while its kubelet renews its Lease", async () => {
    await start(3);
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "web", namespace: "default" } },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "www" }, healthCheck },
    });
    world.start();
    const published = () => world.digitalocean.state.dns.records("example.com", "www").length;
    const status = () => {
      const ref = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "web" };
      return (world.kubernetes.get(ref)?.["status"] ?? {}) as NodeDNSRecordSetStatus;
    };
    await world.until("all are published", () => published() === 3);
    mute.add(hostOf("node-1"));
    const doubt = () => status().conditions?.find(({ type }) => type === "ProbesDoubted");
    await world.until("the doubt is shown", () => doubt()?.status === "True");
    expect(doubt()).to.include({ reason: "LeaseRenewed" });
    expect(status().failedProbes?.map(({ nodeName }) => nodeName)).to.deep.equal(["node-1"]);
    await world.clock.sleep(60_000);
    expect(published()).to.equal(3);
    (kubelets.get("node-1") ?? { alive: true }).alive = false;
    await world.until("it has left", () => published() === 2);
    const names = () =>
      status()
        .addresses?.map(({ nodeName }) => nodeName)
        .join();
    await world.until("the status says it", () => names() === "node-2,node-3");
    mute.clear();
    await world.until("it is back", () => published() === 3);
  });
});
