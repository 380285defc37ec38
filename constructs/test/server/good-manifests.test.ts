import { expect } from "chai";
import type { Client } from "flipop-testbed";
import { before, describe, it } from "mocha";
import type { KindName } from "../../src/api";
import { FULL_SPECS } from "../data/full-specs";
import { REFERENCE_SPECS } from "../data/good-manifests";
import { askedPart } from "../support/asked-part";
import { clusterWithCrds, collection, resource } from "../support/cluster";
import { otherManifests } from "../support/other-manifests";

for (const release of [undefined, "1.32"]) {
  describe(`manifests on Kubernetes ${release ?? "1.35"}`, () => {
    let client: Client;

    before(async function () {
      client = (await clusterWithCrds(this, release)).client();
    });

    for (const { kind, name, spec } of [...REFERENCE_SPECS, ...FULL_SPECS]) {
      it(`accepts ${kind} with ${name}, and keeps every field`, async () => {
        await comesBackWhole(client, kind, spec);
      });
    }

    for (const { file, manifest } of otherManifests()) {
      it(`accepts ${manifest.kind} ${manifest.metadata.name} of ${file}, and loses no field`, async () => {
        await comesBackWhole(client, manifest.kind as KindName, manifest.spec);
      });
    }
  });
}

async function comesBackWhole(client: Client, kind: KindName, spec: unknown): Promise<void> {
  const answer = await client.create(collection(kind), resource(kind, spec), { fieldValidation: "Strict" });
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  expect(answer.warnings).to.deep.equal([]);
  const { name } = answer.body.metadata;
  const stored = await client.must.get(`${collection(kind)}/${name}`);
  // The server may add defaults, but must not drop or change a value.
  expect(askedPart(stored["spec"], spec)).to.deep.equal(spec);
}
