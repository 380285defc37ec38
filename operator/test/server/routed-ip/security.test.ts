import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { RoutedRig } from "./rig.js";

const USER = "flipop-routed-rights";

describe("the rights of the operator, as features routedip and jobs ask for them", function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let rig: RoutedRig;

  before(async function () {
    plane = await controlPlaneOrSkip(this, { controllerManager: true, identities: [{ name: USER }] });
    rig = await RoutedRig.create(plane, USER);
  });

  after(() => rig?.close());

  /** The server's own answer to: may the operator do that? */
  const may = async (verb: string, resource: string, namespace: string, group = "") => {
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: USER, resourceAttributes: { verb, resource, namespace, group } },
    };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const answer = await rig.client.must.create<{ metadata: { name: string }; status: { allowed: boolean } }>(
      path,
      body,
    );
    return answer.status.allowed;
  };

  it("reads no Secret outside of the issuers' namespaces", async () => {
    expect(await may("list", "secrets", rig.names.operator)).to.equal(true);
    for (const namespace of ["kube-system", "default", rig.names.jobs]) {
      for (const verb of ["get", "list", "watch"]) expect(await may(verb, "secrets", namespace)).to.equal(false);
    }
  });

  it("runs no Job outside of the Jobs' namespaces", async () => {
    expect(await may("create", "jobs", rig.names.jobs, "batch")).to.equal(true);
    for (const namespace of ["kube-system", rig.names.operator, rig.names.team]) {
      expect(await may("create", "jobs", namespace, "batch")).to.equal(false);
    }
  });

  it("writes neither Secrets nor pods", async () => {
    for (const namespace of [rig.names.operator, rig.names.jobs, rig.names.team]) {
      for (const verb of ["create", "update", "patch", "delete"]) {
        expect(await may(verb, "secrets", namespace)).to.equal(false);
        expect(await may(verb, "pods", namespace)).to.equal(false);
      }
    }
  });
});
