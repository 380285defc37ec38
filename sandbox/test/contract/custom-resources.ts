import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import type { Answer } from "./api-client.js";
import { becomes, causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";
import { THING_SCHEMA, Things } from "./thing-definition.js";

const NOT_CHECKED =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** Custom resources: defaults, pruning, validation, rules, status, generation. */
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

    describe("validation", () => {
      /** [what is wrong, spec, message; whether rules were left out because of it] */
      const refused: readonly (readonly [string, unknown, string, boolean])[] = [
        [
          "a number too small",
          { count: 0 },
          "spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1",
          false,
        ],
        [
          "a number too large",
          { count: 11 },
          "spec.count: Invalid value: 11: spec.count in body should be less than or equal to 10",
          false,
        ],
        [
          "text for a number",
          { count: "a" },
          'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"',
          true,
        ],
        [
          "a fraction for an integer",
          { count: 1.5 },
          'spec.count: Invalid value: "number": spec.count in body must be of type integer: "number"',
          true,
        ],
        [
          "a value that is not in the enum",
          { color: "blue" },
          'spec.color: Unsupported value: "blue": supported values: "red", "green"',
          true,
        ],
        [
          "text too short",
          { name: "a" },
          'spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long',
          false,
        ],
        ["text too long", { name: "abcdef" }, "spec.name: Too long: may not be more than 5 bytes", true],
        [
          "text that does not match",
          { name: "ABC" },
          `spec.name: Invalid value: "ABC": spec.name in body should match '^[a-z]+$'`,
          false,
        ],
        [
          "text for true or false",
          { flag: "x" },
          'spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"',
          true,
        ],
        [
          "no time",
          { when: "yesterday" },
          'spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"',
          true,
        ],
        [
          "a list for an object",
          { free: [] },
          'spec.free: Invalid value: "array": spec.free in body must be of type object: "array"',
          true,
        ],
        [
          "text for a list",
          { tags: "a" },
          'spec.tags: Invalid value: "string": spec.tags in body must be of type array: "string"',
          true,
        ],
        ["too many items", { tags: ["a", "b", "c", "d"] }, "spec.tags: Too many: 4: must have at most 3 items", true],
        ["the same item twice in a set", { tags: ["a", "a"] }, 'spec.tags[1]: Duplicate value: "a"', false],
        [
          "the same key twice in a map list",
          { ports: [{ name: "a" }, { name: "a" }] },
          'spec.ports[1]: Duplicate value: {"name":"a"}',
          false,
        ],
        ["a missing field", { ports: [{ port: 1 }] }, "spec.ports[0].name: Required value", true],
        [
          "a null item",
          { ports: [null] },
          'spec.ports[0]: Invalid value: "null": spec.ports[0] in body must be of type object: "null"',
          true,
        ],
        [
          "a wrong field of an item",
          { ports: [{ name: "a", port: 0 }] },
          "spec.ports[0].port: Invalid value: 0: spec.ports[0].port in body should be greater than or equal to 1",
          false,
        ],
        [
          "too many properties",
          { labels: { a: "", b: "", c: "" } },
          "spec.labels: Too many: 3: must have at most 2 items",
          true,
        ],
        [
          "a wrong value of a map",
          { labels: { a: 1 } },
          'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
          true,
        ],
        [
          "text for the spec",
          "x",
          'spec: Invalid value: "string": spec in body must be of type object: "string"',
          true,
        ],
        ["a broken rule, in its message", { ip: "here" }, 'spec.ip: Invalid value: "here": no ip', false],
        [
          "a broken rule, at its fieldPath and for its reason",
          { low: 5, high: 1 },
          "spec.low: Forbidden: low is over high",
          false,
        ],
        [
          "a broken rule, in the words of its messageExpression",
          { low: 6, high: 1 },
          "spec.low: Forbidden: low is over high by far",
          false,
        ],
        [
          "a broken rule with macros and text functions",
          { tags: ["a-b"] },
          "spec: Invalid value: a tag has a dash or begins with x",
          false,
        ],
      ];
      for (const [what, spec, message, incomplete] of refused) {
        it(`refuses ${what}`, async () => {
          const answer = await things.create(spec);
          expect([answer.status, answer.body.reason]).to.deep.equal([422, "Invalid"]);
          expect(causes(answer)).to.deep.equal(incomplete ? [message, NOT_CHECKED] : [message]);
        });
      }
      it("names kind, group and name in the message", async () => {
        const { body } = await things.create({ count: 0 }, "zero");
        expect(body.message).to.equal(
          `Thing.${things.group} "zero" is invalid: spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1`,
        );
        expect(body.details).to.deep.include({ name: "zero", group: things.group, kind: "Thing" });
      });
      it("lists all mistakes in one message", async () => {
        const { body } = await things.create({ count: 0, name: "A" }, "both");
        expect(body.message).to.match(/^Thing\..+ "both" is invalid: \[.+, .+\]$/);
        expect(body.message).to.contain("spec.count: Invalid value: 0:").and.contain('spec.name: Invalid value: "A":');
      });
      it("accepts addresses of both families where a rule asks for one", async () => {
        for (const ip of ["192.0.2.1", "2001:db8::1"]) expect((await things.create({ ip })).status).to.equal(201);
      });
      it("does not run a transition rule on create", async () => {
        expect((await things.create({ fixed: "any" })).status).to.equal(201);
      });
      it("runs a transition rule on a change", async () => {
        const { path } = await things.made({ fixed: "one" });
        expect(causes(await merge(path, { spec: { fixed: "two" } }))).to.deep.equal([
          'spec.fixed: Invalid value: "two": was one is two',
        ]);
        expect((await merge(path, { spec: { fixed: "one", low: 1 } })).status).to.equal(200);
      });
      it("refuses a patch to what is invalid, and changes nothing", async () => {
        const { path } = await things.made({});
        expect((await merge(path, { spec: { count: 11 } })).status).to.equal(422);
        expect((await target().admin.get(path)).body.spec?.count).to.equal(3);
      });
    });

    describe("status and generation", () => {
      it("lose a status that a create gives", async () => {
        const object = things.object({ metadata: { name: uniqueName("thing") }, spec: {}, status: { n: 1 } });
        expect((await target().admin.post(things.path, object)).body).to.not.have.property("status");
      });
      it("ignore the status on a write of the object", async () => {
        const { path, body } = await things.made({});
        const answer = await merge(path, { status: { n: 1 } });
        expect(answer.body.metadata.resourceVersion).to.equal(body.metadata.resourceVersion);
        expect(answer.body).to.not.have.property("status");
      });
      it("ignore everything but the status on a write of the status", async () => {
        const { path } = await things.made({});
        const metadata = { labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["e.f/g"] };
        const { body } = await merge(`${path}/status`, { metadata, spec: { count: 9 }, status: { n: 1 } });
        expect([body.spec?.count, body.status]).to.deep.equal([3, { n: 1 }]);
        expect(body.metadata).to.not.have.any.keys("labels", "annotations", "finalizers");
      });
      it("count changes of the spec, and no others, in their generation", async () => {
        const { path } = await things.made({});
        const generations: unknown[] = [];
        const changes: readonly (readonly [string, unknown])[] = [
          [path, { metadata: { labels: { a: "b" } } }],
          [path, { spec: { count: 4 } }],
          [path, { spec: { count: 4 } }],
          [`${path}/status`, { status: { n: 1 } }],
          [path, { spec: { color: "green" } }],
        ];
        for (const [where, change] of changes)
          generations.push(ok(await merge(where, change)).body.metadata.generation);
        expect(generations).to.deep.equal([1, 2, 2, 2, 3]);
      });
      it("remove a key of a map in the status by null", async () => {
        const { path } = await things.made({});
        ok(await merge(`${path}/status`, { status: { m: { a: "1", b: "2" } } }));
        const { body } = await merge(`${path}/status`, { status: { m: { a: null } } });
        expect(body.status).to.deep.equal({ m: { b: "2" } });
      });
      it("keep an empty map in the status", async () => {
        const { path } = await things.made({});
        ok(await merge(`${path}/status`, { status: { m: { a: "1" } } }));
        expect((await merge(`${path}/status`, { status: { m: { a: null } } })).body.status).to.deep.equal({ m: {} });
      });
      it("refuse a status of the wrong shape with 422, named from the status on", async () => {
        const { path } = await things.made({});
        expect(causes(await merge(`${path}/status`, { status: { n: "x" } }))).to.deep.equal([
          'status.n: Invalid value: "string": n in body must be of type integer: "string"',
          NOT_CHECKED,
        ]);
      });
      it("refuse a status by an older resourceVersion with 409", async () => {
        const { path, body } = await things.made({});
        const { resourceVersion } = body.metadata;
        ok(await merge(path, { spec: { count: 4 } }));
        const { status } = await merge(`${path}/status`, { metadata: { resourceVersion }, status: { n: 1 } });
        expect(status).to.equal(409);
      });
      it("do not look at the uid in a write of the status", async () => {
        const { path } = await things.made({});
        expect((await merge(`${path}/status`, { metadata: { uid: "x" }, status: { n: 1 } })).status).to.equal(200);
      });
      it("replace the status by PUT and leave the spec", async () => {
        const { path, body } = await things.made({});
        const answer = await target().admin.put(`${path}/status`, { ...body, spec: { count: 9 }, status: { n: 7 } });
        expect([answer.body.spec?.count, answer.body.status]).to.deep.equal([3, { n: 7 }]);
      });
      it("need a resourceVersion for a replacement", async () => {
        const { path, body } = await things.made({});
        const answer = await target().admin.put(path, { ...body, metadata: { name: body.metadata.name } });
        expect(causes(answer)).to.deep.equal([
          "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
        ]);
      });
      it("refuse a strategic merge patch with 415", async () => {
        const { path } = await things.made({});
        expect((await target().admin.patch(path, "strategic", { spec: { count: 4 } })).status).to.equal(415);
      });
      it("count the begin of their deletion in their generation", async () => {
        const { path } = await things.made({});
        ok(await merge(path, { metadata: { finalizers: ["e.f/g"] } }));
        expect((await target().admin.delete(path)).body.metadata.generation).to.equal(2);
        ok(await merge(path, { metadata: { finalizers: null } }));
        await becomes(target(), path, 404);
      });
      it("answer the status at the path of the status", async () => {
        const { path, body } = await things.made({});
        expect((await target().admin.get(`${path}/status`)).body.metadata.uid).to.equal(body.metadata.uid);
      });
    });
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
      const answer = await target().admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
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
