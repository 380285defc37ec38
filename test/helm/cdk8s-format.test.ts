import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { skip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { parseAllDocuments } from "yaml";
import { findOrBuildHelm } from "../../tools/helm/helm-binary.js";
import { CONSTRUCTS, ROOT } from "../../tools/packs/paths.js";

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 20 * 60_000;
const TEST_TIMEOUT_MS = 120_000;

/** An app with everything that contains text of Prometheus and Grafana. */
const APP = `
import { App, Chart } from "cdk8s";
import { FlipopCrds, FlipopOperator, FloatingIPPool, MetricsScrape, OperatorFeature } from "cdk8s-flipop";
import { skip } from "flipop-testbed";

const app = new App();
new FlipopCrds(new Chart(app, "crds"), "crds");
new FlipopOperator(new Chart(app, "flipop"), "operator", {
  features: Object.values(OperatorFeature),
  watchNamespaces: ["a", "b"],
  networkPolicy: true,
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
});
new FloatingIPPool(new Chart(app, "web", { namespace: "a" }), "pool", { region: "nyc3", desiredIps: 1 });
app.synth();
`;

describe("the output of cdk8s synth --format helm, with alert rules and dashboard", () => {
  let folder: string;
  let helm: string;
  const chart = (): string => join(folder, "chart");

  before(async function () {
    this.timeout(BUILD_TIMEOUT_MS);
    try {
      helm = await findOrBuildHelm();
    } catch (error) {
      skip(this, `helm is not installed and the build failed: ${String(error).split("\n")[0]}`);
    }
    // The app imports packages of this repo.
    folder = await mkdtemp(join(ROOT, "test/helm/tmp-"));
    await writeFile(join(folder, "main.ts"), APP);
    await synth("--format", "helm", "--chart-version", "1.2.3", "--output", chart());
    await synth("--output", join(folder, "plain"));
  });

  after(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function synth(...args: readonly string[]): Promise<string> {
    const app = `${process.execPath} --import tsx ${join(folder, "main.ts")}`;
    const { stdout } = await run(join(ROOT, "node_modules/.bin/cdk8s"), ["synth", "--app", app, ...args], {
      cwd: folder,
      env: { ...process.env, CI: "true", CDK8S_CHECK_UPGRADE: "false", CDK8S_RECORD_CONSTRUCT_METADATA: "false" },
    });
    return stdout;
  }

  async function lint(): Promise<void> {
    const { stdout } = await run(helm, ["lint", chart()]);
    expect(stdout).to.include("1 chart(s) linted, 0 chart(s) failed");
    expect(stdout).not.to.match(/\[(WARNING|ERROR)\]/);
  }

  it("passes helm lint", () => lint()).timeout(TEST_TIMEOUT_MS);

  it("passes helm lint after the validation plugin ran, with the variable that README.md names", async () => {
    const readme = await readFile(join(CONSTRUCTS, "README.md"), "utf8");
    expect(readme).to.include("CDK8S_RECORD_CONSTRUCT_METADATA=false cdk8s synth --format helm");
    const validations = [{ package: CONSTRUCTS, version: "0.0.0", class: "FlipopValidation" }];
    await writeFile(join(folder, "cdk8s.yaml"), JSON.stringify({ language: "typescript", validations }));
    try {
      const stdout = await synth("--format", "helm", "--chart-version", "1.2.3", "--output", chart());
      expect(stdout).to.include("Validations ended succesfully");
    } finally {
      await rm(join(folder, "cdk8s.yaml"));
    }
    await lint();
  }).timeout(TEST_TIMEOUT_MS);

  it("is rendered by helm template to the objects of the plain output", async () => {
    const { stdout } = await run(helm, ["template", "any", chart()], { maxBuffer: 2 ** 26 });
    const plain = await Promise.all(
      ["crds", "flipop", "web"].map((name) => readFile(join(folder, "plain", `${name}.k8s.yaml`), "utf8")),
    );
    expect(objectsOf(stdout)).to.deep.equal(objectsOf(plain.join("---\n")));
    expect(plain.join("")).to.include("{{ $labels.namespace }}");
  }).timeout(TEST_TIMEOUT_MS);
});

/** The objects of a manifest as texts, sorted. */
function objectsOf(yaml: string): readonly string[] {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS() as unknown);
  return objects
    .filter((object) => object !== null)
    .map((object) => JSON.stringify(object))
    .sort();
}
