import { Finalizer, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "./routed-world.js";

const GITOPS = "example.com/gitops";

describe("operator in process: a deleted RoutedIP that only another program keeps", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("names the finalizer in its own conditions, and in those of its deleted issuer", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const { kubernetes } = made.world;
    const [routed, issuer] = [made.refTo("a"), made.refTo("do", "RoutedIPIssuer")];
    const message = (name: string, type: string, kind?: string) => {
      const { conditions = [] } = (made.object(name, kind)?.["status"] ?? {}) as ReturnType<RoutedWorld["status"]>;
      return conditions.find((condition) => condition.type === type)?.message ?? "";
    };
    const finalizersOf = () => made.object("a")?.metadata.finalizers ?? [];
    kubernetes.change(routed, (object) => ({
      ...object,
      metadata: { ...(object["metadata"] as object), finalizers: [...finalizersOf(), GITOPS] },
    }));
    kubernetes.delete(issuer);
    await made.until("the issuer waits", () => made.condition("do", "Ready", "RoutedIPIssuer") === "False/InUse");
    expect(message("do", "Ready", "RoutedIPIssuer")).to.include(
      "1 RoutedIP uses it (default/a) and stays as it is; fix: to replace",
    );
    kubernetes.delete(routed);
    await made.until("the operator has cleaned up", () => !finalizersOf().includes(Finalizer.cleanup));
    const keeps = `RoutedIP default/a uses it and is being deleted already, and finalizer ${GITOPS} keeps it; fix:`;
    await made.until("the issuer names the finalizer", () => message("do", "Ready", "RoutedIPIssuer").includes(keeps));
    await made.until("so does the RoutedIP", () => message("a", "Ready").includes(`finalizer ${GITOPS} of another`));
    expect([made.condition("a", "Ready"), made.condition("a", "Reconciling")]).to.deep.equal([
      ...["False/UnderWay", "True/UnderWay"],
    ]);
  });
});

describe("operator in process: a RoutedIP that its deleted class refuses", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("does not keep the issuer of the class", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { kubernetes, clock } = made.world;
    const metadata = { name: "going", finalizers: [GITOPS] };
    const spec = { issuerRef: { name: "do", namespace: "default" }, allowedAddresses: ["0.0.0.0/0"] };
    kubernetes.create({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata, spec });
    await made.readyOnFirst();
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "going" });
    await clock.sleep(2000);
    made.addRouted("late", { className: "going" });
    await made.until("it is refused", () => made.condition("late", "Ready").startsWith("False"));
    await clock.sleep(2000);
    kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    await made.until("the issuer waits", () => made.condition("do", "Ready", "RoutedIPIssuer") === "False/InUse");
    expect(JSON.stringify(made.object("do", "RoutedIPIssuer")?.["status"])).to.include(
      "1 RoutedIP uses it (default/a)",
    );
  });
});
