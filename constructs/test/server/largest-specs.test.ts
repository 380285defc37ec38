import { expect } from "chai";
import type { Client } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { validateSpec } from "../../src/api";
import { LARGEST_SPECS } from "../data/largest-specs";
import { clusterWithCrds, collection, resource } from "../support/cluster";

for (const release of [undefined, "1.32"]) {
  describe(`specs as large as the schemas allow, on Kubernetes ${release ?? "1.35"}`, () => {
    let client: Client;

    before(async function () {
      client = (await clusterWithCrds(this, release)).client();
    });

    for (const { kind, name, spec } of LARGEST_SPECS) {
      it(`${kind} with ${name} is accepted`, async () => {
        expect(validateSpec(kind, spec)).to.deep.equal([]);
        const { status, body } = await client.create(collection(kind), resource(kind, spec));
        expect(status, JSON.stringify(body).slice(-2000)).to.equal(201);
      });
    }

    for (const [first, second] of [
      [0, 1],
      [0, 1023],
      [511, 512],
      [1022, 1023],
    ] as const) {
      it(`names the address of 1024 that entries ${first} and ${second} have in common, once`, async () => {
        for (const { name, spec } of LARGEST_SPECS.filter(({ kind }) => kind === "FloatingIPPool")) {
          const { ips } = spec as { readonly ips: readonly string[] };
          const twice = ips.map((ip, index) => (index === second ? (ips[first] ?? "") : ip));
          const { body } = await client.create(
            collection("FloatingIPPool"),
            resource("FloatingIPPool", { ips: twice, provider: "digitalocean" }),
          );
          const message = `Invalid value: "${ips[first]}" is listed twice: remove one`;
          expect(body, name).to.have.nested.property("details.causes").with.lengthOf(1);
          expect(body, name).to.have.nested.property("details.causes[0].message", message);
        }
      });
    }
  });
}
