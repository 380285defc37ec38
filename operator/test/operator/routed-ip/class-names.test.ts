import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "../jobs/platform.js";

const FLAGS = { features: "pools,dns,routedip,jobs", "job-namespaces": JOB_NAMESPACE };
const JOBS = { updateRoutedIP: JOB_SPEC, updateFirewall: JOB_SPEC, allowedAddresses: ["192.0.2.0/24"] };

describe("operator in process: the name by which RoutedIPs use a class", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const ref = (name: string) => ({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name });
  const addClass = (name: string, spec: object) =>
    made.world.kubernetes.create({ ...ref(name), metadata: { name }, spec: { ...JOBS, ...spec } });
  const ready = (name: string) => {
    const { conditions = [] } = (made.world.kubernetes.get(ref(name))?.["status"] ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
    };
    const accepted = conditions.filter(({ type }) => type === "Accepted");
    return accepted.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join();
  };

  it("is spec.className, and the name of the object without it; the older of two serves, and the other one says so", async () => {
    made = await RoutedWorld.create(["n1"], { flags: FLAGS });
    const { clock, kubernetes } = made.world;
    const platform = new JobPlatform(made.world);
    addClass("first", { className: "public" });
    await clock.sleep(2000);
    addClass("public", { nodePortRange: "1-65535" });
    made.serve({ node: "n1" });
    made.addRouted("a", { className: "public", routedIP: "192.0.2.1" });
    made.addRouted("b", { className: "first", routedIP: "192.0.2.2" });
    made.world.start();
    await made.ready("a");
    expect(ready("first")).to.equal("Accepted=True/Observed");
    expect(ready("public")).to.equal("Accepted=False/ClassNameTaken");
    expect(platform.done, "the rules of the older one").to.deep.equal(["open n1", "assign n1"]);
    expect(made.condition("b", "Accepted"), "the object's name is not its class name").to.equal("False/ClassNotFound");
    expect(made.condition("b", "Stalled"), "only a person can change that").to.equal("True/ClassNotFound");
    kubernetes.change(ref("first"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), className: "first" },
    }));
    await made.until("the other one serves", () => ready("public") === "Accepted=True/Observed");
    await made.until("the class is found", () => made.condition("b", "Accepted") !== "False/ClassNotFound");
  });
});
