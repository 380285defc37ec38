import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Chart, Testing, Yaml } from "cdk8s";
import { FlipopCrds, FlipopOperator } from "cdk8s-flipop";
import { Finalizer, JOB_REPORT, JOB_VARIABLES, LEASE_NAME, RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, resolveBinaries, stopShared } from "flipop-testbed";
import { after, before, beforeEach, describe, it } from "mocha";
import { apply, installKinds } from "../support/cluster.js";
import { pages, pageText, shellLines } from "../support/docs.js";

/** Our plugin has tests of its own; the others need running pods, a registry or the operator, or a cluster in which it is not yet. */
const NOT_HERE =
  /^kubectl (flipop|kustomize)|create namespace flipop|rollout|logs|port-forward|scale|helm|curl|condition=Ready|"finalizers":null|GROUP|KEY-OF|-f flipop.yaml|GO-DEPLOYMENT/;
const ROOT = resolve(import.meta.dirname, "../..");
const POOL_PATH = "/apis/flipop.digitalocean.com/v1alpha1/namespaces/default/floatingippools/web";
const POOL = `{"apiVersion":"flipop.digitalocean.com/v1alpha1","kind":"FloatingIPPool","metadata":{"name":"web"},"spec":{"provider":"digitalocean","region":"nyc3","desiredIPs":1,"dnsRecordSet":{"zone":"example.com","recordName":"web"}}}\n`;
const ISSUER = `{"apiVersion":"flipop.digitalocean.com/v1alpha1","kind":"RoutedIPIssuer","metadata":{"name":"web"},"spec":{"provider":"digitalocean","region":"nyc3","credentialsSecretRef":{"name":"digitalocean"}}}\n`;
const RECORDS = `{"apiVersion":"flipop.digitalocean.com/v1alpha1","kind":"NodeDNSRecordSet","metadata":{"name":"web"},"spec":{"provider":"digitalocean","dnsRecordSet":{"zone":"example.com","recordName":"nodes"}}}\n`;
const ROUTED = `{"apiVersion":"flipop.digitalocean.com/v1alpha1","kind":"RoutedIP","metadata":{"name":"web"},"spec":{"issuerRef":{"name":"web"},"serviceRef":{"serviceName":"web"},"dnsRecordSet":{"zone":"example.com","recordName":"routed"}}}\n`;
const POOL_OF_TEAM = POOL.replace('"name":"web"', '"name":"web","namespace":"ingress"');
/** Kinds of others, as far as pages read them. */
const FOREIGN_KINDS = [
  definition({ group: "externaldns.k8s.io", version: "v1alpha1", kind: "DNSEndpoint" }),
  definition({ group: "gateway.networking.k8s.io", version: "v1", kind: "Gateway" }),
];

interface ForeignKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function definition({ group, version, kind }: ForeignKind): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
    },
    spec: {
      ...{ group, scope: "Namespaced", names: { kind, plural } },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

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
    // A page starts with an operator with feature jobs.
    await apply(plane, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"flipop-jobs"}}\n`);
    await apply(plane, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ingress"}}\n`);
    for (const each of FOREIGN_KINDS) await apply(plane, `${JSON.stringify(each)}\n`);
    cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
    mkdirSync(join(folder, "deploy"));
    const [, image = ""] = /FLIPOP_IMAGE=(\S+)/.exec(pageText("how-to/install.md")) ?? [];
    const synthesised = manifest((chart) => new FlipopOperator(chart, "operator", { image }));
    writeFileSync(join(folder, "deploy/flipop.k8s.yaml"), synthesised);
    writeFileSync(join(folder, "deploy/kustomization.yaml"), kustomization());
  });

  after(async () => {
    if (folder) rmSync(folder, { recursive: true });
    await stopShared();
  });

  /** Each page starts with an installed operator that holds its Lease and manages resources. */
  beforeEach(async () => {
    await installKinds(plane);
    await shell("kubectl apply -f dist/flipop.k8s.yaml");
    for (const object of [POOL, RECORDS, ISSUER, ROUTED, POOL_OF_TEAM]) await apply(plane, object);
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
      .to.include(`image: registry.example.com/flipop:${RELEASE}\n`)
      .and.match(/replicas: 3\n/);
    expect(shown)
      .to.include("- --debug\n")
      .and.not.match(/^kind: Namespace$/m);
  });

  it("explain the variables and the report of the Jobs of a class", async () => {
    const texts = await Promise.all(
      ["updateRoutedIP", "updateFirewall"].map((field) => shell(`kubectl explain clusterroutedipclass.spec.${field}`)),
    );
    const words = texts.join(" ").replaceAll(/\s+/g, " ");
    for (const name of JOB_VARIABLES) expect(words).to.include(`${name} (`);
    expect(words).to.include(JOB_REPORT);
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

/** The one in the page on installation, with the entry that leaves the Namespace out. */
function kustomization(): string {
  const text = pageText("how-to/install.md");
  const [, start = ""] = /^```yaml\n(resources:.*?)^```$/ms.exec(text) ?? [];
  const [, entry = ""] = /^```yaml\n( {2}- target: \{ kind: Namespace, name: flipop \}.*?)^```$/ms.exec(text) ?? [];
  return start + entry;
}

function manifest(add: (chart: Chart) => unknown): string {
  const chart = new Chart(Testing.app(), "chart");
  add(chart);
  return Yaml.stringify(...Testing.synth(chart));
}
