import { expect } from "chai";
import { before, describe, it } from "mocha";
import { becomes, causes, namespace, ok, type TargetSource, uniqueName } from "./target.js";

const FINALIZER = "contract.example.com/hold";

/** Deleting: finalizers, preconditions, dependents, namespaces. */
export function deletingContract(target: TargetSource): void {
  describe("deleting", () => {
    let maps = "";
    before(async () => {
      maps = `/api/v1/namespaces/${await namespace(target())}/configmaps`;
    });
    const create = async (metadata: object = {}) => {
      const name = uniqueName("map");
      const { body } = ok(await target().admin.post(maps, { metadata: { name, ...metadata } }));
      return { path: `${maps}/${name}`, body };
    };
    const release = (path: string) => target().admin.patch(path, "merge", { metadata: { finalizers: null } });

    it("answers a Status with the uid, and the object is gone", async () => {
      const { path, body } = await create();
      const answer = await target().admin.delete(path);
      const { name, uid } = body.metadata;
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.include({ status: "Success", details: { name, kind: "configmaps", uid } });
      expect((await target().admin.get(path)).status).to.equal(404);
    });
    it("answers 404 for an object that is not there", async () => {
      expect((await target().admin.delete(`${maps}/missing`)).status).to.equal(404);
    });
    it("marks an object with finalizers and keeps it", async () => {
      const { path } = await create({ finalizers: [FINALIZER] });
      const { body } = await target().admin.delete(path);
      expect(body.metadata).to.deep.include({ finalizers: [FINALIZER], deletionGracePeriodSeconds: 0 });
      expect(body.metadata.deletionTimestamp).to.match(/Z$/);
      expect((await target().admin.get(path)).status).to.equal(200);
      ok(await release(path));
    });
    it("changes nothing with a second delete", async () => {
      const { path } = await create({ finalizers: [FINALIZER] });
      const first = await target().admin.delete(path);
      const second = await target().admin.delete(path);
      expect(second.body.metadata.resourceVersion).to.equal(first.body.metadata.resourceVersion);
      ok(await release(path));
    });
    it("removes the object with its last finalizer, and answers its last state", async () => {
      const { path } = await create({ finalizers: [FINALIZER] });
      ok(await target().admin.delete(path));
      const { status, body } = await release(path);
      expect([status, body.metadata.finalizers]).to.deep.equal([200, undefined]);
      expect((await target().admin.get(path)).status).to.equal(404);
    });
    it("still takes changes while finalizers hold it", async () => {
      const { path } = await create({ finalizers: [FINALIZER] });
      ok(await target().admin.delete(path));
      const { body } = await target().admin.patch(path, "merge", { metadata: { labels: { a: "b" } } });
      expect(body.metadata.labels).to.deep.equal({ a: "b" });
      ok(await release(path));
    });
    it("refuses new finalizers on an object under deletion with 422", async () => {
      const { path } = await create({ finalizers: [FINALIZER] });
      ok(await target().admin.delete(path));
      const finalizers = [FINALIZER, "contract.example.com/more"];
      const answer = await target().admin.patch(path, "merge", { metadata: { finalizers } });
      expect(causes(answer)[0]).to.match(/^metadata.finalizers: Forbidden: no new finalizers can be added/);
      ok(await release(path));
    });
    it("says of a name whose object is under deletion that it is taken", async () => {
      const { path, body } = await create({ finalizers: [FINALIZER] });
      ok(await target().admin.delete(path));
      const answer = await target().admin.post(maps, { metadata: { name: body.metadata.name } });
      expect([answer.status, answer.body.reason]).to.deep.equal([409, "AlreadyExists"]);
      expect(answer.body.message).to.match(/^object is being deleted: /);
      ok(await release(path));
    });
    it("refuses a uid precondition that does not hold with 409", async () => {
      const { path } = await create();
      const { status, body } = await target().admin.delete(path, { preconditions: { uid: "another" } });
      expect([status, body.reason]).to.deep.equal([409, "Conflict"]);
    });
    it("refuses a resourceVersion precondition that does not hold with 409", async () => {
      const { path } = await create();
      expect((await target().admin.delete(path, { preconditions: { resourceVersion: "1" } })).status).to.equal(409);
    });
    it("deletes where the preconditions hold", async () => {
      const { path, body } = await create();
      const { uid, resourceVersion } = body.metadata;
      expect((await target().admin.delete(path, { preconditions: { uid, resourceVersion } })).status).to.equal(200);
    });
    it("deletes nothing on a dry run", async () => {
      const { path } = await create();
      expect((await target().admin.delete(path, { dryRun: ["All"] })).status).to.equal(200);
      expect((await target().admin.get(path)).status).to.equal(200);
    });
    it("refuses an unknown propagation policy with 422", async () => {
      const { path } = await create();
      expect((await target().admin.delete(path, { propagationPolicy: "Sideways" })).status).to.equal(422);
    });
    it("deletes a collection by selector, and answers what was deleted", async () => {
      const label = uniqueName("group");
      await create({ labels: { label } });
      await create({ labels: { label } });
      const { path } = await create();
      const { body } = await target().admin.delete(maps, undefined, { labelSelector: `label=${label}` });
      const left = await target().admin.get(maps, { labelSelector: `label=${label}` });
      expect([body.items?.length, left.body.items, (await target().admin.get(path)).status]).to.deep.equal([
        2,
        [],
        200,
      ]);
    });

    describe("dependents", () => {
      const owned = async (blockOwnerDeletion = false, metadata: object = {}) => {
        const owner = await create();
        const { name, uid } = owner.body.metadata;
        const reference = { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion };
        return { owner, dependent: await create({ ownerReferences: [reference], ...metadata }) };
      };

      it("go after their owner", async () => {
        const { owner, dependent } = await owned();
        ok(await target().admin.delete(owner.path));
        await becomes(target(), dependent.path, 404);
      });
      it("stay, without the owner, when they are orphaned", async () => {
        const { owner, dependent } = await owned();
        ok(await target().admin.delete(owner.path, { propagationPolicy: "Orphan" }));
        await becomes(target(), owner.path, 404);
        expect((await target().admin.get(dependent.path)).body.metadata).to.not.have.property("ownerReferences");
      });
      it("go before their owner in the foreground", async () => {
        const { owner, dependent } = await owned(true, { finalizers: [FINALIZER] });
        const { body } = await target().admin.delete(owner.path, { propagationPolicy: "Foreground" });
        expect(body.metadata.finalizers).to.deep.equal(["foregroundDeletion"]);
        expect((await target().admin.get(owner.path)).status).to.equal(200);
        ok(await release(dependent.path));
        await becomes(target(), owner.path, 404);
        expect((await target().admin.get(dependent.path)).status).to.equal(404);
      });
      it("go when their owner was never there", async () => {
        const reference = { apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid: "ghost" };
        const { path } = await create({ ownerReferences: [reference] });
        await becomes(target(), path, 404);
      });
      it("stay as long as one of their owners is there", async () => {
        const { owner, dependent } = await owned();
        const second = await create();
        const { name, uid } = second.body.metadata;
        const ownerReferences = [
          ...(dependent.body.metadata.ownerReferences ?? []),
          { apiVersion: "v1", kind: "ConfigMap", name, uid },
        ];
        ok(await target().admin.patch(dependent.path, "merge", { metadata: { ownerReferences } }));
        ok(await target().admin.delete(owner.path));
        await becomes(target(), owner.path, 404);
        expect((await target().admin.get(dependent.path)).status).to.equal(200);
      });
    });

    describe("a namespace", () => {
      it("terminates while something in it is held, then goes", async () => {
        const name = await namespace(target());
        const held = `/api/v1/namespaces/${name}/configmaps/held`;
        const metadata = { name: "held", finalizers: [FINALIZER] };
        ok(await target().admin.post(`/api/v1/namespaces/${name}/configmaps`, { metadata }));
        const { body } = await target().admin.delete(`/api/v1/namespaces/${name}`);
        expect(body.status).to.deep.include({ phase: "Terminating" });
        const late = await target().admin.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "late" } });
        expect([late.status, late.body.reason]).to.deep.equal([403, "Forbidden"]);
        expect(late.body.details?.causes?.[0]?.reason).to.equal("NamespaceTerminating");
        ok(await release(held));
        await becomes(target(), `/api/v1/namespaces/${name}`, 404);
      });
      it("takes its content with it", async () => {
        const name = await namespace(target());
        const path = `/api/v1/namespaces/${name}/secrets/inside`;
        ok(await target().admin.post(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: "inside" } }));
        ok(await target().admin.delete(`/api/v1/namespaces/${name}`));
        await becomes(target(), path, 404);
        await becomes(target(), `/api/v1/namespaces/${name}`, 404);
      });
      it("is active and labelled with its name", async () => {
        const name = await namespace(target());
        const { body } = await target().admin.get(`/api/v1/namespaces/${name}`);
        expect(body.metadata.labels).to.deep.equal({ "kubernetes.io/metadata.name": name });
        expect([body.status, body.spec]).to.deep.equal([{ phase: "Active" }, { finalizers: ["kubernetes"] }]);
      });
      it("named default can't be deleted", async () => {
        expect((await target().admin.delete("/api/v1/namespaces/default")).status).to.equal(403);
      });
      it("can't be deleted with all others", async () => {
        expect((await target().admin.delete("/api/v1/namespaces")).status).to.equal(405);
      });
    });
  });
}
