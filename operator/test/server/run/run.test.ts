import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, eventually, FakeNode, freePort } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { installDefinitions } from "../../support/kube/definitions.js";
import { grantOperator } from "../../support/kube/grant.js";

const OPERATOR = resolve(import.meta.dirname, "../../..");
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/flipop/leases";

describe("flipop run on a real API server, under its own roles", () => {
  let plane: ControlPlane;
  let child: ChildProcess;
  let health: string;
  let metrics: string;
  let log = "";

  before(async function () {
    plane = await controlPlaneOrSkip(this, { identities: [{ name: "flipop-run" }] });
    const client = plane.client();
    await client.create("/api/v1/namespaces", { metadata: { name: "flipop" } });
    await installDefinitions(plane);
    await grantOperator(plane, "flipop-run");
    await FakeNode.create(client);
    const ports = [await freePort(), await freePort()];
    [health, metrics] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
    const args = ["--import", "tsx", "src/main.ts", "--kubeconfig", await plane.kubeconfig("flipop-run")];
    const binds = [`--health-bind-addr=127.0.0.1:${ports[0]}`, `--metrics-bind-addr=127.0.0.1:${ports[1]}`];
    child = spawn(process.execPath, [...args, ...binds, "--log-format=json"], { cwd: OPERATOR });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        log += chunk.toString();
      });
    }
  });

  after(() => child?.kill("SIGKILL"));

  it("becomes ready and holds the Go operator's Lease", async () => {
    await eventually(async () => (await text(`${health}/readyz`)).status === 200, {
      what: `readiness; log: ${log}`,
      timeoutMs: 90_000,
    });
    const lease = await eventually(async () => (await plane.client().get(`${LEASES}/${LEASE_NAME}`)).body["spec"], {
      what: "the Lease",
    });
    expect(lease).to.include({ leaseDurationSeconds: 15 });
  });

  it("says of each check how it stands", async () => {
    expect((await text(`${health}/readyz?verbose`)).body).to.include("[+]caches ok");
    expect((await text(`${health}/healthz`)).status).to.equal(200);
  });

  it("shows the well-known metrics of watches, calls and leadership", async () => {
    const { body } = await text(`${metrics}/metrics`);
    expect(body).to.match(/leader_election_master_status\{name="[^"]+"\} 1/);
    expect(body).to.match(/rest_client_requests_total\{[^}]*code="200"/);
    expect(body).to.include("reflector_");
  });

  it("was refused nothing", () => {
    expect(log).not.to.match(/forbidden/i);
  });

  it("ends with code 0 on SIGTERM and gives the Lease back", async () => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code, log).to.equal(0);
    const { body } = await plane.client().get<{ spec: { holderIdentity?: string } }>(`${LEASES}/${LEASE_NAME}`);
    expect(body.spec.holderIdentity ?? "").to.equal("");
  });
});

async function text(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.text() };
}
