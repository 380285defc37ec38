import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: an older schema", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  it("says what is wrong with a spec that an older schema let pass, and serves the others", async () => {
    world = await World.create({ nodes: 2, definitions: [] });
    installLoosely(world);
    const [ip = ""] = world.addAddresses(1);
    world.addPool("selector", { ips: [ip], match: { nodeLabel: "a in (" } });
    world.addPool("provider", { provider: "unknown", ips: ["203.0.113.1"] });
    world.addPool("type", { ips: ["203.0.113.2"], desiredIPs: "two" as unknown as number });
    world.addPool("empty", {});
    world.addPool("none", {}, { spec: null });
    world.addPool("good", { ips: world.addAddresses(1) });
    world.start();
    await world.fulfilled("good");
    const reasons = {
      selector: "Invalid",
      provider: "UnknownProvider",
      type: "Invalid",
      empty: "Invalid",
      none: "Invalid",
    };
    for (const [name, reason] of Object.entries(reasons)) {
      await world.until(`the status of ${name} reports it`, () => world.condition(name, "Accepted")?.reason === reason);
      expect(world.status(name).error, name).to.be.a("string");
    }
    expect(world.holder(ip)).to.equal(undefined);
  });
});

/** A definition that lets anything pass and keeps all. */
function installLoosely({ kubernetes }: World): void {
  const names = [
    ["FloatingIPPool", "floatingippools"],
    ["NodeDNSRecordSet", "nodednsrecordsets"],
  ] as const;
  for (const [kind, plural] of names) {
    kubernetes.create({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.flipop.digitalocean.com` },
      spec: {
        group: "flipop.digitalocean.com",
        scope: "Namespaced",
        names: { kind, plural, singular: plural.slice(0, -1), listKind: `${kind}List` },
        versions: [
          {
            name: "v1alpha1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
  }
}
