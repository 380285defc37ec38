import { access, readFile } from "node:fs/promises";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { parse } from "yaml";
import { ControlPlane, controlPlaneOrSkip, eventually } from "../../src/index.js";
import { isAlive } from "../support/processes.js";

describe("a control plane", () => {
  let plane: ControlPlane;

  before(async function () {
    const { binaries } = await controlPlaneOrSkip(this);
    plane = await ControlPlane.start({ binaries, identities: [{ name: "flipop", groups: ["operators"] }] });
  });

  after(() => plane?.stop());

  it("serves requests with its actual release", async () => {
    const { body } = await plane.client().get<{ gitVersion: string }>("/version");
    expect(body.gitVersion).to.equal("v1.35.4");
  });

  it("is independent of a second one", async () => {
    const second = await ControlPlane.start({ binaries: plane.binaries });
    try {
      expect(second.url).not.to.equal(plane.url);
      const namespace = await plane.client().tempNamespace();
      expect((await second.client().get(`/api/v1/namespaces/${namespace}`)).status).to.equal(404);
    } finally {
      await second.stop();
    }
    expect((await plane.client().get("/readyz")).status).to.equal(200);
  });

  it("runs kubectl, with input and as any identity", async () => {
    const manifest = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "from-kubectl" } });
    const applied = await plane.kubectl(["apply", "-f", "-"], { input: manifest });
    expect(applied).to.deep.equal({ code: 0, stdout: "configmap/from-kubectl created\n", stderr: "" });
    const whoami = await plane.kubectl(["auth", "whoami", "-o", "json"], { identity: "flipop" });
    expect(JSON.parse(whoami.stdout)).to.have.deep.nested.property("status.userInfo.groups", [
      "operators",
      "system:authenticated",
    ]);
    const failed = await plane.kubectl(["get", "nonsense"]);
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.contain(`the server doesn't have a resource type "nonsense"`);
  });

  it("rejects requests that no role allows", async () => {
    const forbidden = await plane.client("flipop").get("/api/v1/nodes");
    expect(forbidden.status).to.equal(403);
    const role = {
      metadata: { name: "see-nodes" },
      rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }],
    };
    const admin = plane.client();
    await admin.must.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", role);
    await admin.must.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "see-nodes" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "see-nodes" },
      subjects: [{ kind: "User", name: "flipop" }],
    });
    const allowed = () => plane.client("flipop").must.list("/api/v1/nodes");
    await eventually(allowed, { what: "the role to take effect", timeoutMs: 5_000 });
    expect((await plane.client("flipop").get("/api/v1/pods")).status).to.equal(403);
    expect(() => plane.client("nobody")).to.throw('unknown identity "nobody", known are admin, test-user-0');
  });

  it("writes kubeconfig files", async () => {
    const file = await plane.kubeconfig("flipop", "some-namespace");
    const config = parse(await readFile(file, "utf8"));
    expect(config.users[0].user.token).to.equal(plane.token("flipop"));
    expect(config.contexts[0].context.namespace).to.equal("some-namespace");
    expect(Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString()).to.equal(
      plane.caData,
    );
  });

  it("keeps its data and address when the API server is killed and started again", async () => {
    const client = plane.client();
    const namespace = await client.tempNamespace();
    const { url } = plane;
    const pid = plane.apiserver.pid ?? 0;
    await plane.apiserver.kill("SIGKILL");
    expect(isAlive(pid)).to.equal(false);
    const refused = await client.get("/readyz").catch((error: Error) => error);
    expect(refused).to.be.instanceOf(Error).with.property("message").that.contains("ECONNREFUSED");
    await plane.apiserver.start();
    expect(plane.url).to.equal(url);
    expect((await client.must.get(`/api/v1/namespaces/${namespace}`)).metadata.name).to.equal(namespace);
  });

  it("survives a kill of etcd, and restores an older state", async () => {
    const client = plane.client();
    const before = await client.tempNamespace("before");
    const state = await plane.etcd.saveState();
    await plane.apiserver.untilReady();
    const later = await client.tempNamespace("later");
    await plane.etcd.restart("SIGKILL");
    await plane.apiserver.untilReady();
    expect((await client.get(`/api/v1/namespaces/${later}`)).status).to.equal(200);

    await plane.apiserver.kill();
    await plane.etcd.restoreState(state);
    await plane.apiserver.start();
    expect((await client.get(`/api/v1/namespaces/${before}`)).status).to.equal(200);
    expect((await client.get(`/api/v1/namespaces/${later}`)).status).to.equal(404);
  });

  it("freezes and continues", async () => {
    const isFrozen = async (): Promise<boolean> => {
      const signal = AbortSignal.timeout(300);
      const request = plane.client().request({ method: "GET", ref: "/readyz", signal });
      return (await request.then(() => "answered").catch((error: Error) => error.name)) === "AbortError";
    };
    await plane.apiserver.signal("SIGSTOP");
    // The system stops the program's threads some time after it has taken the signal, so a first request may be answered.
    await eventually(isFrozen, { what: "a frozen API server" });
    await plane.apiserver.signal("SIGCONT");
    await plane.apiserver.untilReady();
  });

  it("reports the program's last output if it does not start", async () => {
    const options = { binaries: plane.binaries, apiserverArgs: ["--no-such-flag"] };
    const error = await ControlPlane.start(options).catch((reason: Error) => reason);
    expect(error).to.be.instanceOf(Error).with.property("message").that.contains("unknown flag: --no-such-flag");
  });

  it("leaves nothing behind when it is stopped", async () => {
    const second = await ControlPlane.start({ binaries: plane.binaries });
    const pids = [second.etcd.pid, second.apiserver.pid, second.supervisor.pid].map(Number);
    expect(pids.every(isAlive)).to.equal(true);
    await second.stop();
    await second.stop();
    await eventually(() => !pids.some(isAlive), { what: "the end of all processes" });
    expect(await access(second.dir).catch((error: NodeJS.ErrnoException) => error.code)).to.equal("ENOENT");
  });
});

describe("older releases", () => {
  for (const emulatedVersion of ["1.32", "1.33"]) {
    it(`are emulated: ${emulatedVersion}`, async function () {
      const plane = await controlPlaneOrSkip(this, { emulatedVersion });
      const { body } = await plane.client().get<{ emulationMajor: string; emulationMinor: string }>("/version");
      expect(`${body.emulationMajor}.${body.emulationMinor}`).to.equal(emulatedVersion);
    });
  }
});
