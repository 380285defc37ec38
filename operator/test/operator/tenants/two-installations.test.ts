import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "shared" };
const ISSUER = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", namespace: "shared", name: "do" };

describe("operators in process: two installations that watch different namespaces, and share a class", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("keep the class and its issuer until no RoutedIP of either namespace uses them", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { world } = made;
    for (const name of ["shared", "flipop-a", "flipop-b", "teamb"]) {
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const data = { token: Buffer.from(world.digitalocean.token).toString("base64") };
    world.kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "shared" }, data });
    made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" } }, "shared");
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "shared" } },
      spec: { issuerRef: { name: "do", namespace: "shared" }, allowedAddresses: ["0.0.0.0/0"] },
    });
    const { ip } = world.digitalocean.state.addAddress();
    made.addRouted("a", { className: "shared", routedIP: ip });
    made.serve({ node: "n1" });
    for (const [namespace, watched] of [
      ["flipop-a", "default"],
      ["flipop-b", "teamb"],
    ] as const) {
      world.start({ namespace, "watch-namespaces": watched, "issuer-namespaces": "shared" });
    }
    await made.ready("a");
    for (const ref of [CLASS, ISSUER]) world.kubernetes.delete(ref);
    const says = (ref: typeof CLASS) => JSON.stringify(world.kubernetes.get(ref)?.status ?? {});
    await made.until("both wait", () =>
      [CLASS, ISSUER].every((ref) => says(ref).includes("1 RoutedIP uses it (default/a)")),
    );
    const { revision } = world.kubernetes;
    await world.clock.sleep(60_000);
    expect(world.kubernetes.revision - revision, "the two do not overwrite each other").to.be.lessThan(10);
    expect(made.condition("a", "Ready")).to.equal("True/Observed");
    world.kubernetes.delete(made.refTo("a"));
    await made.until("both are gone", () => [CLASS, ISSUER].every((ref) => world.kubernetes.get(ref) === undefined));
  });
});
