/** Addresses in the status of Gateways, under the rights of feature publish and its admission policy. */

import { OperatorFeature } from "cdk8s-flipop";
import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { GATEWAY_DEFINITION } from "../support/kube/gateway-definition.js";
import { CRDS } from "./support/install.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const FEATURES = [OperatorFeature.POOLS, OperatorFeature.DNS, OperatorFeature.PUBLISH];
const API = "gateway.networking.k8s.io/v1";
const ALLOWING = { [Annotation.publishAddresses]: "true" };
const TO_EDGE = [{ kind: "Gateway", name: "edge" }] as const;

function pathOf({ namespace }: World): string {
  return `/apis/${API}/namespaces/${namespace}/gateways`;
}

async function addGateway(world: World, annotations: Readonly<Record<string, string>> = ALLOWING): Promise<string> {
  const metadata = { name: "edge", annotations };
  await world.client.must.create(pathOf(world), { apiVersion: API, kind: "Gateway", metadata, spec: {} });
  return `${pathOf(world)}/edge`;
}

/** For the life of the control plane. */
async function install(world: World): Promise<void> {
  await world.client.create(CRDS, GATEWAY_DEFINITION);
  await world.until("Gateways to be served", async () => (await world.client.get(pathOf(world))).status === 200);
}

/** As kubectl shows it. */
async function address({ plane, namespace }: World): Promise<string> {
  const { stdout } = await plane.kubectl(["get", "gateway", "edge", "-n", namespace, "--no-headers"]);
  return stdout.trim().split(/\s+/)[1] ?? "";
}

/** All of them; kubectl shows the first one. */
async function shown(world: World): Promise<readonly string[]> {
  const { status } = await world.client.must.get<Gateway>(`${pathOf(world)}/edge`);
  return (status?.addresses ?? []).map(({ value }) => value);
}

interface Gateway {
  readonly status?: { readonly addresses?: readonly { readonly value: string }[] };
}

/** As a Gateway's own controller: it updates the whole status, and so becomes the manager of what it changes. */
async function updateAsOther(world: World, path: string, values: readonly string[]): Promise<void> {
  const addresses = values.length === 0 ? null : values.map((value) => ({ type: "IPAddress", value }));
  await world.client.must.patch(`${path}/status`, { status: { addresses } }, "merge");
}

describe("publishTo of a Gateway", function () {
  this.timeout(180_000);
  const worlds = useWorlds({ own: true });

  it("says that a cluster lacks the kind, and shows the address once the kind and the Gateway are there", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    const machine = await world.fleet.add("a");
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], publishTo: TO_EDGE });
    await world.start();
    await pool.is("Published", "False KindNotInstalled");
    await pool.is("Fulfilled", "True");
    await install(world);
    await pool.is("Published", "False GatewayNotFound");
    await addGateway(world);
    await pool.is("Published", "True");
    await pool.is("Ready", "True");
    expect(await address(world)).to.equal(ip);
    await machine.node.setReady(false);
    await world.until("it is withdrawn", async () => (await address(world)) === "");
    await machine.node.setReady(true);
    await world.until("it is shown again", async () => (await address(world)) === ip);
    await pool.delete();
    await world.until("nothing is shown", async () => (await address(world)) === "");
  });

  it("needs the annotation, and withdraws the address when somebody removes it", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    await world.fleet.add("a");
    await install(world);
    const path = await addGateway(world, {});
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], publishTo: TO_EDGE });
    await world.start();
    await pool.is("Published", "False GatewayNotAllowed");
    expect(await address(world)).to.equal("");
    await world.client.must.patch(path, { metadata: { annotations: ALLOWING } });
    await pool.is("Published", "True");
    expect(await address(world)).to.equal(ip);
    await world.client.must.patch(path, { metadata: { annotations: { [Annotation.publishAddresses]: null } } });
    await pool.is("Published", "False GatewayNotAllowed");
    await world.until("it is withdrawn", async () => (await address(world)) === "");
  });

  it("shows as many addresses as the Gateway API allows, keeps those that it shows, and says which it leaves out", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    const ips = spare(world, 18);
    await world.fleet.addAll(ips.map((_, index) => `n${index}`));
    await install(world);
    await addGateway(world);
    const [first = "", second = "", ...early] = ips;
    const pool = await world.pool("web", { ips: early, publishTo: TO_EDGE });
    await world.start();
    await pool.is("Published", "True Observed");
    await pool.edit({ ips });
    await pool.is("Published", "True TooManyAddresses");
    await pool.is("Ready", "True");
    const both = `and not ${first}, ${second};`;
    await pool.until(both, async () => (await pool.conditionOf("Published"))?.message.includes(both) === true);
    // The Event names those that were active by then: the second one may have followed a moment later.
    await pool.reports(`and not ${first}`);
    expect(await shown(world)).to.deep.equal(early);
    const before = await world.client.must.get(`${pathOf(world)}/edge`);
    const oneLess = `and not ${second};`;
    await pool.edit({ ips: [second, ...early] });
    await pool.until(oneLess, async () => (await pool.conditionOf("Published"))?.message.includes(oneLess) === true);
    const after = await world.client.must.get(`${pathOf(world)}/edge`);
    expect(after.metadata.resourceVersion, "version of the Gateway").to.equal(before.metadata.resourceVersion);
    const fitting = [second, ...early.slice(1)];
    await pool.edit({ ips: fitting });
    await pool.is("Published", "True Observed");
    expect(await shown(world)).to.deep.equal(fitting);
  });

  it("never replaces the addresses of another writer, says who it is, and follows when they go", async () => {
    const world = await worlds.create({ operator: { features: FEATURES } });
    await world.fleet.add("a");
    await install(world);
    const path = await addGateway(world);
    await updateAsOther(world, path, ["198.51.100.99"]);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], publishTo: TO_EDGE });
    await world.start();
    await pool.is("Published", "False ForeignWriter");
    await pool.reports("another writer owns the addresses in the status of Gateway");
    expect(await address(world)).to.equal("198.51.100.99");
    await updateAsOther(world, path, []);
    await pool.is("Published", "True");
    expect(await address(world)).to.equal(ip);
    await updateAsOther(world, path, ["198.51.100.99"]);
    await pool.is("Published", "False ForeignWriter");
    await pool.delete();
    expect(await address(world)).to.equal("198.51.100.99");
  });
});
