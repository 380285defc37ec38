import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Yaml } from "cdk8s";
import { type FlipopOperatorProps, OperatorFeature } from "cdk8s-flipop";
import { FEATURES, idleFeatures, RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { skip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { writeChart } from "../../tools/helm/chart.js";
import { findOrBuildHelm } from "../../tools/helm/helm-binary.js";
import { asConstruct, KUBE_VERSION, type Manifest, ofChart, sorted, synth } from "./manifests.js";

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 20 * 60_000;
const TEST_TIMEOUT_MS = 300_000;
const NAMESPACE = "flipop";

/** Namespaces of each kind. A list of issuers or of Jobs needs its feature. */
const NAMESPACES: Readonly<Record<string, (features: readonly OperatorFeature[]) => FlipopOperatorProps>> = {
  "in all namespaces": () => ({}),
  "in listed namespaces": (features) => ({
    watchNamespaces: ["team-a", "team-b"],
    podNamespaces: ["web"],
    ...(features.includes(OperatorFeature.ROUTED_IP) ? { issuerNamespaces: ["team-b"] } : {}),
    ...(features.includes(OperatorFeature.JOBS) ? { jobNamespaces: ["work"] } : {}),
  }),
  "in watched namespaces, with the other lists as they are by default": () => ({ watchNamespaces: ["team-a"] }),
};

type Rendered = ReadonlyMap<string | undefined, readonly Manifest[]>;

interface Installation {
  readonly title: string;
  /** The prefix of all names, and the alias of the chart. */
  readonly name: string;
  readonly features: OperatorFeature[];
  readonly lists: FlipopOperatorProps;
}

describe("the Helm chart with every set of features, rendered by helm", () => {
  const installations = Object.entries(NAMESPACES).flatMap(([where, lists]) =>
    featureSets().map((features) => ({ title: `${features.join(",")} ${where}`, features, lists: lists(features) })),
  );
  let folder: string;
  let rendered: Rendered;

  before(async function () {
    this.timeout(BUILD_TIMEOUT_MS);
    let helm: string;
    try {
      helm = await findOrBuildHelm();
    } catch (error) {
      return skip(this, `helm is not installed and the build failed: ${String(error).split("\n")[0]}`);
    }
    folder = await mkdtemp(join(tmpdir(), "flipop-helm-"));
    rendered = await renderAll(helm, folder, named(installations));
  });

  after(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it("has sets with each feature of the operator", () => {
    const used = new Set(installations.flatMap(({ features }) => features));
    expect([...used].sort()).to.deep.equal(Object.keys(FEATURES).sort());
  });

  it("has the objects of the construct, and so the same rights", () => {
    for (const { title, name, features, lists } of named(installations)) {
      const wanted = sorted(ofChart(synth({ name, features, ...lists }), NAMESPACE));
      expect(sorted(rendered.get(name) ?? []).map(asConstruct), title).to.deep.equal(wanted);
    }
  }).timeout(TEST_TIMEOUT_MS);
});

function named(installations: readonly Omit<Installation, "name">[]): readonly Installation[] {
  return installations.map((installation, index) => ({ ...installation, name: `f${index}` }));
}

/** Every set of features that the construct accepts. */
function featureSets(): OperatorFeature[][] {
  const all = Object.values(OperatorFeature);
  const sets = Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((__, index) => (bits >> index) & 1));
  return sets.filter((features) => features.length > 0 && idleFeatures(features).length === 0);
}

/** Objects by installation. One chart with each installation as a dependency renders them all in seconds. */
async function renderAll(helm: string, folder: string, installations: readonly Installation[]): Promise<Rendered> {
  await writeChart(join(folder, "charts", "flipop"));
  await mkdir(join(folder, "templates"));
  const dependencies = installations.map(({ name }) => ({ name: "flipop", version: RELEASE, alias: name }));
  await writeFile(
    join(folder, "Chart.yaml"),
    JSON.stringify({ apiVersion: "v2", name: "all", version: "1.0.0", dependencies }),
  );
  const values = installations.map(({ name, features, lists }) => [
    name,
    { fullnameOverride: name, features, ...lists, crds: { enabled: false } },
  ]);
  await writeFile(join(folder, "values.yaml"), JSON.stringify(Object.fromEntries(values)));
  const args = ["template", "all", folder, ...KUBE_VERSION, "--namespace", NAMESPACE, "--no-hooks"];
  const { stdout } = await run(helm, args, { maxBuffer: 2 ** 28 });
  const file = join(folder, "rendered.yaml");
  await writeFile(file, stdout);
  const objects = new Map<string | undefined, Manifest[]>();
  for (const object of Yaml.load(file) as readonly Manifest[]) {
    const name = object.metadata.labels["app.kubernetes.io/instance"];
    objects.set(name, [...(objects.get(name) ?? []), object]);
  }
  return objects;
}
