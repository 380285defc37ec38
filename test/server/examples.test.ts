import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, stopShared } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { applyExample, diffExample, installKinds } from "../support/cluster.js";
import { exampleNames, type Manifests, objectsOf, synthExample } from "../support/examples.js";

for (const name of exampleNames()) {
  describe(`example ${name} on a fresh API server`, () => {
    let plane: ControlPlane;
    let manifests: Manifests;
    let count: number;

    before(async function () {
      plane = await controlPlaneOrSkip(this);
      await installKinds(plane);
      manifests = await synthExample(name);
      count = objectsOf(manifests).filter(({ kind }) => kind !== "CustomResourceDefinition").length;
    });

    // The next example gets a new server.
    after(stopShared);

    it("is created without a warning", async () => {
      const lines = await applyExample(plane, manifests);
      expect(lines.filter((line) => !line.endsWith(" created"))).to.deep.equal([]);
      expect(lines).to.have.length(count);
    });

    it("changes nothing when applied again", async () => {
      const budgets = await generations(plane);
      const lines = await applyExample(plane, manifests);
      // kubectl always prints "configured" for a PodDisruptionBudget, because its schema makes kubectl send the
      // selector each time.
      const changed = lines.filter((line) => !line.endsWith(" unchanged") && !line.startsWith("poddisruptionbudget"));
      expect(changed).to.deep.equal([]);
      expect(await generations(plane)).to.deep.equal(budgets);
      expect(lines).to.have.length(count);
      expect(await diffExample(plane, manifests)).to.equal("");
    });
  });
}

/** Generation of each PodDisruptionBudget: it counts changes of the spec. */
async function generations(plane: ControlPlane): Promise<readonly unknown[]> {
  const budgets = await plane.client().must.list("/apis/policy/v1/poddisruptionbudgets");
  return budgets.map(({ metadata: { name, generation } }) => ({ name, generation }));
}
