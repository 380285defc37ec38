import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Chart, YamlOutputType } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { expect } from "chai";
import type { ControlPlane } from "flipop-testbed";
import { afterEach, before, beforeEach, describe, it } from "mocha";
import { FlipopOperator, type FlipopOperatorProps, FloatingIPPool } from "../../src";
import { FULL_OPERATOR } from "../support/full-operator";
import { operatorCluster } from "../support/operator-cluster";

const { FILE_PER_APP, FILE_PER_CHART, FILE_PER_RESOURCE, FOLDER_PER_CHART_FILE_PER_RESOURCE } = YamlOutputType;
const TYPES = { FILE_PER_APP, FILE_PER_CHART, FILE_PER_RESOURCE, FOLDER_PER_CHART_FILE_PER_RESOURCE };
/** kubectl always prints "configured" for a PodDisruptionBudget, because its schema makes kubectl send the selector. */
const UNCHANGED = / unchanged$|^poddisruptionbudget.* configured$/;

describe("a whole app on a real API server", () => {
  let plane: ControlPlane;
  let outdir: string;

  before(async function () {
    plane = await operatorCluster(this);
    for (const name of ["team-a", "team-b"]) await plane.client().create("/api/v1/namespaces", { metadata: { name } });
  });
  beforeEach(() => {
    outdir = mkdtempSync(join(tmpdir(), "flipop-app-"));
  });
  afterEach(() => rmSync(outdir, { recursive: true }));

  /** Applies the files, the Namespaces first as in a pipeline. Returns kubectl's line for each object. */
  async function applyFiles(): Promise<readonly string[]> {
    const { stdout, stderr, code } = await plane.kubectl(["apply", "--recursive", "-f", outdir]);
    if (code !== 0) throw new Error(stderr);
    expect(stderr).to.equal("");
    return stdout.trim().split("\n");
  }

  async function createNamespaces(...names: readonly string[]): Promise<void> {
    for (const name of names) await plane.client().create("/api/v1/namespaces", { metadata: { name } });
  }

  function writeApp(yamlOutputType: YamlOutputType, ...operators: readonly FlipopOperatorProps[]): number {
    const app = new App({ outdir, yamlOutputType });
    for (const props of operators)
      new FlipopOperator(new Chart(app, props.name ?? props.namespace ?? "flipop"), "operator", props);
    const pools = new Chart(app, "pools", { namespace: "team-a" });
    const pool = new FloatingIPPool(pools, "pool", { metadata: { name: "web" }, ips: ["192.0.2.10"] });
    pool.grantManage(kplus.Group.fromName(pools, "group", "edge"));
    pool.grantRead(new kplus.ServiceAccount(pools, "viewer", { metadata: { name: "viewer" } }));
    app.synth();
    return app.charts.flatMap((chart) => chart.toJson() as unknown[]).length;
  }

  for (const [title, type] of Object.entries(TYPES)) {
    it(`has every object in the cluster, and changes none the second time: ${title}`, async () => {
      const props = { ...FULL_OPERATOR, createNamespaces: false };
      await createNamespaces("whole", "whole-jobs", "more-jobs");
      const count = writeApp(type, props);
      const first = await applyFiles();
      expect(first).to.have.length(count);
      const again = await applyFiles();
      expect(again.filter((line) => !UNCHANGED.test(line))).to.deep.equal([]);
      expect(await plane.kubectl(["diff", "--recursive", "-f", outdir])).to.deep.equal({
        code: 0,
        stdout: "",
        stderr: "",
      });
      const roles = await plane.client().must.list("/apis/rbac.authorization.k8s.io/v1/roles");
      const own = roles.filter(({ metadata }) => metadata.name.startsWith("whole-whole-"));
      expect(own.map(({ metadata: { name, namespace } }) => `${namespace}: ${name}`).sort()).to.deep.equal([
        "kube-node-lease: whole-whole-node-leases-kube-node-lease",
        "more-jobs: whole-whole-jobs-more-jobs",
        "team-a: whole-whole-issuers-team-a",
        "team-a: whole-whole-pods-team-a",
        "team-a: whole-whole-watch-team-a",
        "team-b: whole-whole-issuers-team-b",
        "team-b: whole-whole-pods-team-b",
        "team-b: whole-whole-watch-team-b",
        "whole-jobs: whole-whole-jobs-whole-jobs",
        "whole: whole-whole-lease-whole",
        "whole: whole-whole-on-call",
      ]);
    });
  }

  it("may have two operators that share no object and no Lease", async () => {
    await createNamespaces("first", "second");
    const props = { createNamespaces: false };
    writeApp(FILE_PER_CHART, { ...props, namespace: "first" }, { ...props, namespace: "second" });
    await applyFiles();
    // The second operator would have changed an object that both define.
    const again = await applyFiles();
    expect(again.filter((line) => !UNCHANGED.test(line))).to.deep.equal([]);
    const bindings = await plane.client().must.list("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings");
    const subjects = bindings.flatMap((binding) => (binding["subjects"] ?? []) as { namespace?: string }[]);
    expect(subjects.map(({ namespace }) => namespace)).to.include.members(["first", "second"]);
  });

  it("is not written if two operators would use one Lease, or two charts define one pool", () => {
    expect(() => writeApp(FILE_PER_APP, { namespace: "one" }, { namespace: "one", name: "other" })).to.throw(
      'namespace: "one" is also the namespace of operator one/operator',
    );
    const app = new App({ outdir });
    for (const [id, ip] of [
      ["a", "192.0.2.1"],
      ["b", "192.0.2.2"],
    ] as const) {
      new FloatingIPPool(new Chart(app, id, { namespace: "team-a" }), "pool", { metadata: { name: "web" }, ips: [ip] });
    }
    expect(() => app.synth()).to.throw('FloatingIPPool "web" of namespace "team-a" is also defined by a/pool');
  });
});
