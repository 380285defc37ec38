import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Chart, Testing, Yaml } from "cdk8s";
import { FlipopCrds, FlipopOperator } from "cdk8s-flipop";
import { Finalizer, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, resolveBinaries, stopShared } from "flipop-testbed";
import { after, before, beforeEach, describe, it } from "mocha";
import { apply, installKinds } from "../support/cluster.js";
import { pages, pageText, shellLines } from "../support/docs.js";

/** These commands need running pods, a registry or the operator. */
const NOT_HERE =
  /rollout|logs|port-forward|scale|helm|curl|condition=Fulfilled|"finalizers":null|GROUP|KEY-OF|-f flipop.yaml/;
const POOL_PATH = "/apis/flipop.digitalocean.com/v1alpha1/namespaces/default/floatingippools/web";
const POOL = `{"apiVersion":"flipop.digitalocean.com/v1alpha1","kind":"FloatingIPPool","metadata":{"name":"web"},"spec":{"provider":"digitalocean","region":"nyc3","desiredIPs":1}}\n`;

/** The commands of a page that need only the API server, with the test's names instead of placeholders. */
function commandsOf(page: string): readonly string[] {
  const lines = shellLines(page).filter((line) => line.startsWith("kubectl ") && !NOT_HERE.test(line));
  return lines.map(named);
}

function named(line: string): string {
  return line.replaceAll(/(?<=[ /])NAME\b(?!:)/g, "web").replaceAll(/\bNAMESPACE\b(?!:)/g, "default");
}

describe("the kubectl commands of docs/how-to and docs/reference, on a real API server", () => {
  let plane: ControlPlane;
  let folder: string;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    plane = await controlPlaneOrSkip(this, { controllerManager: true });
    const binaries = await resolveBinaries();
    const path = binaries.kind === "found" ? binaries.binaries.folder : "";
    env = { PATH: `${path}:${process.env["PATH"]}`, KUBECONFIG: await plane.kubeconfig(), HOME: tmpdir() };
    folder = mkdtempSync(join(tmpdir(), "flipop-how-to-"));
    mkdirSync(join(folder, "dist"));
    writeFileSync(
      join(folder, "dist/crds.k8s.yaml"),
      manifest((chart) => new FlipopCrds(chart, "crds")),
    );
    const operator = manifest((chart) => new FlipopOperator(chart, "operator"));
    writeFileSync(join(folder, "dist/flipop.k8s.yaml"), operator);
    const next = { name: "flipop-next", namespace: "flipop", createNamespaces: false };
    writeFileSync(
      join(folder, "dist/flipop-next.k8s.yaml"),
      manifest((chart) => new FlipopOperator(chart, "operator", next)),
    );
    mkdirSync(join(folder, "deploy"));
    writeFileSync(join(folder, "deploy/flipop.k8s.yaml"), operator);
    writeFileSync(join(folder, "deploy/kustomization.yaml"), kustomization());
  });

  after(async () => {
    if (folder) rmSync(folder, { recursive: true });
    await stopShared();
  });

  /** Each page starts with an installed operator that holds its Lease and manages a pool. */
  beforeEach(async () => {
    await installKinds(plane);
    await shell("kubectl apply -f dist/flipop.k8s.yaml");
    await apply(plane, POOL);
    const spec = { holderIdentity: "test" };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: LEASE_NAME }, spec };
    writeFileSync(join(folder, "lease.yaml"), Yaml.stringify(lease));
    await shell("kubectl -n flipop apply -f lease.yaml");
  });

  async function shell(command: string): Promise<string> {
    const options = { cwd: folder, env, timeout: 100_000 };
    const { stdout } = await promisify(execFile)("sh", ["-ec", command], options).catch((error: unknown) => {
      throw new Error(`the command fails: ${command}`, { cause: error });
    });
    return stdout;
  }

  for (const page of pages().filter((name) => commandsOf(name).length > 0)) {
    it(`of ${page} work`, async () => {
      await shell("kubectl -n flipop delete secret flipop --ignore-not-found");
      for (const command of commandsOf(page)) await shell(command);
    });
  }

  it("install the objects of the kustomization", async () => {
    const shown = await shell("kubectl kustomize deploy");
    expect(shown)
      .to.match(/image: registry\.example\.com\/flipop:0\.1\.0\n/)
      .and.match(/replicas: 3\n/);
    expect(shown)
      .to.include("- --debug\n")
      .and.not.match(/^kind: Namespace$/m);
  });

  it("show the node of each address, and conflicts between resources", async () => {
    const ips = { "192.0.2.1": { state: "active", nodeName: "node-1" }, "192.0.2.2": { state: "unassigned" } };
    await plane.client().must.patch(`${POOL_PATH}/status`, { status: { ips } });
    await plane.client().must.patch(POOL_PATH, { spec: { ips: Object.keys(ips) } });
    await apply(plane, POOL.replace('"web"', '"other"').replace('"desiredIPs":1', '"ips":["192.0.2.2"]'));
    const commands = commandsOf("how-to/migrate-from-the-go-operator.md");
    const [before = "", doubles = ""] = ["> addresses.txt", "count[ip]"].map((part) =>
      commands.find((command) => command.includes(part)),
    );
    expect(await shell(`${before}; cat addresses.txt`)).to.match(/^default\/web 192\.0\.2\.1 node-1 active$/m);
    expect(await shell(doubles)).to.match(/^192\.0\.2\.2 default\/other default\/web$/m);
    await shell("kubectl delete fip other");
  });

  it("show only the resources with problems", async () => {
    const [command = ""] = commandsOf("how-to/migrate-from-the-go-operator.md").filter((line) =>
      line.includes('"Conflict"'),
    );
    const conditions = [
      condition("Ready", "True"),
      condition("Fulfilled", "False"),
      condition("Conflict", "False"),
      condition("DNSReady", "Unknown"),
    ];
    await plane.client().must.patch(`${POOL_PATH}/status`, { status: { conditions } });
    const lines = (await shell(command)).trimEnd().split("\n");
    expect(lines).to.deep.equal([
      "FloatingIPPool default/web Fulfilled=False Observed: seen",
      "FloatingIPPool default/web DNSReady=Unknown Observed: seen",
    ]);
  });

  it("delete a resource without its operator", async () => {
    const patch = { metadata: { finalizers: [Finalizer.cleanup] } };
    await plane.client().must.patch(POOL_PATH, patch);
    await shell("kubectl delete fip web --wait=false");
    const [command = ""] = shellLines("how-to/uninstall.md").filter((line) => line.includes('"finalizers":null'));
    await shell(named(command));
    expect((await plane.client().get(POOL_PATH)).status).to.equal(404);
  });
});

function condition(type: string, status: string): object {
  return { type, status, reason: "Observed", message: "seen", lastTransitionTime: "2026-01-01T00:00:00Z" };
}

/** The one in the page on installation. */
function kustomization(): string {
  return /^```yaml\n(resources:.*?)^```$/ms.exec(pageText("how-to/install.md"))?.[1] ?? "";
}

function manifest(add: (chart: Chart) => unknown): string {
  const chart = new Chart(Testing.app(), "chart");
  add(chart);
  return Yaml.stringify(...Testing.synth(chart));
}
