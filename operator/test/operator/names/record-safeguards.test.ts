import { Annotation, GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { MASS_FAILURE_WINDOW_MS } from "../../../src/timings.js";
import { World } from "../world.js";

const NODES = ["n1", "n2", "n3", "n4", "n5"];
const REF = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "web" };

describe("operator in process: safeguards of record sets", function () {
  this.timeout(240_000);
  let world: World;
  let metrics: () => Promise<string>;

  beforeEach(async () => {
    world = await World.create({ speed: 100, flags: { features: "dns,healthchecks" } });
    for (const name of NODES) world.addNode(name);
    world.kubernetes.create({
      ...{ apiVersion: REF.apiVersion, kind: REF.kind, metadata: { name: "web", namespace: "default" } },
      // Events of nodes that fail at once arrive one after the other: a removal must not begin in between.
      spec: { dnsRecordSet: { zone: "example.com", recordName: "www" }, gracePeriodSeconds: 10 },
    });
    const { operator } = world.start();
    metrics = () => operator.registry.text();
    await world.until("all are published", () => published() === NODES.length);
    await world.until("the status says it", () => status().addresses?.length === NODES.length);
  });

  afterEach(() => world.close());

  const published = () => world.digitalocean.state.dns.records("example.com", "www").length;
  const status = () => (world.kubernetes.get(REF)?.["status"] ?? {}) as NodeDNSRecordSetStatus;
  const massFailure = () => status().conditions?.find(({ type }) => type === "MassFailure");
  const fail = (...names: readonly string[]) => {
    for (const name of names) world.setReady(name, false);
  };
  const ignore = () => {
    const annotations = { [Annotation.ignoreMassFailure]: "true" };
    world.change(REF, "metadata", { annotations });
  };

  it("keeps the failed nodes in the name while most nodes fail at once, until the window ends", async () => {
    fail("n1", "n2", "n3");
    await world.until("the stop is shown", () => massFailure()?.status === "True");
    expect(massFailure()?.message).to.include("3 nodes that hold addresses or are in DNS names failed");
    await world.until("an Event", () => world.events("MassFailure").length > 0);
    expect(await metrics()).to.include('flipop_mass_failure{zone=""} 1');
    await world.clock.sleep(MASS_FAILURE_WINDOW_MS / 2);
    expect(published()).to.equal(NODES.length);
    await world.until("they have left", () => published() === 2 && massFailure()?.status === "False");
  });

  it("removes failed nodes at once where they are few, or a person says that they are down", async () => {
    fail("n1", "n2");
    await world.until("two have left", () => published() === 3);
    fail("n3");
    await world.until("the third one stays", () => massFailure()?.status === "True");
    expect(published()).to.equal(3);
    const at = world.clock.now();
    ignore();
    await world.until("it has left", () => published() === 2);
    expect(world.clock.now() - at).to.be.lessThan(MASS_FAILURE_WINDOW_MS / 2);
  });

  it("lifts the stop when the nodes recover", async () => {
    fail("n1", "n2", "n3");
    await world.until("the stop is shown", () => massFailure()?.status === "True");
    for (const name of ["n1", "n2", "n3"]) world.setReady(name, true);
    await world.until("it is over", () => massFailure()?.status === "False");
    expect(published()).to.equal(NODES.length);
    expect(await metrics()).to.include('flipop_mass_failure{zone=""} 0');
  });
});
