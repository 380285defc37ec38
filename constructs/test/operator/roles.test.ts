import { expect } from "chai";
import { describe, it } from "mocha";
import { AggregatedUserRoles, OperatorFeature } from "../../src";
import { ALL_KINDS, type FeatureName, PERMISSIONS, type PermissionScope } from "../../src/api";
import { find, type Manifest, synthOperator, titles } from "./synth";

const { POOLS, DNS, ROUTED_IP, JOBS } = OperatorFeature;
const EVERYTHING = [POOLS, DNS, ROUTED_IP, JOBS];

/** The rules that a role must have, derived from the permissions. */
function rulesOf(features: readonly FeatureName[], ...scopes: readonly PermissionScope[]): readonly unknown[] {
  return PERMISSIONS.filter(({ scope }) => scopes.includes(scope))
    .filter((permission) => permission.features.some((feature) => features.includes(feature)))
    .map(({ apiGroup, resources, resourceNames, verbs }) => ({
      apiGroups: [apiGroup],
      resources,
      ...(resourceNames && { resourceNames }),
      verbs,
    }));
}

/** Resources of the core and our group in all rules of the operator's own roles, with their verbs. */
function rights(objects: readonly Manifest[]): Readonly<Record<string, readonly string[]>> {
  const roles = objects.filter(
    ({ kind, metadata: { name } }) => kind.endsWith("Role") && !/-(view|edit|on-call)$/.test(name),
  );
  const rules = roles.flatMap((role) => role["rules"] as { resources: string[]; verbs: string[] }[]);
  const pairs = rules.flatMap(({ resources, verbs }) => resources.map((resource) => ({ resource, verbs })));
  return Object.fromEntries(
    pairs.map(({ resource }) => [
      resource,
      [...new Set(pairs.filter((pair) => pair.resource === resource).flatMap(({ verbs }) => verbs))].sort(),
    ]),
  );
}

describe("the operator's permissions", () => {
  it("equal those of the type model, in the cluster and in its own namespace", () => {
    const objects = synthOperator();
    const features = ["pools", "dns", "routedip"] as const;
    expect(find(objects, "ClusterRole", "flipop")["rules"]).to.deep.equal(
      rulesOf(features, "cluster", "watchNamespaces", "podNamespaces"),
    );
    expect(find(objects, "Role", "flipop-lease-flipop")["rules"]).to.deep.equal(rulesOf(features, "operatorNamespace"));
    expect(find(objects, "Role", "flipop-issuers-flipop")["rules"]).to.deep.equal(
      rulesOf(features, "issuerNamespaces"),
    );
  });

  it("move from the cluster to the watched namespaces", () => {
    const objects = synthOperator({ features: EVERYTHING, watchNamespaces: ["a", "b"] });
    expect(find(objects, "ClusterRole", "flipop")["rules"]).to.deep.equal(
      rulesOf(["pools", "dns", "routedip", "jobs"], "cluster", "podNamespaces"),
    );
    const watching = objects.filter(
      ({ kind, metadata }) => kind === "Role" && metadata.name.startsWith("flipop-watch-"),
    );
    expect(watching.map(({ metadata: { namespace, name } }) => [namespace, name])).to.deep.equal([
      ["a", "flipop-watch-a"],
      ["b", "flipop-watch-b"],
    ]);
    const wanted = rulesOf(["pools", "dns", "routedip", "jobs"], "watchNamespaces");
    for (const role of watching) expect(role["rules"]).to.deep.equal(wanted);
  });

  it("for the last cleanup are in the cluster if a policy limits them to the watched namespaces", () => {
    const objects = synthOperator({ features: EVERYTHING, watchNamespaces: ["a", "b"], issuerNamespaces: ["b"] });
    const role = find(objects, "ClusterRole", "flipop-cleanup");
    expect(role["rules"]).to.deep.equal(rulesOf(["pools", "dns", "routedip", "jobs"], "goingNamespaces"));
    expect(find(objects, "ClusterRoleBinding", "flipop-cleanup")).to.deep.include({
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "flipop-cleanup" },
      subjects: [{ kind: "ServiceAccount", name: "flipop", namespace: "flipop" }],
    });
    const policy = JSON.stringify(find(objects, "ValidatingAdmissionPolicy", "flipop-cleanup"));
    expect(policy).to.include("request.namespace in 'a,b'.split(',')");
    expect(policy).to.include("request.namespace in 'b'.split(',')");
    expect(find(objects, "ValidatingAdmissionPolicyBinding", "flipop-cleanup")["spec"]).to.deep.equal({
      policyName: "flipop-cleanup",
      validationActions: ["Deny"],
    });
  });

  it("for the last cleanup are only those of the enabled features", () => {
    const rules = (features: OperatorFeature[]) =>
      find(synthOperator({ features, watchNamespaces: ["a"] }), "ClusterRole", "flipop-cleanup")["rules"];
    expect(rules([POOLS])).to.deep.equal(rulesOf(["pools"], "goingNamespaces"));
    expect(rules([DNS])).to.deep.equal(rulesOf(["dns"], "goingNamespaces"));
    expect(rules([ROUTED_IP, JOBS])).to.deep.equal(rulesOf(["routedip", "jobs"], "goingNamespaces"));
  });

  it("for the last cleanup do not exist without a policy, or if the operator already has them", () => {
    for (const props of [{ watchNamespaces: ["a"], admissionPolicy: false }, {}]) {
      expect(titles(synthOperator(props)).filter((title) => title.includes("cleanup"))).to.deep.equal([]);
    }
  });

  it("come after the policy that limits them", () => {
    const made = titles(synthOperator({ watchNamespaces: ["a"] })).filter((title) => title.endsWith("flipop-cleanup"));
    expect(made.map((title) => title.split(" ")[0])).to.deep.equal([
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ClusterRole",
      "ClusterRoleBinding",
    ]);
  });

  it("move from the cluster to the namespaces whose pods a match may select", () => {
    const objects = synthOperator({ features: [DNS], podNamespaces: ["web"] });
    expect(find(objects, "ClusterRole", "flipop")["rules"]).to.deep.equal(
      rulesOf(["dns"], "cluster", "watchNamespaces"),
    );
    const role = find(objects, "Role", "flipop-pods-web");
    expect(role.metadata.namespace).to.equal("web");
    expect(role["rules"]).to.deep.equal(rulesOf(["dns"], "podNamespaces"));
  });

  it("on Jobs are only in the namespaces of Jobs", () => {
    const objects = synthOperator({ features: EVERYTHING, jobNamespaces: ["work", "play"] });
    const roles = objects.filter(({ kind, metadata }) => kind === "Role" && metadata.name.startsWith("flipop-jobs-"));
    expect(roles.map(({ metadata }) => metadata.namespace)).to.deep.equal(["work", "play"]);
    expect(roles[0]?.["rules"]).to.deep.equal(rulesOf(["jobs"], "jobNamespaces"));
    expect(JSON.stringify(find(objects, "ClusterRole", "flipop"))).not.to.include("batch");
  });

  it("on Secrets are only in the namespaces of issuers", () => {
    const objects = synthOperator({ issuerNamespaces: ["a", "flipop"] });
    const withSecrets = objects.filter((object) => JSON.stringify(object["rules"] ?? "").includes('"secrets"'));
    expect(withSecrets.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).to.deep.equal([
      "Role a",
      "Role flipop",
    ]);
  });

  for (const features of [[POOLS], [DNS], [ROUTED_IP], [ROUTED_IP, JOBS], [POOLS, DNS], EVERYTHING]) {
    it(`of ${features.join(" and ")} are exactly those of its permissions`, () => {
      const wanted: Record<string, string[]> = {};
      for (const { features: needing, resources, verbs } of PERMISSIONS) {
        if (!needing.some((feature) => features.some((enabled) => `${enabled}` === feature))) continue;
        for (const resource of resources) {
          wanted[resource] = [...new Set([...(wanted[resource] ?? []), ...verbs])].sort();
        }
      }
      expect(rights(synthOperator({ features }))).to.deep.equal(wanted);
    });
  }

  it("for record sets alone do not include writing to nodes or reading Secrets", () => {
    const { nodes, secrets, leases } = rights(synthOperator({ features: [DNS] }));
    expect(nodes).to.deep.equal(["list", "watch"]);
    expect(secrets).to.equal(undefined);
    expect(leases).to.deep.equal(["create", "get", "list", "update", "watch"]);
  });

  it("belong to its ServiceAccount through a binding for each role", () => {
    const objects = synthOperator({ features: EVERYTHING, watchNamespaces: ["a"], podNamespaces: ["b"] });
    for (const { kind, metadata } of objects.filter(
      (one) => one.kind === "Role" && one.metadata.name !== "flipop-on-call",
    )) {
      const binding = objects.find(
        (object) =>
          object.kind === "RoleBinding" &&
          object.metadata.namespace === metadata.namespace &&
          object.metadata.name === metadata.name,
      );
      expect(binding?.["roleRef"]).to.deep.equal({ apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name });
      expect(binding?.["subjects"]).to.deep.equal([{ kind: "ServiceAccount", name: "flipop", namespace: "flipop" }]);
    }
    expect(find(objects, "ClusterRoleBinding", "flipop")["roleRef"]).to.deep.equal({
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "flipop",
    });
  });

  it("never have an empty list of names, which the server would drop", () => {
    expect(JSON.stringify(synthOperator({ features: EVERYTHING }))).not.to.match(/"resourceNames":\[\]/);
  });
});

describe("the roles for users", () => {
  const plurals = ALL_KINDS.map(({ plural }) => plural);

  it("allow the built-in roles view, edit and admin to read the five kinds, and what the commands read", () => {
    const role = find(synthOperator(), "ClusterRole", "flipop-view");
    expect(role["rules"]).to.deep.equal([
      { apiGroups: ["flipop.digitalocean.com"], resources: plurals, verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list"] },
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: ["floating-ip-pool-controller-leader-election"],
        verbs: ["get", "list"],
      },
    ]);
    expect(role.metadata.labels).to.include({
      "rbac.authorization.k8s.io/aggregate-to-view": "true",
      "rbac.authorization.k8s.io/aggregate-to-edit": "true",
      "rbac.authorization.k8s.io/aggregate-to-admin": "true",
    });
  });

  it("are aggregated as aggregateUserRoles says: by default, no user may write the five kinds", () => {
    const aggregated = (suffix: string, aggregateUserRoles?: AggregatedUserRoles) => {
      const objects = synthOperator(aggregateUserRoles === undefined ? {} : { aggregateUserRoles });
      const { labels = {} } = find(objects, "ClusterRole", `flipop-${suffix}`).metadata;
      return Object.keys(labels).flatMap((label) => label.split("/aggregate-to-")[1] ?? []);
    };
    const everyRole = ["admin", "edit", "view"];
    expect([aggregated("view"), aggregated("edit")]).to.deep.equal([everyRole, []]);
    const { NONE, EDIT } = AggregatedUserRoles;
    expect([aggregated("view", NONE), aggregated("edit", NONE)]).to.deep.equal([[], []]);
    expect([aggregated("view", EDIT), aggregated("edit", EDIT)]).to.deep.equal([everyRole, ["admin", "edit"]]);
  });

  it("allow the built-in roles edit and admin to write the five kinds, except their status", () => {
    const role = find(synthOperator({ aggregateUserRoles: AggregatedUserRoles.EDIT }), "ClusterRole", "flipop-edit");
    expect(role["rules"]).to.deep.equal([
      {
        apiGroups: ["flipop.digitalocean.com"],
        resources: plurals,
        verbs: ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"],
      },
    ]);
    expect(role.metadata.labels).not.to.have.property("rbac.authorization.k8s.io/aggregate-to-view");
    expect(role.metadata.labels).to.include({ "rbac.authorization.k8s.io/aggregate-to-edit": "true" });
  });

  it("allow on-call staff to stop and resume the operator, in its namespace only, and no other role includes that", () => {
    const role = find(synthOperator({ namespace: "infra" }), "Role", "flipop-infra-on-call");
    expect(role.metadata.namespace).to.equal("infra");
    expect(role["rules"]).to.deep.equal([
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: ["floating-ip-pool-controller-leader-election"],
        verbs: ["get", "patch"],
      },
    ]);
    const bound = synthOperator().filter(({ kind }) => kind === "RoleBinding");
    expect(bound.map((binding) => (binding["roleRef"] as { name: string }).name)).not.to.include("flipop-on-call");
  });
});
