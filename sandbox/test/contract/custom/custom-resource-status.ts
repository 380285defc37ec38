import { expect } from "chai";
import { describe, it } from "mocha";
import { becomes, causes, ok, type TargetSource, uniqueName } from "../target.js";
import { NOT_CHECKED, type Things } from "./thing-definition.js";

interface AppliedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

/** The status of custom resources, and what counts in their generation. */
export function customResourceStatusContract(target: TargetSource, things: () => Things): void {
  const merge = (path: string, body: unknown, query = {}) => target().admin.patch(path, "merge", body, query);

  describe("status and generation", () => {
    it("lose a status that a create gives", async () => {
      const object = things().object({ metadata: { name: uniqueName("thing") }, spec: {}, status: { n: 1 } });
      expect((await target().admin.post(things().path, object)).body).to.not.have.property("status");
    });
    it("ignore the status on a write of the object", async () => {
      const { path, body } = await things().made({});
      const answer = await merge(path, { status: { n: 1 } });
      expect(answer.body.metadata.resourceVersion).to.equal(body.metadata.resourceVersion);
      expect(answer.body).to.not.have.property("status");
    });
    it("ignore everything but the status on a write of the status", async () => {
      const { path } = await things().made({});
      const metadata = { labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["e.f/g"] };
      const { body } = await merge(`${path}/status`, { metadata, spec: { count: 9 }, status: { n: 1 } });
      expect([body.spec?.count, body.status]).to.deep.equal([3, { n: 1 }]);
      expect(body.metadata).to.not.have.any.keys("labels", "annotations", "finalizers");
    });
    it("count changes of the spec, and no others, in their generation", async () => {
      const { path } = await things().made({});
      const generations: unknown[] = [];
      const changes: readonly (readonly [string, unknown])[] = [
        [path, { metadata: { labels: { a: "b" } } }],
        [path, { spec: { count: 4 } }],
        [path, { spec: { count: 4 } }],
        [`${path}/status`, { status: { n: 1 } }],
        [path, { spec: { color: "green" } }],
      ];
      for (const [where, change] of changes) generations.push(ok(await merge(where, change)).body.metadata.generation);
      expect(generations).to.deep.equal([1, 2, 2, 2, 3]);
    });
    it("show which fields a manager applies, until it applies them no longer", async () => {
      const { path, body } = await things().made({});
      const { apiVersion, kind, metadata } = body;
      const apply = (fields: object) => {
        const config = { apiVersion, kind, metadata: { name: metadata.name }, ...fields };
        return target().admin.patch(`${path}/status`, "apply", config, { fieldManager: "one" });
      };
      const entries = (answer: Awaited<ReturnType<typeof apply>>) => {
        const { managedFields = [] } = ok(answer).body.metadata as { managedFields?: readonly AppliedFields[] };
        return managedFields
          .filter(({ manager, operation }) => manager === "one" && operation === "Apply")
          .map(({ subresource, fieldsV1 }) => ({ subresource, fieldsV1 }));
      };
      const owned = [{ subresource: "status", fieldsV1: { "f:status": { "f:n": {} } } }];
      expect(entries(await apply({ status: { n: 1 } }))).to.deep.equal(owned);
      expect(entries(await apply({}))).to.deep.equal([]);
    });
    it("remove a key of a map in the status by null", async () => {
      const { path } = await things().made({});
      ok(await merge(`${path}/status`, { status: { m: { a: "1", b: "2" } } }));
      const { body } = await merge(`${path}/status`, { status: { m: { a: null } } });
      expect(body.status).to.deep.equal({ m: { b: "2" } });
    });
    it("keep an empty map in the status", async () => {
      const { path } = await things().made({});
      ok(await merge(`${path}/status`, { status: { m: { a: "1" } } }));
      expect((await merge(`${path}/status`, { status: { m: { a: null } } })).body.status).to.deep.equal({ m: {} });
    });
    it("refuse a status of the wrong shape with 422, named from the status on", async () => {
      const { path } = await things().made({});
      expect(causes(await merge(`${path}/status`, { status: { n: "x" } }))).to.deep.equal([
        'status.n: Invalid value: "string": n in body must be of type integer: "string"',
        NOT_CHECKED,
      ]);
    });
    it("refuse a status by an older resourceVersion with 409", async () => {
      const { path, body } = await things().made({});
      const { resourceVersion } = body.metadata;
      ok(await merge(path, { spec: { count: 4 } }));
      const { status } = await merge(`${path}/status`, { metadata: { resourceVersion }, status: { n: 1 } });
      expect(status).to.equal(409);
    });
    it("do not look at the uid in a write of the status", async () => {
      const { path } = await things().made({});
      expect((await merge(`${path}/status`, { metadata: { uid: "x" }, status: { n: 1 } })).status).to.equal(200);
    });
    it("replace the status by PUT and leave the spec", async () => {
      const { path, body } = await things().made({});
      const answer = await target().admin.put(`${path}/status`, { ...body, spec: { count: 9 }, status: { n: 7 } });
      expect([answer.body.spec?.count, answer.body.status]).to.deep.equal([3, { n: 7 }]);
    });
    it("need a resourceVersion for a replacement", async () => {
      const { path, body } = await things().made({});
      const answer = await target().admin.put(path, { ...body, metadata: { name: body.metadata.name } });
      expect(causes(answer)).to.deep.equal([
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      ]);
    });
    it("refuse a strategic merge patch with 415", async () => {
      const { path } = await things().made({});
      expect((await target().admin.patch(path, "strategic", { spec: { count: 4 } })).status).to.equal(415);
    });
    it("count the begin of their deletion in their generation", async () => {
      const { path } = await things().made({});
      ok(await merge(path, { metadata: { finalizers: ["e.f/g"] } }));
      expect((await target().admin.delete(path)).body.metadata.generation).to.equal(2);
      ok(await merge(path, { metadata: { finalizers: null } }));
      await becomes(target(), path, 404);
    });
    it("answer the status at the path of the status", async () => {
      const { path, body } = await things().made({});
      expect((await target().admin.get(`${path}/status`)).body.metadata.uid).to.equal(body.metadata.uid);
    });
  });
}
