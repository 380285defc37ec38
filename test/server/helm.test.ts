import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, eventually, skip, stopShared } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { Flipop } from "../../operator/test/commands/flipop.js";
import { writeChart } from "../../tools/helm/chart.js";
import { findOrBuildHelm } from "../../tools/helm/helm-binary.js";

const NAMESPACE = "edge";
const CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/floatingippools.flipop.digitalocean.com";
const POD = `/api/v1/namespaces/${NAMESPACE}/pods/ips-test`;
const DEPLOYMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/ips`;
const ACCOUNT = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/ips`;
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const VALUES = ["--set", "fullnameOverride=ips,resources.limits.memory=300Mi,podLabels.team=edge"];

interface Object {
  readonly metadata: {
    readonly name?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[];
    readonly containers: readonly { readonly args: readonly string[] }[];
  };
}

describe("the Helm chart, installed on a real API server", () => {
  let plane: ControlPlane;
  let folder: string;
  let helm: string;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    plane = await controlPlaneOrSkip(this, { controllerManager: true });
    try {
      helm = await findOrBuildHelm();
    } catch (error) {
      skip(this, `helm is not installed and the build failed: ${String(error).split("\n")[0]}`);
    }
    folder = mkdtempSync(join(tmpdir(), "flipop-helm-"));
    env = { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: await plane.kubeconfig() };
    await writeChart(join(folder, "flipop"));
  });

  after(async () => {
    if (folder) rmSync(folder, { recursive: true });
    await stopShared();
  });

  async function run(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(helm, [...args, "--namespace", NAMESPACE], { cwd: folder, env });
    return stdout;
  }

  async function object(path: string): Promise<Object> {
    return plane.client().must.get<Object>(path);
  }

  it("creates the namespace that helm names, and puts everything there", async () => {
    const notes = await run("install", "ips", "flipop", "--create-namespace", ...VALUES);
    expect(notes).to.include(`runs as Deployment ips in namespace ${NAMESPACE}`);
    const deployment = await object(DEPLOYMENT);
    expect(JSON.stringify(deployment)).to.include('"memory":"300Mi"').and.include('"team":"edge"');
  });

  it("lets helm wait until the replicas are ready, with the values of the release", async () => {
    let ended = false;
    const upgraded = run("upgrade", "ips", "flipop", "--reset-then-reuse-values", "--wait").finally(() => {
      ended = true;
    });
    const pods = await eventually(async () => twoReplicas(), { what: "both replicas" });
    expect(ended).to.equal(false);
    for (const { metadata } of pods) await becomesReady(metadata.name ?? "");
    expect(await upgraded).to.include("STATUS: deployed");
    const deployment = await object(DEPLOYMENT);
    expect(JSON.stringify(deployment)).to.include('"memory":"300Mi"').and.include('"team":"edge"');
  });

  async function twoReplicas(): Promise<readonly Object[] | undefined> {
    const { items } = await plane
      .client()
      .must.get<{ readonly items: readonly Object[] }>(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=team=edge`);
    return items.length === 2 ? items : undefined;
  }

  /** There is no kubelet: the test reports what it would. */
  async function becomesReady(name: string): Promise<void> {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
    await plane.client().must.patch(`/api/v1/namespaces/${NAMESPACE}/pods/${name}/status`, {
      status: { phase: "Running", conditions },
    });
  }

  function upgrade(values: string): Promise<string> {
    return run("upgrade", "ips", "flipop", "--reset-then-reuse-values", "--set", values);
  }

  it("keeps newer CustomResourceDefinitions while the chart is installed without them, then takes them back", async () => {
    const newer = await object(CRD);
    const without = await upgrade("crds.enabled=false");
    expect(without).to.include("STATUS: deployed");
    expect(await object(CRD)).to.deep.equal(newer);
    await upgrade("crds.enabled=true");
    const { metadata, spec } = await object(CRD);
    expect(metadata.uid).to.equal(newer.metadata.uid);
    expect(spec.versions).to.deep.equal(newer.spec.versions);
  });

  it("refuses an upgrade without CustomResourceDefinitions that Helm would delete", async () => {
    await upgrade("crds.keep=false");
    const { metadata } = await object(CRD);
    const refusal = (values: string) =>
      upgrade(values).then(
        () => "upgraded",
        (error: Error) => error.message,
      );
    for (const values of ["crds.enabled=false", "crds.keep=true,crds.enabled=false"])
      expect(await refusal(values))
        .to.include("crds.enabled: Helm would delete floatingippools.flipop.digitalocean.com")
        .and.include("upgrade with crds.enabled=true and crds.keep=true first");
    await upgrade("crds.enabled=true,crds.keep=true");
    await upgrade("crds.enabled=false");
    expect((await object(CRD)).metadata.uid).to.equal(metadata.uid);
    await upgrade("crds.enabled=true");
  });

  it("lets a release without CustomResourceDefinitions be installed and upgraded, whatever crds.keep says", async () => {
    const { metadata } = await object(CRD);
    const values = ["--set", "fullnameOverride=guest,crds.enabled=false,crds.keep=false"];
    await run("install", "guest", "flipop", ...values);
    await run("upgrade", "guest", "flipop", ...values);
    await run("uninstall", "guest");
    expect((await object(CRD)).metadata.uid).to.equal(metadata.uid);
  });

  it("changes the CustomResourceDefinitions with an upgrade", async () => {
    const old = await object(CRD);
    const versions = old.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { type: "object" } },
    }));
    await plane.client().must.patch(CRD, { spec: { versions } });
    await run("upgrade", "ips", "flipop", ...VALUES);
    expect((await object(CRD)).spec.versions).to.deep.equal(old.spec.versions);
  });

  it("is checked by helm test, with the rights of the operator's ServiceAccount", async () => {
    const spec = {
      holderIdentity: "ips-1",
      leaseDurationSeconds: 3600,
      renewTime: new Date().toISOString().replace("Z", "000Z"),
    };
    const metadata = { name: LEASE_NAME };
    await plane.client().must.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
    const tested = run("test", "ips");
    const pod = await eventually(async () => object(POD).catch(() => undefined), { what: "the pod of helm test" });
    const { code, out, err } = await asOperator(pod.spec.containers[0]?.args ?? []);
    expect(err).to.equal("");
    expect(out)
      .to.match(/^rights\s+ok /m)
      .and.not.include("PROBLEM");
    expect(code).to.equal(0);
    await plane.client().must.patch(`${POD}/status`, { status: { phase: "Succeeded" } });
    expect(await tested).to.match(/^Phase:\s+Succeeded$/m);
  });

  async function asOperator(args: readonly string[]) {
    const { status } = await plane
      .client()
      .must.create<{ readonly status: { readonly token: string } }>(`${ACCOUNT}/token`, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {},
      });
    const file = join(folder, "operator.kubeconfig");
    writeFileSync(file, kubeconfig(status.token));
    const flipop = new Flipop();
    const ended = await flipop.run(...args, "--kubeconfig", file);
    flipop.close();
    return ended;
  }

  function kubeconfig(token: string): string {
    const cluster = { server: plane.url, "certificate-authority-data": Buffer.from(plane.caData).toString("base64") };
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "it", cluster }],
      users: [{ name: "operator", user: { token } }],
      contexts: [{ name: "it", context: { cluster: "it", user: "operator" } }],
      "current-context": "it",
    });
  }

  it("leaves the CustomResourceDefinitions in the cluster when it is uninstalled", async () => {
    expect(await run("uninstall", "ips")).to.include("kept due to the resource policy");
    expect((await plane.client().get(CRD)).status).to.equal(200);
    expect((await plane.client().get(ACCOUNT)).status).to.equal(404);
  });
});
