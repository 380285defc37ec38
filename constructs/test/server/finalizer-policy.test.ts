import { expect } from "chai";
import { type Answer, type Client, eventually, type KubeObject } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { OperatorFeature } from "../../src";
import { Finalizer, GROUP_VERSION } from "../../src/api";
import { minimalSpec } from "../data/minimal-specs";
import { identityOf, installOperator, operatorCluster, typeWarnings } from "../support/operator-cluster";

const NAME = "guarded";
const TEAM = "team-finalizers";
const USER = identityOf("author");
const POLICY = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${NAME}-${NAME}-finalizers`;
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const PLURALS = { FloatingIPPool: "floatingippools", NodeDNSRecordSet: "nodednsrecordsets", RoutedIP: "routedips" };
const CREATED = {
  FloatingIPPool: { createdIPs: [{ ip: "203.0.113.7", createdTime: "2025-06-01T10:00:00Z" }] },
  RoutedIP: { routedIP: "203.0.113.7", created: true },
};

describe("the finalizer of a cleanup that has not ended", () => {
  let admin: Client;
  let operator: Client;
  let user: Client;
  let count = 0;

  before(async function () {
    const plane = await operatorCluster(this);
    [admin, operator, user] = [plane.client(), plane.client(identityOf(NAME)), plane.client(USER)];
    await admin.create("/api/v1/namespaces", { metadata: { name: TEAM } });
    const { POOLS, DNS, ROUTED_IP } = OperatorFeature;
    await installOperator(plane, { name: NAME, namespace: NAME, features: [POOLS, DNS, ROUTED_IP] });
    await admin.must.create(`${RBAC}/namespaces/${TEAM}/rolebindings`, {
      metadata: { name: "edit" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `${NAME}-${NAME}-edit` },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: USER }],
    });
    await eventually(async () => isRefused(await removal(user, await deleted("FloatingIPPool"))), {
      what: "the policy to take effect",
    });
  });

  // The policy applies to the whole cluster, in which other tests remove finalizers.
  after(async () => {
    const binding = POLICY.replace("validatingadmissionpolicies", "validatingadmissionpolicybindings");
    for (const path of [binding, POLICY]) await admin?.delete(path);
  });

  it("has a policy that type-checks without a warning", async () => {
    expect(await typeWarnings(admin, POLICY)).to.deep.equal([]);
  });

  for (const kind of ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"] as const) {
    it(`is removed from a deleted ${kind} by the operator and an administrator, and not by its author`, async () => {
      for (const client of [operator, admin]) {
        const path = await deleted(kind);
        expect(isRefused(await removal(user, path))).to.equal(true);
        expect((await user.patch(path, { metadata: { labels: { a: "b" } } })).status, "another change").to.equal(200);
        expect((await removal(client, path)).status).to.equal(200);
        expect((await admin.get(path)).status, "it is gone").to.equal(404);
      }
    });
  }

  for (const kind of ["FloatingIPPool", "RoutedIP"] as const) {
    it(`stays on a ${kind} that has a created address, also before its deletion`, async () => {
      const path = await made(kind);
      expect((await removal(user, path)).status, "without an address").to.equal(200);
      await admin.must.patch(path, { metadata: { finalizers: [Finalizer.cleanup] } });
      await admin.must.patch(`${path}/status`, { status: CREATED[kind] });
      expect(isRefused(await removal(user, path))).to.equal(true);
      expect((await removal(admin, path)).status).to.equal(200);
    });
  }

  async function made(kind: keyof typeof PLURALS): Promise<string> {
    const path = `/apis/${GROUP_VERSION}/namespaces/${TEAM}/${PLURALS[kind]}`;
    const name = `x-${++count}`;
    const metadata = { name, finalizers: [Finalizer.cleanup] };
    await admin.must.create(path, { apiVersion: GROUP_VERSION, kind, metadata, spec: minimalSpec(kind) });
    return `${path}/${name}`;
  }

  async function deleted(kind: keyof typeof PLURALS): Promise<string> {
    const path = await made(kind);
    await admin.delete(path);
    return path;
  }
});

function removal(client: Client, path: string): Promise<Answer<KubeObject>> {
  return client.patch(path, { metadata: { finalizers: null } });
}

/** By this installation's policy, or by that of an installation of another suite. */
function isRefused({ status, body }: Answer<unknown>): boolean {
  const text = JSON.stringify(body);
  return status === 403 && text.includes("-finalizers' ") && text.includes("Keep the finalizer");
}
