import { expect } from "chai";
import { type Answer, type Client, eventually, type KubeObject } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { OperatorFeature } from "../../src";
import { GROUP_VERSION } from "../../src/api";
import { minimalSpec } from "../data/minimal-specs";
import { identityOf, installOperator, operatorCluster, typeWarnings } from "../support/operator-cluster";

const NAME = "confined";
const POLICY = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${NAME}-${NAME}-cleanup`;
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const WATCHED = ["confined-a", "confined-b"];
const ELSEWHERE = "confined-not";
const HOLD = "flipop.digitalocean.com/cleanup";
const PLURALS: Readonly<Record<string, string>> = {
  FloatingIPPool: "floatingippools",
  NodeDNSRecordSet: "nodednsrecordsets",
  RoutedIP: "routedips",
  RoutedIPIssuer: "routedipissuers",
};

describe("an operator that watches a few namespaces", () => {
  let admin: Client;
  let operator: Client;

  before(async function () {
    const plane = await operatorCluster(this);
    admin = plane.client();
    operator = plane.client(identityOf(NAME));
    for (const name of [...WATCHED, ELSEWHERE]) await admin.create("/api/v1/namespaces", { metadata: { name } });
    const { POOLS, DNS, ROUTED_IP } = OperatorFeature;
    await installOperator(plane, {
      name: NAME,
      namespace: NAME,
      features: [POOLS, DNS, ROUTED_IP],
      watchNamespaces: WATCHED,
    });
    for (const namespace of [...WATCHED, ELSEWHERE, NAME]) {
      for (const kind of Object.keys(PLURALS)) await make(namespace, kind);
    }
    await eventually(async () => isRefused(await release(ELSEWHERE, "RoutedIP")), {
      what: "the policy to take effect",
    });
    // The deletion of a namespace deletes its Roles.
    await admin.must.delete(`${RBAC}/namespaces/${WATCHED[0]}/rolebindings`);
    await admin.must.delete(`${RBAC}/namespaces/${WATCHED[0]}/roles`);
    await eventually(async () => (await operator.list(collection(WATCHED[0] ?? "", "RoutedIP"))).status === 403, {
      what: "the Roles to be of no use any more",
    });
  });

  it("has a policy that type-checks without a warning", async () => {
    expect(await typeWarnings(admin, POLICY)).to.deep.equal([]);
  });

  for (const kind of Object.keys(PLURALS)) {
    it(`releases and marks a ${kind} in a watched namespace that has lost its Roles`, async () => {
      for (const namespace of WATCHED) {
        expect((await mark(namespace, kind)).status, namespace).to.equal(200);
        const answer = await release(namespace, kind);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      }
    });
  }

  describe("changes nothing in another namespace, although RBAC would allow it", () => {
    for (const kind of Object.keys(PLURALS)) {
      it(`such as a ${kind}`, async () => {
        for (const answer of [await release(ELSEWHERE, kind), await mark(ELSEWHERE, kind)]) {
          expect(isRefused(answer), JSON.stringify(answer.body)).to.equal(true);
        }
        expect((await patch(admin, ELSEWHERE, kind)).status).to.equal(200);
      });
    }
  });

  it("reads and creates nothing with that permission", async () => {
    for (const kind of Object.keys(PLURALS)) {
      const path = collection(WATCHED[0] ?? "", kind);
      const body = { metadata: { name: "made" }, spec: minimalSpec(kind) };
      for (const made of [
        await operator.list(path),
        await operator.get(`${path}/x`),
        await operator.create(path, body),
        await operator.delete(`${path}/x`),
      ]) {
        expect(made.status).to.equal(403);
      }
    }
  });

  it("writes the issuers of its own unwatched namespace, and nothing else there", async () => {
    expect((await release(NAME, "RoutedIPIssuer")).status).to.equal(200);
    for (const kind of ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"]) {
      expect(isRefused(await release(NAME, kind)), kind).to.equal(true);
    }
  });

  function release(namespace: string, kind: string): Promise<Answer<KubeObject>> {
    return patch(operator, namespace, kind);
  }

  function mark(namespace: string, kind: string): Promise<Answer<KubeObject>> {
    return operator.patch(`${collection(namespace, kind)}/x/status`, { status: { observedGeneration: 1 } });
  }

  async function make(namespace: string, kind: string): Promise<void> {
    const metadata = { name: "x", finalizers: [HOLD] };
    const body = { apiVersion: GROUP_VERSION, kind, metadata, spec: minimalSpec(kind) };
    await admin.must.create(collection(namespace, kind), body);
  }
});

function collection(namespace: string, kind: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS[kind]}`;
}

function patch(client: Client, namespace: string, kind: string): Promise<Answer<KubeObject>> {
  return client.patch(`${collection(namespace, kind)}/x`, { metadata: { finalizers: null } });
}

function isRefused({ status, body }: Answer<unknown>): boolean {
  const policy = `ValidatingAdmissionPolicy '${NAME}-${NAME}-cleanup'`;
  const why = "flipop may change resources only in the namespaces of --watch-namespaces";
  const text = JSON.stringify(body);
  return status === 403 && text.includes(policy) && text.includes(why);
}
