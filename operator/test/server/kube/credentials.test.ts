import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, afterEach, before, beforeEach, describe, it } from "mocha";
import { stringify } from "yaml";
import { isUnauthorized } from "../../../src/kube/client.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { TempDir } from "../../support/temp-dir.js";
import { until } from "../../support/time/until.js";

interface Review {
  readonly status: { readonly userInfo: { readonly username: string; readonly uid: string } };
}

const WHO = { method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} } as const;

describe("credentials on a real API server", () => {
  let plane: ControlPlane;
  let admin: Transport;
  let dir: TempDir;
  before(async function () {
    plane = await controlPlaneOrSkip(this);
    admin = new Transport({ config: loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} }), env: {} });
  });
  after(() => admin?.close());
  beforeEach(() => {
    dir = new TempDir();
  });
  afterEach(() => dir?.remove());

  const identify = async (transport: Transport) => (await transport.request<Review>(WHO)).status.userInfo;

  it("follows a service account's token when it is rotated and the old one is refused", async () => {
    const path = "/api/v1/namespaces/default/serviceaccounts";
    const name = `rotated-${process.pid}`;
    const rotate = async () => {
      await admin.request({ method: "POST", path, body: { metadata: { name } } });
      const request = { method: "POST", path: `${path}/${name}/token`, body: { spec: {} } } as const;
      const { status } = await admin.request<{ status: { token: string } }>(request);
      dir.write("token", status.token);
      return status.token;
    };
    const first = await rotate();
    dir.write("ca.crt", plane.caData);
    const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: new URL(plane.url).port };
    const config = loadClusterConfig({ env, serviceAccountDir: dir.path });
    const pod = new Transport({ config, env: {} });
    const before = await identify(pod);
    expect(before.username).to.equal(`system:serviceaccount:default:${name}`);

    await admin.request({ method: "DELETE", path: `${path}/${name}` });
    const old = new Transport({ config: { ...config, auth: { kind: "token", token: { data: first } } }, env: {} });
    await until("the server refuses the old token", () => identify(old).then(() => false, isUnauthorized), 30_000);
    await rotate();

    const now = await identify(pod);
    expect(now.username).to.equal(before.username);
    expect(now.uid).not.to.equal(before.uid);
    await Promise.all([old.close(), pod.close()]);
  });

  it("asks an exec plugin, and asks it again when the server refuses what it gave", async () => {
    const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" };
    const script = dir.write(
      "plugin.cjs",
      `const { appendFileSync, readFileSync } = require("node:fs");
      appendFileSync(__filename + ".runs", "x");
      const first = readFileSync(__filename + ".runs", "utf8").length === 1;
      const token = first ? "expired-early" : process.env.TOKEN;
      const status = { token, expirationTimestamp: "2099-01-01T00:00:00Z" };
      console.log(JSON.stringify({ ...${JSON.stringify(credential)}, status }));`,
    );
    const exec = {
      apiVersion: credential.apiVersion,
      command: process.execPath,
      args: [script],
      env: [{ name: "TOKEN", value: plane.token("test-user-3") }],
      interactiveMode: "Never",
    };
    const cluster = { server: plane.url, "certificate-authority": join(plane.caFile) };
    const kubeconfig = {
      "current-context": "c",
      clusters: [{ name: "k", cluster }],
      users: [{ name: "u", user: { exec } }],
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    };
    const config = loadClusterConfig({ kubeconfig: dir.write("config", stringify(kubeconfig)), env: {} });
    const transport = new Transport({ config, env: {} });
    for (let i = 0; i < 3; i++) expect(await identify(transport)).to.include({ username: "test-user-3" });
    expect(readFileSync(`${script}.runs`, "utf8"), "runs of the plugin").to.equal("xx");
    await transport.close();
  });
});
