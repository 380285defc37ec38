/** Addresses in the status of Services, under the rights of feature publish. */

import { OperatorFeature } from "cdk8s-flipop";
import { LOAD_BALANCER_CLASS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Manifest } from "./support/install.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

interface ServiceObject extends Manifest {
  readonly metadata: Manifest["metadata"] & { readonly uid: string };
  readonly status: { readonly loadBalancer: unknown };
}

const FEATURES = [OperatorFeature.POOLS, OperatorFeature.DNS, OperatorFeature.PUBLISH];

async function addService(world: World, name: string, spec: object): Promise<string> {
  const path = `/api/v1/namespaces/${world.namespace}/services`;
  const ports = [{ port: 80 }];
  await world.client.must.create(path, { metadata: { name }, spec: { ports, selector: { app: "web" }, ...spec } });
  return `${path}/${name}`;
}

/** As kubectl shows it. */
async function externalIp({ plane, namespace }: World, name: string): Promise<string> {
  const { stdout } = await plane.kubectl(["get", "service", name, "-n", namespace, "--no-headers"]);
  return stdout.split(/\s+/)[3] ?? "";
}

describe("publishTo", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  it("shows an active address in the status of a Service, and withdraws it when it is not active or not asked for", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    const machine = await world.fleet.add("a");
    const path = await addService(world, "web", { type: "LoadBalancer", loadBalancerClass: LOAD_BALANCER_CLASS });
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], publishTo: [{ kind: "Service", name: "web" }] });
    await world.start();
    await pool.is("Published", "True");
    await pool.is("Ready", "True");
    expect(await externalIp(world, "web")).to.equal(ip);
    const { status } = await world.client.must.get<ServiceObject>(path);
    expect(status.loadBalancer).to.deep.equal({ ingress: [{ ip, ipMode: "Proxy" }] });
    await machine.node.setReady(false);
    await world.until("it is withdrawn", async () => (await externalIp(world, "web")) === "<pending>");
    await machine.node.setReady(true);
    await world.until("it is shown again", async () => (await externalIp(world, "web")) === ip);
    await pool.delete();
    await world.until("nothing is shown", async () => (await externalIp(world, "web")) === "<pending>");
  });

  it("shows all addresses of a large pool in the status of a Service", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    const ips = spare(world, 60);
    await world.fleet.addAll(ips.map((_, index) => `n${index}`));
    const path = await addService(world, "web", { type: "LoadBalancer", loadBalancerClass: LOAD_BALANCER_CLASS });
    const pool = await world.pool("web", { ips, publishTo: [{ kind: "Service", name: "web" }] });
    await world.start();
    await pool.is("Fulfilled", "True");
    await pool.is("Published", "True Observed");
    const { status } = await world.client.must.get<ServiceObject>(path);
    expect(status.loadBalancer).to.deep.equal({ ingress: ips.map((ip) => ({ ip, ipMode: "Proxy" })) });
  });

  it("leaves every other Service alone, and says why", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    await world.fleet.add("a");
    const path = await addService(world, "web", { type: "LoadBalancer", loadBalancerClass: "example.com/other" });
    const pool = await world.pool("web", { ips: [spareOne(world)], publishTo: [{ kind: "Service", name: "web" }] });
    await world.start();
    await pool.is("Published", "False ServiceUnsuitable");
    await pool.reports("has loadBalancerClass example.com/other, so another controller owns its status");
    await pool.is("Fulfilled", "True");
    const { metadata } = await world.client.must.get(path);
    expect(await externalIp(world, "web")).to.equal("<pending>");
    // Its type changes, and with it the class goes: the status has no place for addresses then.
    await world.client.must.patch(path, { spec: { type: "NodePort", loadBalancerClass: null } });
    await pool.until("the type is wrong", async () => {
      return (await pool.conditionOf("Published"))?.message.includes("is of type NodePort") === true;
    });
    await world.client.must.patch(path, { spec: { type: "LoadBalancer", loadBalancerClass: LOAD_BALANCER_CLASS } });
    await pool.is("Published", "True");
    await world.client.must.patch(path, { spec: { type: "ClusterIP", loadBalancerClass: null } });
    await pool.is("Published", "False ServiceUnsuitable");
    expect(await externalIp(world, "web")).to.equal("<none>");
    expect((await world.client.must.get(path)).metadata.uid).to.equal(metadata.uid);
  });
});
