import { ApiObject, type Chart } from "cdk8s";
import * as kplus28 from "cdk8s-plus-28";
import * as kplus34 from "cdk8s-plus-34";
import { expect } from "chai";
import { Construct } from "constructs";
import { describe, it } from "mocha";
import { ClassImplementation, ClusterRoutedIPClass, FloatingIPPool, RoutedIPIssuer, RoutedIPJob } from "../../src";
import { newChart, only, refusals, synth } from "../support/charts";
import { AWS_CDK } from "../support/resolvers";
import { untyped } from "../support/untyped";

const GROUP = "flipop.digitalocean.com";
const MANAGE = ["get", "list", "watch", "update", "patch", "delete"];
const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });

function newPool(chart: Chart): FloatingIPPool {
  return new FloatingIPPool(chart, "pool", { metadata: { name: "edge" }, ips: ["8.8.8.8"] });
}

for (const [name, kplus] of Object.entries({ "cdk8s-plus-28": kplus28, "cdk8s-plus-34": kplus34 })) {
  describe(`rules of ${name}`, () => {
    it("accept a resource, and one that is defined outside of the app", () => {
      const chart = newChart({ namespace: "web" });
      const role = new kplus.Role(chart, "role");
      role.allowRead(newPool(chart));
      role.allow(["patch"], RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do"));
      const rules = only(chart, "Role")["rules"];
      expect(rules).to.deep.equal([
        {
          apiGroups: [GROUP],
          resources: ["floatingippools"],
          resourceNames: ["edge"],
          verbs: ["get", "list", "watch"],
        },
        { apiGroups: [GROUP], resources: ["routedipissuers"], resourceNames: ["do"], verbs: ["patch"] },
      ]);
    });

    it("accept a resource in a ClusterRole", () => {
      const chart = newChart({ namespace: "web" });
      new kplus.ClusterRole(chart, "role").allowReadWrite(newPool(chart));
      const [rule] = only(chart, "ClusterRole")["rules"] as readonly [object];
      expect(rule).to.deep.include({ apiGroups: [GROUP], resources: ["floatingippools"], resourceNames: ["edge"] });
    });
  });

  describe(`the subjects of ${name}`, () => {
    it("may manage a resource with one Role and one RoleBinding", () => {
      const chart = newChart({ namespace: "web" });
      const pool = newPool(chart);
      pool.grantManage(new kplus.ServiceAccount(chart, "account", { metadata: { name: "deployer" } }));
      pool.grantManage(kplus.User.fromName(chart, "user", "ann"), kplus.Group.fromName(chart, "group", "edge"));
      const role = only(chart, "Role");
      expect(role.metadata).to.include({ namespace: "web" });
      expect(role["rules"]).to.deep.equal([
        { apiGroups: [GROUP], resources: ["floatingippools"], resourceNames: ["edge"], verbs: MANAGE },
      ]);
      const binding = only(chart, "RoleBinding");
      expect(binding["roleRef"]).to.have.property("name", role.metadata.name);
      const apiGroup = "rbac.authorization.k8s.io";
      expect(binding["subjects"]).to.deep.equal([
        { kind: "ServiceAccount", name: "deployer", namespace: "web" },
        { kind: "User", name: "ann", apiGroup },
        { kind: "Group", name: "edge", apiGroup },
      ]);
      expect(ApiObject.of(pool)).to.equal(pool.apiObject);
    });
  });
}

describe("a grant", () => {
  it("may be for a plain ServiceAccount, and for reading only", () => {
    const chart = newChart();
    const account = new ApiObject(chart, "account", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "viewer", namespace: "ops" },
    });
    newPool(chart).grantRead(account);
    const binding = only(chart, "RoleBinding");
    expect(binding["subjects"]).to.deep.equal([{ kind: "ServiceAccount", name: "viewer", namespace: "ops" }]);
    const [rule] = only(chart, "Role")["rules"] as readonly [object];
    expect(rule).to.deep.include({ verbs: ["get", "list", "watch"] });
  });

  it("for a class needs a ClusterRole, without a namespace", () => {
    const chart = newChart({ namespace: "web" });
    const made = new ClusterRoutedIPClass(chart, "class", {
      metadata: { name: "public" },
      implementation: ClassImplementation.jobs(JOB, JOB),
    });
    made.grantManage(kplus28.Group.fromName(chart, "group", "platform"));
    expect(synth(chart).map(({ kind, metadata }) => [kind, metadata["namespace"]])).to.deep.equal([
      ["ClusterRoutedIPClass", undefined],
      ["ClusterRole", undefined],
      ["ClusterRoleBinding", undefined],
    ]);
  });

  it("for a resource outside of the app is in that resource's namespace", () => {
    const chart = newChart({ namespace: "web" });
    const pool = FloatingIPPool.fromFloatingIPPoolName(chart, "pool", "edge", "ingress");
    pool.grantRead(kplus28.User.fromName(chart, "user", "ann"));
    expect(synth(chart).map(({ metadata }) => metadata["namespace"])).to.deep.equal(["ingress", "ingress"]);
  });

  it("for a resource outside of the app are refused where no object can have its name or namespace", () => {
    const refused = (...names: readonly [name: string, namespace?: string]) => {
      const chart = newChart();
      FloatingIPPool.fromFloatingIPPoolName(chart, "reference", ...names).grantRead(
        kplus28.User.fromName(chart, "user", "ann"),
      );
      return refusals(chart);
    };
    expect(refused("", "Bad_NS")).to.deep.equal([
      "[test/reference] name: is empty: give a value",
      '[test/reference] namespace: "Bad_NS" is not a DNS label: use at most 63 lower-case letters, digits and "-", with a letter or digit at each end, such as "flipop"',
    ]);
    expect(refused(untyped(5))).to.have.length(1);
    expect(refused("a".repeat(254))).to.have.length(1);
    expect(refused("edge.v2", "web")).to.deep.equal([]);
    expect(refused(AWS_CDK.text(1), AWS_CDK.text(2)), "a token has a name later").to.deep.equal([]);
  });

  it("refuses what is not a subject", () => {
    const chart = newChart();
    const pool = newPool(chart);
    const account = new kplus28.ServiceAccount(chart, "account", { metadata: { name: "nowhere" } });
    pool.grantManage(new Construct(chart, "other"), untyped("ann"), account);
    pool.grantRead();
    expect(refusals(chart)).to.deep.equal([
      '[test/pool] grantManage: construct "test/other" is not a subject of a Role: give a ServiceAccount, User or Group of cdk8s-plus, or the ApiObject of a ServiceAccount',
      '[test/pool] grantManage: "ann" is not a construct: give a ServiceAccount, User or Group of cdk8s-plus, or the ApiObject of a ServiceAccount',
      '[test/pool] grantManage: the namespace of ServiceAccount "nowhere" is not known: set it, or the namespace of its chart',
      "[test/pool] grantRead: has no subject: give a ServiceAccount, User or Group",
    ]);
  });
});
