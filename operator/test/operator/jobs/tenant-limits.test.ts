import { GROUP_VERSION, type TenantLimits } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "./platform.js";

const FLAGS = { features: "pools,routedip,jobs", "job-namespaces": JOB_NAMESPACE };

describe("operator in process: limits of tenants beside a class whose Jobs create addresses", function () {
  this.timeout(240_000);

  it("do not count these addresses: they are not in the operator's account", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], { flags: FLAGS });
    const { world } = made;
    const platform = new JobPlatform(world);
    const limits: TenantLimits = {
      maxCreatedAddresses: 1,
      namespaces: [{ names: ["default"], maxCreatedAddresses: 1 }],
    };
    const flags = { "tenant-limits": JSON.stringify(limits) };
    try {
      world.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "rack" } },
        spec: { updateRoutedIP: JOB_SPEC, updateFirewall: JOB_SPEC },
      });
      made.serve({ node: "n1" });
      made.addRouted("a", { className: "rack" });
      const first = world.start(flags);
      await made.ready("a");
      expect(platform.created).to.have.length(1);
      expect(made.status("a").created).to.equal(true);
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
      await world.fulfilled("web");
      world.addPool("more", { desiredIPs: 1, reclaimPolicy: "Delete" });
      const refused = () => made.condition("more", "Fulfilled", "FloatingIPPool") === "False/CreationNotAllowed";
      await made.until("the pool's own address counts", refused);
      // After a restart the statuses are all that there is to count.
      await first.stop();
      world.kubernetes.delete(world.refTo("web"));
      world.start(flags);
      await world.fulfilled("more");
    } finally {
      await made.close();
    }
  });
});
