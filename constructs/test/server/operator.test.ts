import { expect } from "chai";
import { type ControlPlane, eventually } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { AggregatedUserRoles, type FlipopOperatorProps, MetricsScrape, OperatorFeature, Toleration } from "../../src";
import { apply, operatorCluster, operatorYaml } from "../support/operator-cluster";

const { POOLS, DNS, ROUTED_IP, JOBS } = OperatorFeature;

const INSTALLS: Readonly<Record<string, FlipopOperatorProps>> = {
  "without any prop": {},
  "with everything": {
    name: "full",
    namespace: "full",
    features: [POOLS, DNS, ROUTED_IP, JOBS],
    watchNamespaces: ["team-a", "team-b"],
    podNamespaces: ["team-a"],
    issuerNamespaces: ["team-b"],
    jobNamespaces: ["full-jobs"],
    imagePullSecrets: ["pull"],
    nodeSelector: { pool: "infra" },
    tolerations: [Toleration.all()],
    cpuLimit: "1",
    env: { HTTPS_PROXY: "http://egress.example:8080" },
    extraArgs: ["--log-format=json"],
    networkPolicy: true,
    scrape: MetricsScrape.SERVICE_MONITOR,
    alertRules: true,
    dashboard: true,
    monitoringLabels: { release: "prometheus" },
  },
  "with a PodMonitor and watching record sets only": {
    name: "small",
    namespace: "full",
    createNamespaces: false,
    features: [DNS],
    replicas: 1,
    admissionPolicy: false,
    scrape: MetricsScrape.POD_MONITOR,
  },
};

describe("an operator on a real API server", () => {
  let plane: ControlPlane;

  before(async function () {
    plane = await operatorCluster(this);
    for (const name of ["team-a", "team-b"]) await plane.client().create("/api/v1/namespaces", { metadata: { name } });
  });

  for (const [title, props] of Object.entries(INSTALLS)) {
    it(`${title} applies without a warning, and changes nothing the second time`, async () => {
      const yaml = operatorYaml(props);
      const count = yaml.split("\n---\n").length;
      const first = await apply(plane, yaml);
      expect(first.filter((line) => !/ (created|unchanged)$/.test(line))).to.deep.equal([]);
      expect(first).to.have.length(count);
      expect(await appliedAgain(plane, yaml)).to.deep.equal({ changed: [], count });
    });
  }

  it("is the same operator after a change of construct ids", async () => {
    const before = await apply(plane, operatorYaml({}, "before"));
    const { changed, count } = await appliedAgain(plane, operatorYaml({}, "after"));
    expect(changed).to.deep.equal([]);
    expect(count).to.equal(before.length);
  });

  it("accepts other props without changing immutable fields", async () => {
    await apply(plane, operatorYaml({ name: "changing", namespace: "changing" }));
    const changed = { features: [DNS], replicas: 3, debug: true, serviceAccountName: "robot" };
    const lines = await apply(plane, operatorYaml({ name: "changing", namespace: "changing", ...changed }));
    expect(lines).to.include.members([
      "deployment.apps/changing configured",
      "clusterrole.rbac.authorization.k8s.io/changing-changing configured",
    ]);
  });

  it("has pods that pass Pod Security", async () => {
    await apply(plane, operatorYaml({}));
    const client = plane.client();
    const pods = await eventually(
      async () => {
        const found = await client.must.list("/api/v1/namespaces/flipop/pods");
        return found.length === 2 && found;
      },
      { what: "two pods of the Deployment" },
    );
    expect(pods.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/instance"])).to.deep.equal([
      "flipop",
      "flipop",
    ]);
  });

  it("lets users of the built-in role edit read the five kinds, and write their spec only on request", async () => {
    await apply(plane, operatorYaml({}));
    const client = plane.client();
    const subject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "test-user-9" };
    const namespace = await client.tempNamespace();
    await client.must.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
      metadata: { name: "edit" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      subjects: [subject],
    });
    const user = plane.client("test-user-9");
    const pools = `/apis/flipop.digitalocean.com/v1alpha1/namespaces/${namespace}/floatingippools`;
    await eventually(async () => (await user.list(pools)).status === 200, { what: "the roles to be aggregated" });
    const pool = { apiVersion: "flipop.digitalocean.com/v1alpha1", kind: "FloatingIPPool", metadata: { name: "web" } };
    const spec = { provider: "digitalocean", region: "nyc3", desiredIPs: 1, match: { podLabel: "app=web" } };
    expect((await user.create(pools, { ...pool, spec })).status).to.equal(403);
    await apply(plane, operatorYaml({ aggregateUserRoles: AggregatedUserRoles.EDIT }));
    const create = async () => (await user.create(pools, { ...pool, spec })).status === 201;
    await eventually(create, { what: "the right to write to be aggregated" });
    expect((await user.patch(`${pools}/web/status`, { status: {} })).status).to.equal(403);
  });
});

/**
 * Applies existing objects again. Returns the lines of objects that kubectl or the server reports as changed, and the
 * number of all objects.
 */
async function appliedAgain(plane: ControlPlane, yaml: string): Promise<{ changed: readonly string[]; count: number }> {
  const before = await budgets(plane);
  const lines = await apply(plane, yaml);
  const after = await budgets(plane);
  // kubectl always prints "configured" for a PodDisruptionBudget, because its schema makes kubectl send the selector
  // each time.
  const said = lines.filter((line) => !line.endsWith(" unchanged") && !/^poddisruptionbudget.* configured$/.test(line));
  const stored = after.filter((budget) => !before.includes(budget));
  return { changed: [...said, ...stored], count: lines.length };
}

/** Name and generation of each PodDisruptionBudget. */
async function budgets(plane: ControlPlane): Promise<readonly string[]> {
  const found = await plane.client().must.list("/apis/policy/v1/poddisruptionbudgets");
  return found.map(({ metadata: { namespace, name, generation } }) => `${namespace}/${name} generation ${generation}`);
}
