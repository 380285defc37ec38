import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { Body } from "./api-client.js";
import { causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** Replacing and patching: optimistic concurrency, the kinds of patches. */
export function changingContract(target: TargetSource): void {
  describe("changing", () => {
    let maps = "";
    let path = "";
    let created: Body;
    beforeEach(async () => {
      if (maps === "") maps = `/api/v1/namespaces/${await namespace(target())}/configmaps`;
      const name = uniqueName("map");
      created = ok(await target().admin.post(maps, { metadata: { name, labels: { a: "1" } }, data: { k: "v" } })).body;
      path = `${maps}/${name}`;
    });
    const merge = (body: unknown, query = {}) => target().admin.patch(path, "merge", body, query);
    const json = (body: unknown) => target().admin.patch(path, "json", body);

    describe("by replacement", () => {
      const put = (metadata: object) => target().admin.put(path, { metadata, data: { k: "new" } });

      it("replaces the whole object", async () => {
        const { status, body } = await put({ name: created.metadata.name });
        expect([status, body.data, body.metadata.labels]).to.deep.equal([200, { k: "new" }, undefined]);
      });
      it("keeps what the server has set", async () => {
        const { body } = await put({ name: created.metadata.name });
        expect(body.metadata).to.include({
          uid: created.metadata.uid,
          creationTimestamp: created.metadata.creationTimestamp,
        });
      });
      it("gives a change a new resourceVersion", async () => {
        const { body } = await put({ name: created.metadata.name });
        expect(Number(body.metadata.resourceVersion)).to.be.above(Number(created.metadata.resourceVersion));
      });
      it("writes nothing where nothing changes", async () => {
        const { body } = await target().admin.put(path, created);
        expect(body.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);
      });
      it("refuses an older resourceVersion with 409 Conflict", async () => {
        ok(await merge({ data: { k: "between" } }));
        const { status, body } = await target().admin.put(path, { ...created, data: { k: "late" } });
        expect([status, body.reason]).to.deep.equal([409, "Conflict"]);
        expect(body.message).to.match(/the object has been modified; please apply your changes to the latest version/);
      });
      it("refuses another uid with 409", async () => {
        expect((await put({ name: created.metadata.name, uid: "another" })).status).to.equal(409);
      });
      it("refuses another name than the path's with 400", async () => {
        expect((await put({ name: "another" })).status).to.equal(400);
      });
      it("refuses a resourceVersion that is no number with 500", async () => {
        expect((await put({ name: created.metadata.name, resourceVersion: "x" })).status).to.equal(500);
      });
      it("answers 404 for an object that is not there", async () => {
        const answer = await target().admin.put(`${maps}/missing`, { metadata: { name: "missing" } });
        expect([answer.status, answer.body.reason]).to.deep.equal([404, "NotFound"]);
      });
      it("writes nothing on a dry run", async () => {
        const object = { metadata: { name: created.metadata.name }, data: { k: "dry" } };
        const { body } = await target().admin.put(path, object, { dryRun: "All" });
        expect([body.data, (await target().admin.get(path)).body.data]).to.deep.equal([{ k: "dry" }, { k: "v" }]);
      });
    });

    describe("by merge patch", () => {
      it("sets and removes keys and leaves the others", async () => {
        const { body } = await merge({ metadata: { labels: { a: null, b: "2" } }, data: { other: "x" } });
        expect([body.metadata.labels, body.data]).to.deep.equal([{ b: "2" }, { k: "v", other: "x" }]);
      });
      it("writes nothing where nothing changes", async () => {
        const { body } = await merge({ metadata: { labels: { a: "1" } } });
        expect(body.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);
      });
      it("drops labels that are empty", async () => {
        const { body } = await merge({ metadata: { labels: { a: null } } });
        expect(body.metadata).to.not.have.property("labels");
      });
      it("refuses an older metadata.resourceVersion with 409", async () => {
        const { resourceVersion } = created.metadata;
        ok(await merge({ data: { k: "between" } }));
        const { status, body } = await merge({ metadata: { resourceVersion }, data: { k: "late" } });
        expect([status, body.reason]).to.deep.equal([409, "Conflict"]);
      });
      it("accepts the current metadata.resourceVersion", async () => {
        const { resourceVersion } = created.metadata;
        expect((await merge({ metadata: { resourceVersion }, data: { k: "now" } })).status).to.equal(200);
      });
      it("refuses another metadata.uid with 422: the object was created again", async () => {
        const answer = await merge({ metadata: { uid: "before", labels: { x: "y" } } });
        expect([answer.status, answer.body.reason]).to.deep.equal([422, "Invalid"]);
        expect(causes(answer)[0]).to.equal('metadata.uid: Invalid value: "before": field is immutable');
      });
      it("accepts the object's own metadata.uid", async () => {
        expect((await merge({ metadata: { uid: created.metadata.uid, labels: { x: "y" } } })).status).to.equal(200);
      });
      it("answers 404 where the object is gone, whatever the uid", async () => {
        const { status } = await target().admin.patch(`${maps}/gone`, "merge", { metadata: { uid: "before" } });
        expect(status).to.equal(404);
      });
      it("refuses another name with 400", async () => {
        expect((await merge({ metadata: { name: "another" } })).status).to.equal(400);
      });
      it("refuses a deletionTimestamp with 422", async () => {
        expect((await merge({ metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } })).status).to.equal(422);
      });
      it("ignores a generation that is given", async () => {
        const { body } = await merge({ metadata: { generation: 7 } });
        expect(body.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);
      });
      it("refuses a list with 400", async () => {
        expect((await merge([])).status).to.equal(400);
      });
      it("refuses text that is not JSON with 400", async () => {
        expect((await merge("{nothing")).status).to.equal(400);
      });
      it("writes nothing on a dry run", async () => {
        ok(await merge({ data: { k: "dry" } }, { dryRun: "All" }));
        expect((await target().admin.get(path)).body.data).to.deep.equal({ k: "v" });
      });
      it("refuses a media type that is no patch with 415", async () => {
        const { status } = await target().admin.send({
          method: "PATCH",
          path,
          body: {},
          contentType: "application/json",
        });
        expect(status).to.equal(415);
      });
    });

    describe("by JSON patch", () => {
      it("adds, copies, moves, replaces and removes", async () => {
        const { body } = await json([
          { op: "add", path: "/data/one", value: "1" },
          { op: "copy", from: "/data/one", path: "/data/two" },
          { op: "move", from: "/data/one", path: "/data/three" },
          { op: "replace", path: "/data/k", value: "w" },
          { op: "remove", path: "/metadata/labels/a" },
        ]);
        expect([body.data, body.metadata.labels]).to.deep.equal([{ k: "w", two: "1", three: "1" }, undefined]);
      });
      it("reads ~1 as / and ~0 as ~ in paths", async () => {
        const { body } = await json([
          { op: "add", path: "/metadata/annotations", value: {} },
          { op: "add", path: "/metadata/annotations/example.com~1a", value: "~" },
        ]);
        expect(body.metadata.annotations).to.deep.equal({ "example.com/a": "~" });
      });
      it("goes on where a test holds", async () => {
        const operations = [
          { op: "test", path: "/data/k", value: "v" },
          { op: "replace", path: "/data/k", value: "w" },
        ];
        expect((await json(operations)).body.data).to.deep.equal({ k: "w" });
      });
      it("refuses a test that fails with 422 and changes nothing", async () => {
        const operations = [
          { op: "add", path: "/data/x", value: "y" },
          { op: "test", path: "/data/k", value: "another" },
        ];
        const { status, body } = await json(operations);
        expect([status, body.reason]).to.deep.equal([422, "Invalid"]);
        expect((await target().admin.get(path)).body.data).to.deep.equal({ k: "v" });
      });
      it("takes a test against null for a test that the field is missing", async () => {
        expect((await json([{ op: "test", path: "/data/missing", value: null }])).status).to.equal(200);
      });
      it("adds with replace to an object what is missing", async () => {
        const { body } = await json([{ op: "replace", path: "/data/missing", value: "x" }]);
        expect(body.data).to.deep.equal({ k: "v", missing: "x" });
      });
      it("changes metadata.resourceVersion by test and gets 422 when it moved on", async () => {
        const test = { op: "test", path: "/metadata/resourceVersion", value: created.metadata.resourceVersion };
        ok(await merge({ data: { k: "between" } }));
        expect((await json([test, { op: "add", path: "/data/x", value: "y" }])).status).to.equal(422);
      });
      const refused: readonly (readonly [string, unknown, number])[] = [
        ["to remove what is missing", [{ op: "remove", path: "/data/missing" }], 422],
        ["to add below what is missing", [{ op: "add", path: "/missing/x", value: 1 }], 422],
        ["an unknown operation", [{ op: "increment", path: "/data/k" }], 422],
        ["a patch that is no list", { op: "add" }, 400],
      ];
      for (const [what, operations, status] of refused) {
        it(`refuses ${what} with ${status}`, async () => {
          expect((await json(operations)).status).to.equal(status);
        });
      }
    });
  });
}
