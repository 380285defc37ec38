import { expect } from "chai";
import type { ControlPlane } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { OperatorFeature } from "../../src";
import { apply, operatorCluster, operatorYaml } from "../support/operator-cluster";

const OF_KUBERNETES = ["default", "kube-system"];

describe("an operator in a namespace of Kubernetes, on a real API server", () => {
  let plane: ControlPlane;

  before(async function () {
    plane = await operatorCluster(this);
  });

  const labelsOf = (name: string): Promise<unknown> =>
    plane
      .client()
      .must.get(`/api/v1/namespaces/${name}`)
      .then(({ metadata }) => metadata.labels);

  it("applies without a warning, and leaves the labels of these namespaces unchanged", async () => {
    const before = await Promise.all(OF_KUBERNETES.map(labelsOf));
    const yaml = operatorYaml({
      namespace: "kube-system",
      createNamespaces: false,
      features: Object.values(OperatorFeature),
      watchNamespaces: OF_KUBERNETES,
      jobNamespaces: ["default"],
    });
    const lines = await apply(plane, yaml);
    expect(lines.filter((line) => !/ (created|unchanged)$/.test(line))).to.deep.equal([]);
    expect(await Promise.all(OF_KUBERNETES.map(labelsOf))).to.deep.equal(before);
    expect(JSON.stringify(before)).not.to.include("pod-security");
  });

  it("cannot be written as a manifest that labels them", () => {
    for (const namespace of OF_KUBERNETES) {
      expect(() => operatorYaml({ namespace })).to.throw(`namespace: "${namespace}" belongs to Kubernetes`);
    }
  });
});
