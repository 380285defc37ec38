import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { Annotation, type FloatingIPPoolStatus, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type ControlPlane, controlPlaneOrSkip, eventually, FakeNode, freePort } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { installDefinitions } from "../../support/kube/definitions.js";
import { grantOperator } from "../../support/kube/grant.js";

const OPERATOR = resolve(import.meta.dirname, "../../..");
const USER = "flipop-first-path";
const NAMESPACE = "first-path";
const POOLS = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/floatingippools`;

interface PoolObject {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly ips?: readonly string[] };
  readonly status?: FloatingIPPoolStatus;
}

describe("flipop run as a process of its own, from a pool to its addresses", function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  let cloud: DigitalOceanSimulator;
  let child: ChildProcess;
  let health: string;
  let log = "";

  before(async function () {
    plane = await controlPlaneOrSkip(this, { identities: [{ name: USER }] });
    cloud = await startDigitalOceanSimulator({ durations: { assign: 200 } });
    const client = plane.client();
    for (const name of [NAMESPACE, "flipop"]) await client.create("/api/v1/namespaces", { metadata: { name } });
    await installDefinitions(plane);
    await grantOperator(plane, USER);
    for (let count = 0; count < 3; count++) {
      const { id } = cloud.state.addDroplet();
      await FakeNode.create(client, { providerID: `digitalocean://${id}`, labels: { "test/pool": NAMESPACE } });
    }
    const port = await freePort();
    health = `http://127.0.0.1:${port}`;
    const args = ["--import", "tsx", "src/main.ts", "--kubeconfig", await plane.kubeconfig(USER)];
    const flags = [`--health-bind-addr=127.0.0.1:${port}`, "--metrics-bind-addr=", "--log-format=json"];
    const env = { ...process.env, DIGITALOCEAN_ACCESS_TOKEN: cloud.token, DIGITALOCEAN_API_URL: cloud.url };
    child = spawn(process.execPath, [...args, ...flags], { cwd: OPERATOR, env });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        log += chunk.toString();
      });
    }
  });

  after(async () => {
    child?.kill("SIGKILL");
    await plane?.client().delete(`/api/v1/namespaces/${NAMESPACE}`);
    await cloud?.close();
  });

  it("becomes ready", async () => {
    const ready = async () => (await fetch(`${health}/readyz`)).status === 200;
    await eventually(() => ready().catch(() => false), { what: `readiness; log: ${log}`, timeoutMs: 90_000 });
  });

  it("assigns a listed address and a created one, and appends that to the spec", async () => {
    const { ip } = cloud.state.addAddress();
    await plane.client().must.create(POOLS, {
      apiVersion: GROUP_VERSION,
      kind: "FloatingIPPool",
      metadata: { name: "web" },
      spec: {
        provider: "digitalocean",
        region: "nyc3",
        ips: [ip],
        desiredIPs: 2,
        match: { nodeLabel: `test/pool=${NAMESPACE}` },
      },
    });
    const { spec, status } = await eventually(
      async () => {
        const { body } = await plane.client().get<PoolObject>(`${POOLS}/web`);
        const fulfilled = body.status?.conditions?.find(({ type }) => type === "Fulfilled");
        return fulfilled?.status === "True" && body.spec.ips?.length === 2 ? body : undefined;
      },
      { what: "a fulfilled pool", timeoutMs: 90_000 },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; log: ${log}`);
    });
    expect(status?.counts).to.deep.equal({ desired: 2, active: 2, unassigned: 0, candidates: 3 });
    expect(status?.createdIPs?.map((created) => created.ip)).to.deep.equal([spec.ips?.[1]]);
    expect(cloud.state.addresses()).to.have.length(2);
  });

  it("has annotated the holders", async () => {
    const { body: pool } = await plane.client().get<PoolObject>(`${POOLS}/web`);
    for (const [ip, { nodeName }] of Object.entries(pool.status?.ips ?? {})) {
      const path = `/api/v1/nodes/${nodeName}`;
      await eventually(
        async () => {
          const { body } = await plane.client().get<{ metadata: { annotations?: Record<string, string> } }>(path);
          return body.metadata.annotations?.[Annotation.reservedIpv4] === ip;
        },
        { what: `the annotation of ${nodeName}` },
      );
    }
  });

  it("was refused nothing, and ends with code 0 on SIGTERM", async () => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code, log).to.equal(0);
    expect(log).not.to.match(/forbidden/i);
    expect(log).not.to.include('"level":"error"');
  });
});
