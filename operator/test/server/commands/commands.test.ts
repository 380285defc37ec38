import { readFileSync } from "node:fs";
import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type ControlPlane, controlPlaneOrSkip, eventually, FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { Flipop, type Running } from "../../commands/flipop.js";
import { installDefinitions } from "../../support/kube/definitions.js";
import { grantOperator } from "../../support/kube/grant.js";

const POOLS = `/apis/${GROUP_VERSION}/namespaces/default/floatingippools`;

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

describe("the commands on a real API server, with the operator under its own roles", () => {
  let plane: ControlPlane;
  let cloud: DigitalOceanSimulator;
  let operator: Running;
  let flipop: Flipop;
  let process: Flipop;

  before(async function () {
    plane = await controlPlaneOrSkip(this, { identities: [{ name: "flipop-commands" }] });
    const client = plane.client();
    await client.create("/api/v1/namespaces", { metadata: { name: "flipop" } });
    await installDefinitions(plane);
    await grantOperator(plane, "flipop-commands");
    await FakeNode.create(client, { name: "no-droplet" });
    cloud = await startDigitalOceanSimulator();
    const env = { DIGITALOCEAN_ACCESS_TOKEN: cloud.token, DIGITALOCEAN_API_URL: cloud.url };
    process = new Flipop(readFileSync(await plane.kubeconfig("flipop-commands"), "utf8"), env);
    flipop = new Flipop(readFileSync(await plane.kubeconfig(), "utf8"));
    operator = await process.start("run", "--metrics-bind-addr=", "--health-bind-addr=", "--log-format=json");
    await client.create(POOLS, {
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", metadata: { name: "web", namespace: "default" } },
      spec: { provider: "digitalocean", region: "nyc3", desiredIPs: 1 },
    });
  });

  after(async () => {
    await operator?.end("SIGTERM");
    flipop?.close();
    process?.close();
    await cloud?.close();
  });

  async function ready() {
    const { body } = await plane.client().get<{ readonly status?: Status }>(`${POOLS}/web`);
    return body.status?.conditions?.find(({ type }) => type === "Ready");
  }

  it("shows the pool that the operator observes", async () => {
    await eventually(async () => (await ready()) !== undefined, { what: "a status" });
    const { code, out, err } = await flipop.run("status");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    expect(out).to.match(/^default +pool\/web +/m);
  });

  it("explains why the node is no candidate", async () => {
    const { code, out } = await flipop.run("explain", "pool/web", "no-droplet");
    expect(code).to.equal(0);
    expect(out).to.match(/^FloatingIPPool default\/web, node no-droplet: it is /);
    expect(out).to.match(/ {2}labels +ok +no label is asked for\n/);
  });

  it("examines the operator's rights as its user, the CRDs as the server keeps them, and the Lease", async () => {
    await eventually(async () => (await ready()) !== undefined, { what: "a leader" });
    const { out } = await flipop.run("doctor", "-o", "json", "--service-account=none");
    const found = JSON.parse(out) as readonly {
      readonly check: string;
      readonly result: string;
      readonly seen: string;
    }[];
    const of = (check: string) => found.find((one) => one.check === check);
    expect(of("rights")?.seen).to.match(/^system:serviceaccount:flipop:none lacks \d+ of \d+ rights: /);
    for (const check of ["CRD FloatingIPPool", "CRD RoutedIP", "leader", "another operator", "network policy"]) {
      expect(of(check), check).to.include({ result: "ok" });
    }
    const own = JSON.parse((await process.run("doctor", "-o", "json", "--self")).out) as typeof found;
    expect(own.find(({ check }) => check === "rights")).to.include({ result: "ok" });
  });

  it("stops the operator, which may watch its Lease and nothing more, and lets it work again", async () => {
    expect((await flipop.run("stop", "a test")).code).to.equal(0);
    await eventually(async () => (await ready())?.reason === "Stopped", { what: "reason Stopped" });
    expect((await flipop.run("status")).out).to.match(/ Stopped: the operator is stopped \(a test; since 2.*Z\)/);
    expect((await flipop.run("resume")).code).to.equal(0);
    await eventually(async () => (await ready())?.reason !== "Stopped", { what: "another reason" });
    expect(operator.out).not.to.match(/forbidden/i);
  });
});
