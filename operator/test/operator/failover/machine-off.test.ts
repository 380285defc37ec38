import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { DigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, describe, it } from "mocha";
import type { Probe } from "../../../src/health/probe.js";
import { MACHINE_ASKS, SECOND_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { hostOf, runKubelet } from "../kubelets.js";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const MACHINE = /^GET \/v2\/droplets\/\d+$/;
const NODES = ["n1", "n2"];
const healthCheck = { type: "TCP", port: 80 } as const;
/** Two probes fail within 2 s, and then the cloud is asked. A kubelet that dies is silent after 5 s at the earliest. */
const SOON_MS = 4 * SECOND_MS;

describe("operator in process: the cloud as a witness", function () {
  this.timeout(240_000);
  let world: World;
  let mute: Set<string>;
  let kubelets: Map<string, { alive: boolean }>;

  afterEach(() => world.close());

  const probe: Probe = ({ host }) =>
    Promise.resolve(mute.has(host) ? { ok: false, error: "no answer within 1 s" } : { ok: true });
  const options = { speed: 20, patient: true, probe };
  const begin = () => {
    mute = new Set();
    kubelets = new Map(NODES.map((name) => [name, runKubelet(world, name)]));
  };

  /** The machine of a node is switched off. @returns when */
  function switchOff(node: string): number {
    mute.add(hostOf(world, node));
    (kubelets.get(node) ?? { alive: true }).alive = false;
    world.digitalocean.state.setDropletStatus(world.droplet(node).id, "off");
    return world.clock.now();
  }

  const holderOf = (ip: string) => world.status("web").ips?.[ip]?.nodeName ?? "";
  const calls = (on: RegExp): ReturnType<DigitalOceanSimulator["journal"]["calls"]> =>
    world.digitalocean.journal.calls({ on });

  async function pool(): Promise<string> {
    world = await World.create({ ...options, flags: { features: "pools,dns,healthchecks" } });
    for (const name of NODES) world.addNode(name);
    begin();
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip], healthCheck });
    world.start();
    await world.fulfilled("web");
    await world.clock.sleep(10 * SECOND_MS);
    return ip;
  }

  it("moves the address off a machine that is off, while its Lease is fresh", async () => {
    const ip = await pool();
    const [failed, before] = [holderOf(ip), calls(ASSIGN).length];
    const at = switchOff(failed);
    await world.until("it has moved", () => calls(ASSIGN).length > before);
    expect((calls(ASSIGN).at(-1)?.at ?? 0) - at).to.be.lessThan(SOON_MS);
    expect(calls(MACHINE)).to.have.length(1);
    await world.until("the status says it", () => !["", failed].includes(holderOf(ip)));
    expect(calls(ASSIGN)).to.have.length(before + 1);
  });

  it("asks a few times at most about a machine that is on, and moves nothing", async () => {
    const ip = await pool();
    const [failed, before] = [holderOf(ip), calls(ASSIGN).length];
    mute.add(hostOf(world, failed));
    await world.until("the doubt is shown", () => world.condition("web", "ProbesDoubted")?.reason === "LeaseRenewed");
    await world.clock.sleep(60 * SECOND_MS);
    expect(calls(MACHINE).length).to.be.within(1, MACHINE_ASKS);
    expect(calls(ASSIGN)).to.have.length(before);
  });

  for (const [how, fault] of [
    ["fails", { kind: "status", status: 500 }],
    ["never ends", { kind: "timeout" }],
  ] as const) {
    it(`goes by the Lease where the call to the cloud ${how}`, async () => {
      const ip = await pool();
      world.digitalocean.faults.inject(fault, { on: MACHINE, times: Infinity });
      const [failed, before] = [holderOf(ip), calls(ASSIGN).length];
      mute.add(hostOf(world, failed));
      await world.until("the doubt is shown", () => world.condition("web", "ProbesDoubted")?.reason === "LeaseRenewed");
      expect(calls(MACHINE).length).to.be.greaterThan(0);
      expect(calls(ASSIGN)).to.have.length(before);
      switchOff(failed);
      await world.until("the Lease is silent, and it has moved", () => calls(ASSIGN).length > before);
      await world.until("the status says it", () => !["", failed].includes(holderOf(ip)));
    });
  }

  it("takes a node whose machine is off out of a name, while its Lease is fresh", async () => {
    world = await World.create({ ...options, flags: { features: "pools,dns,healthchecks" } });
    for (const name of NODES) world.addNode(name);
    begin();
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name: "web", namespace: "default" } },
      spec: { dnsRecordSet: { zone: "example.com", recordName: "www" }, healthCheck },
    });
    world.start();
    const published = () => world.digitalocean.state.dns.records("example.com", "www").length;
    await world.until("both are published", () => published() === 2);
    await world.clock.sleep(10 * SECOND_MS);
    const at = switchOff("n1");
    await world.until("one is left", () => published() === 1);
    const [change] = calls(/^(DELETE|PUT) .*records/).slice(-1);
    expect((change?.at ?? 0) - at).to.be.lessThan(SOON_MS);
  });

  it("moves the address of a RoutedIP, by the account of its issuer", async () => {
    const flags = { features: "pools,dns,routedip,healthchecks" };
    const made = await RoutedWorld.create(NODES, { ...options, flags });
    ({ world } = made);
    begin();
    made.addIssuer();
    made.addRouted("a", { routedIP: world.digitalocean.state.addAddress().ip, healthCheck });
    made.serve({ node: "n1" });
    world.start();
    await made.ready("a");
    made.serve({ node: "n1" }, { node: "n2" });
    await world.clock.sleep(10 * SECOND_MS);
    const before = calls(ASSIGN).length;
    const at = switchOff("n1");
    await made.until("it moves", () => calls(ASSIGN).length > before);
    expect((calls(ASSIGN).at(-1)?.at ?? 0) - at).to.be.lessThan(SOON_MS);
    await made.until("on n2", () => made.nodeOf("a") === "n2");
  });
});
