import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Yaml } from "cdk8s";
import { RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { skip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { writeChart } from "../../tools/helm/chart.js";
import { findOrBuildHelm } from "../../tools/helm/helm-binary.js";
import { VALUES } from "../../tools/helm/values.js";
import { CASES } from "./cases.js";
import { asConstruct, KUBE_VERSION, type Manifest, ofChart, sorted, synth } from "./manifests.js";
import { ACCEPTED, PROBLEMS, REFUSED } from "./refused.js";

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 20 * 60_000;
const TEST_TIMEOUT_MS = 60_000;

/** How a release gets the name of its objects. */
const NAMES: Readonly<Record<string, { release: string; values?: object; name: string }>> = {
  "in a release of that name": { release: "flipop-next", name: "flipop-next" },
  "in a release of another name": { release: "edge", name: "edge-flipop" },
  "with nameOverride": { release: "edge", values: { nameOverride: "ips" }, name: "edge-ips" },
  "with fullnameOverride": { release: "edge", values: { fullnameOverride: "ips" }, name: "ips" },
};

interface TestPod extends Manifest {
  readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
}

describe("the Helm chart, rendered by helm", () => {
  let folder: string;
  let chart: string;
  let helm: string;

  before(async function () {
    this.timeout(BUILD_TIMEOUT_MS);
    try {
      helm = await findOrBuildHelm();
    } catch (error) {
      skip(this, `helm is not installed and the build failed: ${String(error).split("\n")[0]}`);
    }
    this.timeout(TEST_TIMEOUT_MS);
    folder = await mkdtemp(join(tmpdir(), "flipop-helm-"));
    chart = join(folder, "flipop");
    await writeChart(chart);
  });

  after(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function valuesFile(values: object): Promise<string> {
    const file = join(folder, "values.json");
    await writeFile(file, JSON.stringify(values));
    return file;
  }

  async function render(values: object, ...flags: readonly string[]): Promise<readonly Manifest[]> {
    const args = ["template", "flipop", chart, ...KUBE_VERSION, "--values", await valuesFile(values), ...flags];
    const { stdout } = await run(helm, args, { maxBuffer: 2 ** 26 });
    const file = join(folder, "rendered.yaml");
    await writeFile(file, stdout);
    return Yaml.load(file) as readonly Manifest[];
  }

  for (const { title, props, values, namespace = "flipop" } of CASES) {
    it(`${title} passes helm lint without a warning`, async () => {
      const { stdout } = await run(helm, [
        "lint",
        "--strict",
        chart,
        ...KUBE_VERSION,
        "--values",
        await valuesFile(values),
      ]);
      expect(stdout).to.include("1 chart(s) linted, 0 chart(s) failed");
      expect(stdout).not.to.match(/\[(WARNING|ERROR)\]/);
    });

    it(`${title} equals the construct's output, object for object`, async () => {
      const rendered = await render({ ...values, crds: { enabled: false } }, "--namespace", namespace, "--no-hooks");
      expect(sorted(rendered).map(asConstruct)).to.deep.equal(sorted(ofChart(synth(props), namespace)));
    });
  }

  it("equals the plain manifests, by default", async () => {
    const env = { ...process.env, CDK8S_OUTDIR: folder };
    await run(process.execPath, ["--import", "tsx", "examples/manifests.ts"], { env });
    const plain = [join(folder, "crds.k8s.yaml"), join(folder, "flipop.k8s.yaml")].flatMap(
      (file) => Yaml.load(file) as readonly Manifest[],
    );
    const rendered = await render({}, "--namespace", "flipop", "--no-hooks");
    expect(sorted(rendered).map(asConstruct)).to.deep.equal(sorted(ofChart(plain, "flipop")));
  }).timeout(TEST_TIMEOUT_MS);

  it("takes null for each value that is empty by default", async () => {
    const empty = (value: unknown) => !value || (typeof value === "object" && Object.keys(value).length === 0);
    const names = Object.keys(VALUES).filter((name) => empty(VALUES[name as keyof typeof VALUES].default));
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect(names).to.include.members(["tenantLimits", "watchNamespaces", "affinity", "scrape", "debug"]);
    expect(await render(nulls)).to.deep.equal(await render({}));
  });

  it("has Helm's labels on each object", async () => {
    for (const { metadata } of await render({})) {
      expect(metadata.labels).to.include({
        "app.kubernetes.io/managed-by": "Helm",
        "helm.sh/chart": `flipop-${RELEASE}`,
      });
    }
  });

  it("is in the namespace that Helm names, wherever a text mentions it", async () => {
    const text = JSON.stringify(await render({ features: ["pools", "routedip"] }, "--namespace", "edge"));
    expect(text)
      .to.include('"namespace":"edge"')
      .and.not.match(/"namespace":"(?!edge")/);
    expect(text).to.include('"name":"flipop-edge"').and.not.include('"kind":"Namespace"');
  });

  for (const [title, { release, values = {}, name }] of Object.entries(NAMES)) {
    it(`names its objects ${name} ${title}`, async () => {
      const args = ["template", release, chart, ...KUBE_VERSION, "--values", await valuesFile(values)];
      const { stdout } = await run(helm, [...args, "--show-only", "templates/deployment.yaml"]);
      expect(stdout).to.include(`name: "${name}"\n  namespace`);
    });
  }

  it("gives the pods what only the chart has a value for", async () => {
    const values = {
      image: { digest: `sha256:${"0a".repeat(32)}`, pullPolicy: "Always" },
      podLabels: { team: "edge" },
      serviceAccount: { name: "robot", annotations: { "example.com/role": "dns" } },
      extraEnv: [{ name: "ZONE", valueFrom: { fieldRef: { fieldPath: "metadata.labels['zone']" } } }],
      crds: { keep: false },
    };
    const objects = await render(values, "--namespace", "edge");
    const deployment = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"));
    expect(deployment).to.include(`"image":"ghcr.io/flipop/flipop@sha256:${"0a".repeat(32)}"`);
    expect(deployment).to.include('"imagePullPolicy":"Always"');
    expect(deployment).to.include('"team":"edge"').and.include('"serviceAccountName":"robot"');
    expect(deployment).to.include(`"fieldPath":"metadata.labels['zone']"`);
    const account = objects.find(({ kind }) => kind === "ServiceAccount")?.metadata;
    expect(account).to.deep.include({ name: "robot", annotations: { "example.com/role": "dns" } });
    const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
    expect(crds.map(({ metadata }) => metadata.annotations)).to.deep.equal(Array(5).fill(undefined));
  });

  it("keeps the CustomResourceDefinitions after helm uninstall", async () => {
    const crds = (await render({})).filter(({ kind }) => kind === "CustomResourceDefinition");
    expect(crds).to.have.length(5);
    for (const { metadata } of crds) expect(metadata.annotations).to.deep.equal({ "helm.sh/resource-policy": "keep" });
  });

  it("tests an installation with doctor, as the operator, in a pod that no selector of the operator matches", async () => {
    const values = {
      features: ["routedip", "jobs"],
      watchNamespaces: ["a", "b"],
      podNamespaces: ["web"],
      jobNamespaces: ["work"],
    };
    const objects = await render({ ...values, networkPolicy: true }, "--namespace", "edge");
    const pod = objects.find(({ kind }) => kind === "Pod") as unknown as TestPod;
    expect(pod.metadata.annotations).to.include({ "helm.sh/hook": "test" });
    expect(pod.spec).to.include({ serviceAccountName: "flipop", restartPolicy: "Never" });
    expect(pod.spec.containers[0]?.args).to.deep.equal([
      "doctor",
      "--self",
      "--namespace=edge",
      "--features=routedip,jobs",
      "--watch-namespaces=a,b",
      "--pod-namespaces=web",
      "--job-namespaces=work",
    ]);
    const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as {
      spec: { selector: { matchLabels: object } };
    };
    expect(pod.metadata.labels).not.to.include(deployment.spec.selector.matchLabels);
  });

  for (const [title, values] of Object.entries(ACCEPTED)) {
    it(`accepts ${title}`, async () => {
      expect((await render(values)).length).to.be.greaterThan(20);
    });
  }

  for (const release of ["1abc", "my.release"]) {
    it(`refuses the release ${release}, whose Service would have an invalid name, unless the values name it`, async () => {
      const template = ["template", release, chart, ...KUBE_VERSION];
      const refusal = await run(helm, template).then(
        () => "rendered",
        (error: Error) => error.message,
      );
      expect(refusal).to.include(
        `the operator's objects would be named "${release}-flipop", but the name of a Service`,
      );
      const named = await run(helm, [...template, "--set", "fullnameOverride=ips"], { maxBuffer: 2 ** 26 });
      expect(named.stdout).to.include('name: "ips"');
    });
  }

  for (const [title, [values, message]] of Object.entries({ ...REFUSED, ...PROBLEMS })) {
    it(`refuses ${title}`, async () => {
      const refusal = await render(values).then(
        () => "rendered",
        (error: Error) => error.message,
      );
      if (title in REFUSED) expect(refusal).to.include("values don't meet the specifications of the schema");
      expect(refusal)
        .to.include(message)
        .and.not.to.match(/dop_v1_[0-9a-f]{64}/);
    });
  }
});
