import { expect } from "chai";
import { before, beforeEach, describe, it } from "mocha";
import { causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** Server-side apply, and fields that no schema has. */
export function applyingContract(target: TargetSource): void {
  describe("applying on the server", () => {
    let space = "";
    let path = "";
    before(async () => {
      space = await namespace(target());
    });
    beforeEach(() => {
      path = `/apis/apps/v1/namespaces/${space}/deployments/${uniqueName("app")}`;
    });
    const apply = (fields: object, query = {}) => {
      const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: path.split("/").at(-1) }, ...fields };
      return target().admin.patch(path, "apply", body, { fieldManager: "one", ...query });
    };
    const spec = (more: object = {}, names = ["a"]) => {
      const containers = names.map((name) => ({ name, image: "example/web:1" }));
      const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
      return { spec: { selector: { matchLabels: { app: "web" } }, template, ...more } };
    };
    const containers = async () => {
      const { body } = await target().admin.get(path);
      const { template } = body.spec as { template: { spec: { containers: { name: string; image: string }[] } } };
      return template.spec.containers.map(({ name }) => name);
    };

    it("creates an object that is not there, and changes it the next time", async () => {
      const first = await apply(spec({ replicas: 2 }));
      expect([first.status, first.body.spec?.["replicas"]]).to.deep.equal([201, 2]);
      const second = await apply(spec({ replicas: 3 }));
      expect([second.status, second.body.spec?.["replicas"]]).to.deep.equal([200, 3]);
    });
    it("removes what the manager applies no longer, and nothing else", async () => {
      ok(await apply({ ...spec({ minReadySeconds: 3 }, ["a", "b"]) }));
      ok(await target().admin.patch(path, "merge", { metadata: { annotations: { by: "hand" } } }));
      const { body } = ok(await apply(spec()));
      expect(body.spec).not.to.have.property("minReadySeconds");
      // The server's own controllers may add annotations at any moment.
      expect(body.metadata.annotations).to.include({ by: "hand" });
      expect(await containers()).to.deep.equal(["a"]);
    });
    it("keeps what another manager applies", async () => {
      ok(await apply(spec({}, ["a"])));
      const own = { spec: { template: { spec: { containers: [{ name: "b", image: "example/b:1" }] } } } };
      ok(await apply(own, { fieldManager: "two" }));
      ok(await apply(spec({}, ["a"])));
      expect((await containers()).sort()).to.deep.equal(["a", "b"]);
    });
    it("refuses with 409 to change what another manager applied, unless it is forced to", async () => {
      ok(await apply(spec({ replicas: 2 })));
      const answer = await apply({ spec: { replicas: 5 } }, { fieldManager: "two" });
      expect([answer.status, answer.body.reason]).to.deep.equal([409, "Conflict"]);
      expect(answer.body.message).to.equal('Apply failed with 1 conflict: conflict with "one": .spec.replicas');
      expect(causes(answer)).to.deep.equal(['.spec.replicas: conflict with "one"']);
      const forced = ok(await apply({ spec: { replicas: 5 } }, { fieldManager: "two", force: true }));
      expect(forced.body.spec?.["replicas"]).to.equal(5);
      expect((await apply(spec({ replicas: 2 }))).status).to.equal(409);
      ok(await apply({ spec: { replicas: 6 } }, { fieldManager: "two" }));
    });
    it("refuses a request without a manager with 422", async () => {
      const answer = await apply(spec(), { fieldManager: "" });
      expect(answer.status).to.equal(422);
      expect(causes(answer)).to.deep.equal(["fieldManager: Required value: is required for apply patch"]);
    });
    it("writes nothing on a dry run", async () => {
      expect((await apply(spec(), { dryRun: "All" })).status).to.equal(201);
      expect((await target().admin.get(path)).status).to.equal(404);
    });
    it("refuses a field that no schema has with 500", async () => {
      const { status, body } = await apply(spec({ replica: 2 }));
      expect(status).to.equal(500);
      expect(body.message).to.match(
        /^failed to create typed patch object .*: .*\.spec\.replica: field not declared in schema$/,
      );
    });
    it("reports unknown fields of built-in kinds as asked for", async () => {
      const object = { metadata: { name: path.split("/").at(-1) }, ...spec({ replica: 2 }) };
      const collection = path.slice(0, path.lastIndexOf("/"));
      const strict = await target().admin.post(collection, object, { fieldValidation: "Strict" });
      expect(strict.status).to.equal(400);
      expect(strict.body.message).to.include('strict decoding error: unknown field "spec.replica"');
      const warned = await target().admin.post(collection, object, { fieldValidation: "Warn" });
      expect([warned.status, warned.warnings]).to.deep.equal([201, ['unknown field "spec.replica"']]);
      expect(warned.body.spec).not.to.have.property("replica");
    });
  });
}
