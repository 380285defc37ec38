import { ApiObject, App, Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FlipopOperator, FloatingIPPool } from "../../src";
import { FlipopAssertions } from "../../src/testing";
import { untyped } from "../support/untyped";

const GROUP = "flipop.digitalocean.com";

function app(): App {
  const made = new App();
  const chart = new Chart(made, "web", { namespace: "web" });
  new FloatingIPPool(chart, "pool", {
    metadata: { name: "ingress" },
    region: "nyc3",
    desiredIps: 2,
    ips: ["192.0.2.1"],
  });
  new FlipopOperator(new Chart(made, "flipop"), "operator", { watchNamespaces: ["web"] });
  return made;
}

describe("FlipopAssertions", () => {
  it("accepts what an app has", () => {
    FlipopAssertions.of(app())
      .hasPool("ingress")
      .hasPool("web/ingress", { desiredIPs: 2, ips: ["192.0.2.1"] })
      .hasObject("Deployment", "flipop", { spec: { replicas: 2 } })
      .hasCount("FloatingIPPool", 1)
      .hasNoWildcardRight()
      .hasRight({ verb: "patch", resource: "floatingippools", apiGroup: GROUP, namespace: "web" })
      .hasNoRight({ verb: "create", resource: "floatingippools", apiGroup: GROUP, namespace: "web" })
      .hasRight({ verb: "patch", resource: "floatingippools", namespace: "web" })
      .hasNoRight({ verb: "get", resource: "secrets", namespace: "web" })
      .hasNoRight({ verb: "patch", resource: "floatingippools", apiGroup: "" });
  });

  it("refuses a right that no rule can grant, because hasNoRight would hold for every app", () => {
    const check = (right: object) => () => FlipopAssertions.of(app()).hasNoRight(untyped(right));
    expect(check({ verb: "list", resorce: "secrets" })).to.throw("resorce is not a field of a right: use resource");
    expect(check({ verb: "list" })).to.throw("resource of a right is missing: give a text");
    expect(check({ verb: ["list"], resource: "secrets" })).to.throw("verb of a right is not a text: give one");
  });

  const failures: readonly (readonly [
    title: string,
    check: (assertions: FlipopAssertions) => unknown,
    says: string,
  ])[] = [
    [
      "another value",
      (a) => a.hasPool("ingress", { desiredIPs: 3 }),
      "FloatingIPPool ingress: spec.desiredIPs is 2, not 3",
    ],
    [
      "an absent field",
      (a) => a.hasPool("ingress", { paused: true }),
      "FloatingIPPool ingress: spec.paused is absent, not true",
    ],
    ["a list with other items", (a) => a.hasPool("ingress", { ips: [] }), 'spec.ips is ["192.0.2.1"], not []'],
    ["another name", (a) => a.hasPool("egress"), "there is no FloatingIPPool egress: the app has web/ingress"],
    [
      "another namespace",
      (a) => a.hasPool("x/ingress"),
      "there is no FloatingIPPool x/ingress: the app has web/ingress",
    ],
    ["another kind", (a) => a.hasRoutedIp("a"), "there is no RoutedIP a: the app has no RoutedIP"],
    ["a record set", (a) => a.hasNodeDnsRecordSet("a"), "the app has no NodeDNSRecordSet"],
    ["an issuer", (a) => a.hasRoutedIpIssuer("a"), "the app has no RoutedIPIssuer"],
    ["a class", (a) => a.hasClusterRoutedIpClass("a"), "the app has no ClusterRoutedIPClass"],
    ["another count", (a) => a.hasCount("FloatingIPPool", 2), "not 2 but 1: the app has web/ingress"],
    [
      "a missing right",
      (a) => a.hasRight({ verb: "delete", resource: "nodes" }),
      "no bound role may delete nodes in the whole cluster",
    ],
    [
      "a right",
      (a) => a.hasNoRight({ verb: "list", resource: "nodes" }),
      'ClusterRole "flipop" may list nodes in the whole cluster',
    ],
    [
      "a right without its group",
      (a) => a.hasNoRight({ verb: "patch", resource: "floatingippools", namespace: "web" }),
      'Role "flipop-watch-web" may patch floatingippools in namespace web',
    ],
    [
      "a right in some namespace",
      (a) => a.hasNoRight({ verb: "list", resource: "secrets" }),
      "may list secrets in namespace flipop",
    ],
  ];

  it("finds a right that a RoleBinding without a namespace grants wherever it is applied", () => {
    const made = new App();
    const chart = new Chart(made, "plain");
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "reader" } };
    const rules = [{ verbs: ["get"], resources: ["secrets"], apiGroups: [""] }];
    new ApiObject(chart, "role", { ...rbac, kind: "Role", rules });
    new ApiObject(chart, "binding", { ...rbac, kind: "RoleBinding", roleRef: { kind: "Role", name: "reader" } });
    const right = { verb: "get", resource: "secrets", namespace: "web" };
    expect(() => FlipopAssertions.of(made).hasNoRight(right)).to.throw(
      'Role "reader" may get secrets in the namespace into which it is applied',
    );
    expect(() => FlipopAssertions.of(made).hasRight(right)).to.throw("no bound role may get secrets in namespace web");
  });

  for (const [title, check, says] of failures) {
    it(`fails with what the app has instead: ${title}`, () => {
      expect(() => check(FlipopAssertions.of(app())))
        .to.throw(says)
        .with.property("name", "AssertionError");
    });
  }

  it("finds wildcards in any role, and in objects that Helm rendered", () => {
    const role = {
      kind: "ClusterRole",
      metadata: { name: "all" },
      rules: [{ verbs: ["*"], resources: ["pods"], apiGroups: [""] }],
    };
    const made = app();
    new ApiObject(new Chart(made, "more"), "role", { apiVersion: "rbac.authorization.k8s.io/v1", ...role });
    const says = 'a right has a wildcard: ClusterRole "all" has verbs ["*"]';
    expect(() => FlipopAssertions.of(made).hasNoWildcardRight()).to.throw(says);
    expect(() => FlipopAssertions.fromObjects([role]).hasNoWildcardRight()).to.throw(says);
  });

  it("throws the error of a synthesis that fails", () => {
    const made = app();
    new FloatingIPPool(new Chart(made, "bad"), "pool", { ips: ["x"] });
    expect(() => FlipopAssertions.of(made)).to.throw('[bad/pool] ips[0]: "x" is not an IP address');
  });
});
