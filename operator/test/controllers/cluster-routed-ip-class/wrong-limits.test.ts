import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { loosened } from "../../operator/process/older-definitions.js";
import { RoutedWorld } from "../routed-ip/routed-world.js";

describe("operator in process: limits that are stored and cannot be read", function () {
  this.timeout(60_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** As an older CRD let them be stored. */
  const store = (kind: string, name: string, limits: object) =>
    made.world.kubernetes.change(
      { apiVersion: GROUP_VERSION, kind, name, ...(kind === "RoutedIPIssuer" && { namespace: "default" }) },
      (object) => ({ ...object, spec: { ...(object["spec"] as object), ...limits } }),
    );

  for (const [kind, limits] of [
    ["ClusterRoutedIPClass", { allowedNamespaces: "others" }],
    ["RoutedIPIssuer", { allowedAddresses: "198.51.100.0/24" }],
  ] as const) {
    const [field] = Object.keys(limits);
    it(`${field} of ${kind}: RoutedIPs keep what they have and get nothing new`, async () => {
      made = await RoutedWorld.create(["n1", "n2"], {
        definitions: loosened(),
        flags: { "issuer-namespaces": "default" },
      });
      const { kubernetes, digitalocean } = made.world;
      made.addIssuer();
      kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "shared" } },
        spec: { issuerRef: { name: "do", namespace: "default" } },
      });
      made.addRouted("a", { className: "shared" });
      made.serve({ node: "n1" }, { node: "n2" });
      made.world.start();
      await made.ready("a");
      await made.world.rest();
      const [ip, node] = [made.status("a").routedIP, made.nodeOf("a")];
      const after = digitalocean.journal.mark;
      store(kind, kind === "RoutedIPIssuer" ? "do" : "shared", limits);
      made.addRouted("b", { className: "shared" });
      for (const name of ["a", "b"])
        await made.until(`${name} says so`, () => made.condition(name, "Accepted") === "False/Invalid");
      await made.world.rest();
      expect(digitalocean.journal.calls({ mutating: true, after }).map(({ path }) => path)).to.deep.equal([]);
      expect([made.status("a").routedIP, made.nodeOf("a")]).to.deep.equal([ip, node]);
      const said = made.status("b").conditions?.find(({ type }) => type === "Accepted")?.message;
      expect(said).to.include(`spec.${field}`).and.include("fix: ");
      store(kind, kind === "RoutedIPIssuer" ? "do" : "shared", { [field as string]: undefined });
      await made.ready("b");
    });
  }
});
