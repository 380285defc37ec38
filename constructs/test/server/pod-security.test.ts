import { expect } from "chai";
import type { Client } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { podSpec, synthOperator } from "../operator/synth";
import { operatorCluster } from "../support/operator-cluster";

/**
 * Ways to weaken the pod, each of which "restricted" must reject: fields of the pod's spec, fields of the container.
 */
const LOOSENED: Readonly<Record<string, readonly [pod: object, container: object]>> = {
  "that may run as root": [{ securityContext: { seccompProfile: { type: "RuntimeDefault" } } }, {}],
  "without a seccomp profile": [{ securityContext: { runAsNonRoot: true } }, {}],
  "on the node's network": [{ hostNetwork: true }, {}],
  "with a folder of the node": [{ volumes: [{ name: "root", hostPath: { path: "/" } }] }, {}],
  "with all capabilities": [{}, { securityContext: { allowPrivilegeEscalation: false } }],
  "that may gain privileges": [{}, { securityContext: { capabilities: { drop: ["ALL"] } } }],
};

describe("the pod template in a namespace with Pod Security restricted", () => {
  let client: Client;
  let pods: string;
  const spec = podSpec(synthOperator());

  before(async function () {
    client = (await operatorCluster(this)).client();
    const namespace = await client.tempNamespace("restricted", { "pod-security.kubernetes.io/enforce": "restricted" });
    pods = `/api/v1/namespaces/${namespace}/pods`;
  });

  const createPod = (changed: object) =>
    client.create(pods, { metadata: { name: "flipop" }, spec: { ...spec, ...changed } }, { dryRun: "All" });

  it("is accepted as a Pod, without a warning", async () => {
    const { status, body, warnings } = await createPod({});
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(warnings).to.deep.equal([]);
  });

  for (const [title, [pod, container]] of Object.entries(LOOSENED)) {
    it(`is refused as a Pod ${title}`, async () => {
      const { status, body } = await createPod({ ...pod, containers: [{ ...spec.containers[0], ...container }] });
      expect(status, JSON.stringify(body)).to.equal(403);
      expect(JSON.stringify(body)).to.include('violates PodSecurity \\"restricted');
    });
  }
});
