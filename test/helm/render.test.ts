import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Chart, Duration, Testing, Yaml } from "cdk8s";
import {
  Credentials,
  FlipopOperator,
  type FlipopOperatorProps,
  MetricsScrape,
  OperatorFeature,
  TaintEffect,
  Toleration,
} from "cdk8s-flipop";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { writeChart } from "../../tools/helm/chart.js";
import { findOrBuildHelm } from "../../tools/helm/helm-binary.js";

const run = promisify(execFile);
const { POOLS, DNS, ROUTED_IP, JOBS } = OperatorFeature;
const BUILD_TIMEOUT_MS = 20 * 60_000;
const TEST_TIMEOUT_MS = 60_000;

// A helm that was built from its module assumes an old release for an unknown cluster.
const KUBE_VERSION = ["--kube-version", "1.35"];

/** Props of the construct and the equivalent values of the chart. */
interface Case {
  readonly title: string;
  readonly props: FlipopOperatorProps;
  readonly values: Readonly<Record<string, unknown>>;
}

const CASES: readonly Case[] = [
  { title: "without any value", props: {}, values: {} },
  {
    title: "with as little as possible",
    props: {
      name: "small",
      namespace: "edge",
      createNamespaces: false,
      features: [DNS],
      replicas: 1,
      serviceAccountName: "robot",
      admissionPolicy: false,
    },
    values: {
      name: "small",
      namespace: "edge",
      createNamespaces: false,
      features: ["dns"],
      replicas: 1,
      serviceAccountName: "robot",
      admissionPolicy: false,
    },
  },
  {
    title: "with everything",
    props: {
      name: "full",
      features: [POOLS, DNS, ROUTED_IP, JOBS],
      watchNamespaces: ["team-a", "team-b"],
      podNamespaces: ["team-a", "web"],
      issuerNamespaces: ["team-b"],
      jobNamespaces: ["work", "play"],
      digitalOcean: Credentials.fromSecretName("do", "token"),
      cloudflare: Credentials.fromSecretName("cf", "token"),
      image: "registry.example.com/flipop:1",
      imagePullSecrets: ["pull", "pull-2"],
      replicas: 3,
      nodeSelector: { pool: "infra", "example.com/zone": "1" },
      tolerations: [Toleration.keyValue("pool", "infra", TaintEffect.NO_SCHEDULE), Toleration.all()],
      priorityClassName: "high",
      cpuRequest: "0.1",
      cpuLimit: "1",
      memoryRequest: "256Mi",
      memoryLimit: "1Gi",
      env: { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: '"quoted", {{ braces }}' },
      extraArgs: ["--log-format=json", "--leader-elect-lease-duration=30"],
      debug: true,
      dryRun: true,
      resync: Duration.minutes(5),
      shutdownTimeout: Duration.seconds(45),
      networkPolicy: true,
      scrape: MetricsScrape.SERVICE_MONITOR,
      alertRules: true,
      dashboard: true,
      monitoringLabels: { release: "prometheus" },
    },
    values: {
      name: "full",
      features: ["pools", "dns", "routedip", "jobs"],
      watchNamespaces: ["team-a", "team-b"],
      podNamespaces: ["team-a", "web"],
      issuerNamespaces: ["team-b"],
      jobNamespaces: ["work", "play"],
      digitalOcean: { secretName: "do", key: "token" },
      cloudflare: { secretName: "cf", key: "token" },
      image: "registry.example.com/flipop:1",
      imagePullSecrets: ["pull", "pull-2"],
      replicas: 3,
      nodeSelector: { pool: "infra", "example.com/zone": "1" },
      tolerations: [{ key: "pool", operator: "Equal", value: "infra", effect: "NoSchedule" }, { operator: "Exists" }],
      priorityClassName: "high",
      cpuRequest: "0.1",
      cpuLimit: "1",
      memoryRequest: "256Mi",
      memoryLimit: "1Gi",
      env: { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: '"quoted", {{ braces }}' },
      extraArgs: ["--log-format=json", "--leader-elect-lease-duration=30"],
      debug: true,
      dryRun: true,
      resync: 300,
      shutdownTimeout: 45,
      networkPolicy: true,
      scrape: "ServiceMonitor",
      alertRules: true,
      dashboard: true,
      monitoringLabels: { release: "prometheus" },
    },
  },
  {
    title: "with watched namespaces, and issuers in its own",
    props: { features: [ROUTED_IP], watchNamespaces: ["team-a", "team-b"] },
    values: { features: ["routedip"], watchNamespaces: ["team-a", "team-b"] },
  },
  {
    title: "with watched namespaces, and no admission policy",
    props: { watchNamespaces: ["team-a"], admissionPolicy: false },
    values: { watchNamespaces: ["team-a"], admissionPolicy: false },
  },
  {
    title: "with a PodMonitor, a long name, a namespace that looks like a number, and Jobs alone",
    props: {
      name: "n".repeat(45),
      namespace: "007",
      features: [JOBS],
      podNamespaces: ["web"],
      scrape: MetricsScrape.POD_MONITOR,
      dashboard: true,
    },
    values: {
      name: "n".repeat(45),
      namespace: "007",
      features: ["jobs"],
      podNamespaces: ["web"],
      scrape: "PodMonitor",
      dashboard: true,
    },
  },
];

/** Values that the schema must reject, and a part of Helm's message. */
const REFUSED: Readonly<Record<string, readonly [values: object, message: string]>> = {
  "a misspelt value": [{ replica: 2 }, "additional properties 'replica' not allowed"],
  "replicas in words": [{ replicas: "two" }, "/replicas"],
  "an unknown feature": [{ features: ["pool"] }, "/features/0"],
  "no feature": [{ features: [] }, "/features"],
  "a name with capitals": [{ name: "Flipop" }, "/name"],
  "a token in the environment": [{ env: { DIGITALOCEAN_ACCESS_TOKEN: "x" } }, "DIGITALOCEAN_ACCESS_TOKEN"],
  "a token in another variable": [{ env: { MY_TOKEN: `dop_v1_${"0a".repeat(32)}` } }, "/env/MY_TOKEN"],
  "a flag that has a value of its own": [{ extraArgs: ["--resync=1"] }, "/extraArgs/0"],
  "a quantity in words": [{ memoryLimit: "much" }, "/memoryLimit"],
  "credentials without a key": [{ digitalOcean: { key: null } }, "/digitalOcean"],
  "a scrape object of another kind": [{ scrape: "Probe" }, "/scrape"],
  "creating a namespace of Kubernetes": [{ namespace: "kube-system" }, "/namespace"],
  "creating a namespace of Kubernetes for Jobs": [{ jobNamespaces: ["work", "default"] }, "/jobNamespaces/1"],
  "a label that is always there": [{ monitoringLabels: { "app.kubernetes.io/name": "x" } }, "app.kubernetes.io/name"],
};

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels: Record<string, string> };
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
      process.stderr.write(`helm is not installed and the build failed: SKIPPED, ${String(error).split("\n")[0]}\n`);
      this.skip();
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
    const args = ["template", "any", chart, ...KUBE_VERSION, "--values", await valuesFile(values), ...flags];
    const { stdout } = await run(helm, args, { maxBuffer: 2 ** 26 });
    const file = join(folder, "rendered.yaml");
    await writeFile(file, stdout);
    return Yaml.load(file) as readonly Manifest[];
  }

  for (const { title, props, values } of CASES) {
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
      expect(sorted(await render(values)).map(withoutHelmLabels)).to.deep.equal(sorted(synth(props)));
    });
  }

  it("equals the plain manifests, by default and with its CustomResourceDefinitions", async () => {
    const env = { ...process.env, CDK8S_OUTDIR: folder };
    await run(process.execPath, ["--import", "tsx", "examples/manifests.ts"], { env });
    const plain = [join(folder, "crds.k8s.yaml"), join(folder, "flipop.k8s.yaml")].flatMap(
      (file) => Yaml.load(file) as readonly Manifest[],
    );
    expect(sorted(await render({}, "--include-crds")).map(withoutHelmLabels)).to.deep.equal(sorted(plain));
  }).timeout(TEST_TIMEOUT_MS);

  it("has Helm's labels on each object", async () => {
    for (const { metadata } of await render({})) {
      expect(metadata.labels).to.include({ "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "flipop-0.1.0" });
    }
  });

  for (const [title, [values, message]] of Object.entries(REFUSED)) {
    it(`refuses ${title}`, async () => {
      const refusal = await render(values).then(
        () => "rendered",
        (error: Error) => error.message,
      );
      expect(refusal).to.include("values don't meet the specifications of the schema");
      expect(refusal).to.include(message);
    });
  }
});

function synth(props: FlipopOperatorProps): readonly Manifest[] {
  const chart = new Chart(Testing.app(), "flipop");
  new FlipopOperator(chart, "operator", props);
  return Testing.synth(chart) as readonly Manifest[];
}

function sorted(objects: readonly Manifest[]): readonly Manifest[] {
  const key = ({ kind, metadata: { name, namespace = "" } }: Manifest): string => `${kind} ${namespace} ${name}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function withoutHelmLabels(object: Manifest): Manifest {
  if (!object.metadata.labels) return object;
  const { "app.kubernetes.io/managed-by": _manager, "helm.sh/chart": _chart, ...labels } = object.metadata.labels;
  return { ...object, metadata: { ...object.metadata, labels } };
}
