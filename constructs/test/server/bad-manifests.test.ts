import { expect } from "chai";
import type { Client } from "flipop-testbed";
import { before, describe, it } from "mocha";
import { BAD_SPECS } from "../data/bad-specs";
import { minimalSpec } from "../data/minimal-specs";
import { clusterWithCrds, collection, resource } from "../support/cluster";

describe("the API server with the CustomResourceDefinitions", () => {
  let client: Client;

  before(async function () {
    client = (await clusterWithCrds(this)).client();
  });

  describe("refuses each bad spec and says what is wrong", () => {
    for (const { kind, name, spec, says, serverSays = says } of BAD_SPECS) {
      it(`${kind} with ${name}`, async () => {
        const query = { fieldValidation: "Strict", dryRun: "All" };
        const { status, body } = await client.create(collection(kind), resource(kind, spec), query);
        expect([400, 422]).to.include(status);
        expect(String(body["message"])).to.include(serverSays);
      });
    }
  });

  it("refuses a change of an existing RoutedIP's class", async () => {
    const path = collection("RoutedIP", await client.tempNamespace());
    await client.must.create(path, resource("RoutedIP", minimalSpec("RoutedIP"), "web"));
    const { status, body } = await client.patch(`${path}/web`, { spec: { className: "other" } });
    expect(status).to.equal(422);
    expect(String(body["message"])).to.include("className and issuerRef are immutable: delete the RoutedIP");
  });

  it("refuses a resource without spec", async () => {
    const { status, body } = await client.create(collection("FloatingIPPool"), resource("FloatingIPPool", undefined));
    expect(status).to.equal(422);
    expect(String(body["message"])).to.include("spec is missing: add it, kubectl explain shows its fields");
  });
});
