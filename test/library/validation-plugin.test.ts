import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { CONSTRUCTS, PACKS, ROOT } from "../../tools/packs/paths.js";

const CLI = join(ROOT, "node_modules/.bin/cdk8s");

/** An app whose pool no construct of this library writes: an L1, as `cdk8s import` makes them. */
const APP = `
const { ApiObject, App, Chart } = require("cdk8s");
const app = new App();
const chart = new Chart(app, "web", { namespace: "ingress" });
new ApiObject(chart, "pool", {
  apiVersion: "flipop.digitalocean.com/v1alpha1",
  kind: "FloatingIPPool",
  metadata: { name: "web" },
  spec: { provider: "digitalocean", ips: ["192.0.2.1", SECOND], match: { podLabel: "app=web" } },
});
app.synth();
`;

describe("cdk8s synth --validate with the plugin", () => {
  let folder: string;
  beforeEach(() => {
    // The folder is inside of the repo, so that imports work.
    mkdirSync(PACKS, { recursive: true });
    folder = mkdtempSync(join(PACKS, "validate-"));
    const plugin = { package: CONSTRUCTS, version: "0.0.0", class: "FlipopValidation" };
    writeFileSync(
      join(folder, "cdk8s.yaml"),
      JSON.stringify({ language: "typescript", app: "node app.cjs", validations: [plugin] }),
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function synth(ip: string, ...options: readonly string[]) {
    return synthApp(APP.replace("SECOND", JSON.stringify(ip)), options);
  }

  function synthApp(app: string, options: readonly string[] = []) {
    writeFileSync(join(folder, "app.cjs"), app);
    const env = { ...process.env, CDK8S_CHECK_UPGRADE: "false" };
    const { status, stdout } = spawnSync(CLI, ["synth", "--validate", ...options], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    return { status, stdout };
  }

  it("accepts an app whose objects are valid", () => {
    const { status, stdout } = synth("192.0.2.2");
    expect(stdout).to.include("Validations ended succesfully");
    expect(status).to.equal(0);
  }).timeout(60_000);

  it("fails with the construct, the field and the fix if an L1 breaks a rule of the constructs", () => {
    const { status, stdout } = synth("192.0.2.1", "--validation-reports-output-file", "report.json");
    expect(status).to.equal(2);
    const [report] = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")).reports;
    expect(report.summary.status).to.equal("failure");
    expect(report.violations).to.have.length(1);
    expect(report.violations[0]).to.deep.include({
      ruleName: "FloatingIPPool ingress/web spec.ips[1]",
      recommendation: '"192.0.2.1" is listed twice: remove one',
      fix: "remove one",
    });
    expect(report.violations[0].violatingConstructs[0]).to.include({ resourceName: "web", constructPath: "web/pool" });
    expect(stdout).to.include("How to fix: remove one");
  }).timeout(60_000);

  it("shows how to fix a selector", () => {
    const { status, stdout } = synthApp(APP.replace("SECOND", '"192.0.2.2"').replace("app=web", "a b"));
    expect(stdout).to.match(/How to fix: write requirements such as app=web, tier in \(a,b\), !spot, joined by ","\s/);
    expect(stdout).to.include("at character 3: expected one of");
    expect(status).to.equal(2);
  }).timeout(60_000);

  it("refuses objects that the operator of the app does not serve", () => {
    // An operator that no construct of this library writes.
    const operator = `
new ApiObject(new Chart(app, "flipop", { namespace: "flipop" }), "operator", {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "flipop" },
  spec: { template: { spec: { containers: [
    { name: "operator", image: "ghcr.io/flipop/flipop:1.0.0", args: ["run", "--watch-namespaces=web", "--pod-namespaces=web"] },
  ] } } },
});
app.synth();`;
    const { status, stdout } = synthApp(APP.replace("SECOND", '"192.0.2.2"').replace("app.synth();", operator));
    expect(stdout).to.include('operator Deployment flipop/flipop does not watch namespace "ingress" (only web)');
    expect(stdout).to.include("selects pods of all namespaces, but operator Deployment flipop/flipop may read only");
    expect(status).to.equal(2);
  }).timeout(60_000);

  it("checks the output of --format helm", () => {
    const { status, stdout } = synth("192.0.2.1", "--format", "helm", "--chart-version", "1.0.0");
    expect(stdout).to.include("FloatingIPPool ingress/web spec.ips[1]");
    expect(status).to.equal(2);
  }).timeout(60_000);
});
