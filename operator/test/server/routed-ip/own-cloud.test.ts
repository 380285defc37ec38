import { resolve } from "node:path";
import { Yaml } from "cdk8s";
import type { JsonObject } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import type { Manifest } from "../../e2e/support/install.js";
import { CLOUD_TOKEN, OwnCloud } from "../../support/cloud/own-cloud.js";
import { routedIP } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

const SAMPLE = resolve(import.meta.dirname, "../../../../examples/own-cloud/class.yaml");
const CLASS = "my-cloud";
const FORBIDDEN = 403;

type PodTemplate = { readonly spec: JsonObject & { readonly containers: readonly JsonObject[] } };

describe("the class of examples/own-cloud on a real control plane, with a cloud that the operator does not know", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let cloud: OwnCloud;
  let sample: Manifest;
  const nodes: FakeNode[] = [];

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    cloud = await OwnCloud.start();
    [sample] = Yaml.load(SAMPLE) as [Manifest];
    rig = await RoutedRig.create(plane);
    const stringData = { CLOUD_URL: cloud.url, CLOUD_TOKEN };
    await rig.client.must.create(`/api/v1/namespaces/${rig.names.jobs}/secrets`, {
      metadata: { name: CLASS },
      stringData,
    });
    for (const machine of ["m-1", "m-2"]) {
      nodes.push(await FakeNode.create(rig.client, { providerID: `mycloud://${machine}` }));
    }
    await rig.addService();
    await rig.start();
    await rig.add([sample]);
  });

  after(async () => {
    await rig?.close();
    for (const node of nodes) await node.delete();
    await cloud?.close();
  });

  const node = (index: number) => nodes[index] as FakeNode;
  const holder = (ip: string) => cloud.addresses.get(ip);

  it("passes Pod Security restricted unmodified, and would not without its securityContext", async () => {
    await rig.says("ClusterRoutedIPClass", CLASS, "Ready=True");
    const { updateRoutedIP, updateFirewall } = sample["spec"] as Record<string, { readonly template: PodTemplate }>;
    const tryPod = (spec: JsonObject) =>
      rig.client.create(
        `/api/v1/namespaces/${rig.names.jobs}/pods`,
        { metadata: { name: "try" }, spec: { restartPolicy: "Never", ...spec } },
        { dryRun: "All" },
      );
    for (const template of [updateRoutedIP?.template, updateFirewall?.template]) {
      if (template === undefined) throw new Error("the sample lacks a Job");
      const { status, body } = await tryPod(template.spec);
      expect(status, JSON.stringify(body)).to.equal(201);
      const containers = template.spec.containers.map(({ securityContext: _, ...container }) => container);
      expect((await tryPod({ ...template.spec, containers })).status).to.equal(FORBIDDEN);
    }
  });

  it("creates an address once, though an answer is lost, and quotes the cloud without its token", async () => {
    cloud.fault = {
      on: /^POST/,
      answer: { status: 503, body: { error: `out of order: Bearer ${CLOUD_TOKEN}` } },
      late: true,
    };
    await rig.addPod(node(0));
    await rig.add(routedIP(rig.names.team, "web", { clusterClass: CLASS }));
    await rig.reports("web", "JobFailed", "out of order");
    await rig.ready("web");
    const { routedIP: ip = "", created, assignedNode } = await rig.status("web");
    expect([...cloud.addresses]).to.deep.equal([[ip, "m-1"]]);
    expect([created, assignedNode]).to.deep.equal([true, node(0).name]);
    expect(cloud.openOn("m-1")).to.deep.equal([443]);
    const texts = JSON.stringify([await rig.events("web", "JobFailed"), await rig.status("web"), rig.log]);
    expect(texts).not.to.contain(CLOUD_TOKEN);
  });

  it("moves the address with the Service, and points it at no machine whose port is closed", async () => {
    const { routedIP: ip = "" } = await rig.status("web");
    await rig.addPod(node(1));
    await node(0).cordon();
    await rig.until("moved", () => holder(ip) === "m-2");
    await rig.ready("web");
    await rig.until("the port of the previous node is closed", () => cloud.openOn("m-1").length === 0);
    expect(cloud.openOn("m-2")).to.deep.equal([443]);
    expect(cloud.closed).to.deep.equal([]);
  });

  it("closes the ports of a deleted RoutedIP, and leaves its address in the account", async () => {
    const { routedIP: ip = "" } = await rig.status("web");
    await rig.delete("RoutedIP", "web");
    await rig.isGone("RoutedIP", "web");
    expect(cloud.rules).to.deep.equal([]);
    expect([...cloud.addresses.keys()]).to.deep.equal([ip]);
    await rig.reports("web", "CleanupAbandoned", `address ${ip}`);
  });
});
