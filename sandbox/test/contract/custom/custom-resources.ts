import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import type { Answer } from "../api-client.js";
import { becomes, causes, DEFINITIONS, namespace, ok, type TargetSource, uniqueName } from "../target.js";
import { customResourceStatusContract } from "./custom-resource-status.js";
import { customResourceValidationContract } from "./custom-resource-validation.js";
import { THING_SCHEMA, Things } from "./thing-definition.js";

/** Custom resources: defaults, pruning, identity, and, in files of their own, validation and status. */
export function customResourcesContract(target: TargetSource): void {
  describe("custom resources", () => {
    let things: Things;
    before(async () => {
      things = await Things.define(target(), await namespace(target()), THING_SCHEMA, true);
    });
    after(() => things.drop());
    const merge = (path: string, body: unknown, query = {}) => target().admin.patch(path, "merge", body, query);

    describe("defaults and pruning", () => {
      it("fill in defaults, nested ones too", async () => {
        expect((await things.create({})).body.spec).to.deep.equal({ count: 3, color: "red", nest: { a: "x" } });
      });
      it("take a null where none is allowed for a missing field", async () => {
        const { body } = await things.create({ count: null, nest: { a: null }, name: null });
        expect(body.spec).to.deep.equal({ count: 3, color: "red", nest: { a: "x" } });
      });
      it("keep a null where it is allowed", async () => {
        expect((await things.create({ nest: { b: null } })).body.spec?.nest).to.deep.equal({ a: "x", b: null });
      });
      it("drop unknown fields, and warn of them", async () => {
        const { body, warnings } = await things.create({ bogus: 1, nest: { odd: 1 } });
        expect(body.spec).to.deep.equal({ count: 3, color: "red", nest: { a: "x" } });
        expect(warnings).to.deep.equal(['unknown field "spec.bogus"', 'unknown field "spec.nest.odd"']);
      });
      it("keep unknown fields where the schema says so", async () => {
        expect((await things.create({ free: { any: { thing: 1 } } })).body.spec?.free).to.deep.equal({
          any: { thing: 1 },
        });
      });
      it("drop labels that are empty", async () => {
        const { path } = await things.made({});
        ok(await merge(path, { metadata: { labels: { a: "b" } } }));
        expect((await merge(path, { metadata: { labels: { a: null } } })).body.metadata).to.not.have.property("labels");
      });
      it("are refused with unknown fields under fieldValidation=Strict", async () => {
        const { status, body } = await things.create({ bogus: 1 }, uniqueName("thing"), { fieldValidation: "Strict" });
        expect(status).to.equal(400);
        expect(body.message).to.match(/strict decoding error: unknown field "spec.bogus"$/);
      });
      it("refuse unknown fields of a patch under fieldValidation=Strict with 422", async () => {
        const { path } = await things.made({});
        const { status, body } = await merge(path, { spec: { bogus: 1 } }, { fieldValidation: "Strict" });
        expect(status).to.equal(422);
        expect(body.message).to.match(/strict decoding error: unknown field "spec.bogus"$/);
      });
      it("are stored without a spec where none is given and none is required", async () => {
        const object = things.object({ metadata: { name: uniqueName("thing") } });
        const { status, body } = await target().admin.post(things.path, object);
        expect([status, body.spec]).to.deep.equal([201, undefined]);
      });
    });

    describe("identity", () => {
      it("refuse another kind with 422", async () => {
        const object = { apiVersion: `${things.group}/v1`, kind: "Other", metadata: { name: "a" } };
        expect(causes(await target().admin.post(things.path, object))[0]).to.equal(
          'kind: Invalid value: "Other": must be Thing',
        );
      });
      it("refuse another version with 400", async () => {
        const object = { apiVersion: `${things.group}/v2`, kind: "Thing", metadata: { name: "a" } };
        expect((await target().admin.post(things.path, object)).status).to.equal(400);
      });
      it("refuse no kind with 400", async () => {
        expect((await target().admin.post(things.path, { metadata: { name: "a" } })).status).to.equal(400);
      });
      it("name their kind in the items of lists", async () => {
        await things.create({});
        const { body } = await target().admin.get(things.path);
        expect(body.items?.[0]).to.include({ kind: "Thing", apiVersion: `${things.group}/v1` });
      });
      it("are selected by the fields that the definition names, and by no other", async () => {
        ok(await things.create({ color: "green" }));
        const { body } = await target().admin.get(things.path, { fieldSelector: "spec.color=green" });
        expect(body.items).to.have.length(1);
        expect((await target().admin.get(things.path, { fieldSelector: "spec.count=3" })).status).to.equal(400);
      });
    });

    customResourceValidationContract(target, () => things);
    customResourceStatusContract(target, () => things);
  });

  describe("definitions of custom resources", () => {
    const conditions = ({ body }: Answer) =>
      ((body.status as { conditions?: { type: string; status: string }[] }).conditions ?? []).map(
        ({ type, status }) => `${type}=${status}`,
      );

    it("are established, and say so", async () => {
      const things = await Things.define(target(), "default", THING_SCHEMA);
      const answer = await target().admin.get(things.definition);
      await things.drop();
      expect(conditions(answer)).to.deep.equal(["NamesAccepted=True", "Established=True"]);
    });
    it("take their objects with them, and are served no longer", async () => {
      const things = await Things.define(target(), "default", THING_SCHEMA);
      await things.made({});
      await things.drop();
      await becomes(target(), things.path, 404);
      await becomes(target(), things.definition, 404);
    });
    it("need the name PLURAL.GROUP", async () => {
      const answer = await target().admin.post(DEFINITIONS, {
        metadata: { name: "wrong" },
        spec: {
          group: "a.example.com",
          scope: "Namespaced",
          names: { plural: "foos", kind: "Foo" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      });
      expect(causes(answer)[0]).to.equal(
        'metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group',
      );
    });
  });
}
