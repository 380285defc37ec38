import { expect } from "chai";
import { before, describe, it } from "mocha";
import { causes, namespace, type TargetSource, uniqueName } from "./target.js";

/** Creating objects: names, what the server sets, what it refuses. */
export function creatingContract(target: TargetSource): void {
  describe("creating", () => {
    let space = "";
    let maps = "";
    before(async () => {
      space = await namespace(target());
      maps = `/api/v1/namespaces/${space}/configmaps`;
    });
    const create = (metadata: object, query = {}) => target().admin.post(maps, { metadata, data: { a: "b" } }, query);

    it("answers 201 with the object as stored", async () => {
      const { status, body } = await create({ name: "plain", labels: { a: "b" } });
      expect(status).to.equal(201);
      expect(body).to.deep.include({ kind: "ConfigMap", data: { a: "b" } });
      expect(body.metadata).to.deep.include({ name: "plain", namespace: space, labels: { a: "b" } });
    });
    it("makes a name of generateName and 5 characters", async () => {
      const { body } = await create({ generateName: "made-" });
      expect(body.metadata.name).to.match(/^made-[a-z0-9]{5}$/);
    });
    it("refuses a name that is taken with 409 AlreadyExists", async () => {
      await create({ name: "taken" });
      const { status, body } = await create({ name: "taken" });
      expect([status, body.reason]).to.deep.equal([409, "AlreadyExists"]);
      expect(body.message).to.equal('configmaps "taken" already exists');
    });
    it("refuses an object without a name with 422", async () => {
      const answer = await create({});
      expect(answer.status).to.equal(422);
      expect(causes(answer)).to.deep.equal(["metadata.name: Required value: name or generateName is required"]);
    });
    it("refuses a name that is no DNS subdomain with 422", async () => {
      const answer = await create({ name: "Not_A_Name" });
      expect(answer.status).to.equal(422);
      expect(causes(answer)[0]).to.match(/^metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/);
    });
    it("refuses a label key that is none with 422", async () => {
      const answer = await create({ name: "bad-label", labels: { "a b": "c" } });
      expect(causes(answer)[0]).to.match(/^metadata.labels: Invalid value: "a b": name part must consist of/);
    });
    it("refuses a label value that is none with 422", async () => {
      const answer = await create({ name: "bad-value", labels: { a: "b c" } });
      expect(causes(answer)[0]).to.match(/^metadata.labels: Invalid value: "b c": a valid label must be/);
    });
    it("refuses a finalizer that is no qualified name with 422", async () => {
      const answer = await create({ name: "bad-finalizer", finalizers: ["a b"] });
      expect(causes(answer)[0]).to.match(/^metadata.finalizers: Invalid value: "a b"/);
    });
    it("refuses an owner reference without kind and uid with 422", async () => {
      const answer = await create({ name: "bad-owner", ownerReferences: [{ apiVersion: "v1", name: "x" }] });
      const fields = (answer.body.details?.causes ?? []).map(({ field }) => field);
      expect(fields).to.deep.equal(["metadata.ownerReferences.kind", "metadata.ownerReferences.uid"]);
    });
    it("refuses a namespace that is not there with 404", async () => {
      const missing = uniqueName("missing");
      const answer = await target().admin.post(`/api/v1/namespaces/${missing}/configmaps`, { metadata: { name: "a" } });
      expect([answer.status, answer.body.message]).to.deep.equal([404, `namespaces "${missing}" not found`]);
    });
    it("refuses a namespace other than the path's with 400", async () => {
      const { status } = await create({ name: "elsewhere", namespace: "default" });
      expect(status).to.equal(400);
    });
    it("refuses a namespaced object outside of a namespace with 405", async () => {
      const { status, body } = await target().admin.post("/api/v1/configmaps", { metadata: { name: "a" } });
      expect([status, body.reason]).to.deep.equal([405, "MethodNotAllowed"]);
    });
    it("refuses another kind than the path's with 400", async () => {
      const { status } = await target().admin.post(maps, { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } });
      expect(status).to.equal(400);
    });
    it("refuses a body that is not JSON with 400", async () => {
      expect((await target().admin.post(maps, "{nothing")).status).to.equal(400);
    });
    it("refuses labels that are no texts with 400", async () => {
      expect((await create({ name: "numbers", labels: { a: 5 } })).status).to.equal(400);
    });
    it("refuses an object with a resourceVersion with 500", async () => {
      expect((await create({ name: "versioned", resourceVersion: "5" })).status).to.equal(500);
    });
    it("sets uid and times itself, whatever is given", async () => {
      const { body } = await create({ name: "own", uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z" });
      expect(body.metadata.uid).to.match(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
      expect(body.metadata.creationTimestamp).to.not.match(/^2001/);
    });
    it("drops a deletionTimestamp that is given", async () => {
      const { body } = await create({ name: "not-deleted", deletionTimestamp: "2001-01-01T00:00:00Z" });
      expect(body.metadata.deletionTimestamp).to.equal(undefined);
    });
    it("stores nothing on a dry run, and answers as if", async () => {
      const { status, body } = await create({ name: "dry" }, { dryRun: "All" });
      expect([status, body.metadata.resourceVersion]).to.deep.equal([201, undefined]);
      expect((await target().admin.get(`${maps}/dry`)).status).to.equal(404);
    });
    it("refuses on a dry run what it would refuse", async () => {
      expect((await create({ name: "Bad_Name" }, { dryRun: "All" })).status).to.equal(422);
    });
    it("refuses another dryRun than All with 422", async () => {
      expect((await create({ name: "dry" }, { dryRun: "Some" })).status).to.equal(422);
    });
    it("accepts YAML", async () => {
      const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\n";
      const { status } = await target().admin.send({
        method: "POST",
        path: maps,
        body,
        contentType: "application/yaml",
      });
      expect(status).to.equal(201);
    });
    it("moves stringData of a Secret to data, in base64", async () => {
      const secret = { metadata: { name: "secret" }, stringData: { a: "hello" }, data: { b: "aGVsbG8=" } };
      const { body } = await target().admin.post(`/api/v1/namespaces/${space}/secrets`, secret);
      expect(body).to.deep.include({ type: "Opaque", data: { a: "aGVsbG8=", b: "aGVsbG8=" } });
      expect(body).to.not.have.property("stringData");
    });
    it("refuses data of a Secret that is no base64 with 400", async () => {
      const secret = { metadata: { name: "bad" }, data: { b: "!!" } };
      expect((await target().admin.post(`/api/v1/namespaces/${space}/secrets`, secret)).status).to.equal(400);
    });
    it("warns of unknown fields and leaves them out", async () => {
      const object = { metadata: { name: "warned", bogus: 1 }, other: 1 };
      const { status, warnings, body } = await target().admin.post(maps, object);
      expect(status).to.equal(201);
      expect(warnings).to.deep.equal(['unknown field "metadata.bogus"', 'unknown field "other"']);
      expect(body).to.not.have.property("other");
    });
    it("refuses unknown fields with 400 under fieldValidation=Strict", async () => {
      const object = { metadata: { name: "strict" }, other: 1 };
      const { status, body } = await target().admin.post(maps, object, { fieldValidation: "Strict" });
      expect(status).to.equal(400);
      expect(body.message).to.match(/strict decoding error: unknown field "other"$/);
    });
    it("is silent about unknown fields under fieldValidation=Ignore", async () => {
      const object = { metadata: { name: "ignored" }, other: 1 };
      const { warnings } = await target().admin.post(maps, object, { fieldValidation: "Ignore" });
      expect(warnings).to.deep.equal([]);
    });
    it("refuses an unknown fieldValidation with 422", async () => {
      expect((await create({ name: "odd" }, { fieldValidation: "Sometimes" })).status).to.equal(422);
    });
  });
}
