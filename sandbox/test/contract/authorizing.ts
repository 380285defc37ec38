import { expect } from "chai";
import { before, describe, it } from "mocha";
import type { ApiClient } from "./api-client.js";
import { namespace, ok, type TargetSource } from "./target.js";

/** Who may do what: tokens, rules, the words of refusals. */
export function authorizingContract(target: TargetSource): void {
  describe("authorizing", () => {
    let space = "";
    let client: ApiClient;
    let user = "";
    before(async () => {
      space = await namespace(target());
      ok(await target().admin.post(`/api/v1/namespaces/${space}/configmaps`, { metadata: { name: "allowed" } }));
      const core = { apiGroups: [""] };
      ({ client, user } = await target().restricted([
        { ...core, verbs: ["get", "list", "watch"], resources: ["nodes"] },
        { ...core, verbs: ["list"], resources: ["secrets"], namespaces: [space] },
        { ...core, verbs: ["get"], resources: ["configmaps"], resourceNames: ["allowed"], namespaces: [space] },
        { ...core, verbs: ["patch"], resources: ["nodes/status"] },
      ]));
    });

    it("refuses an unknown token with 401", async () => {
      const { status, body } = await target().admin.as("not-a-token").get("/api/v1/nodes");
      expect([status, body.reason, body.message]).to.deep.equal([401, "Unauthorized", "Unauthorized"]);
    });
    it("refuses the anonymous with 403", async () => {
      const { status, body } = await target().admin.as(undefined).get("/api/v1/nodes");
      expect(status).to.equal(403);
      expect(body.message).to.match(/User "system:anonymous" cannot list resource "nodes"/);
    });
    it("answers an anonymous caller that it is ready, and its version", async () => {
      const anonymous = target().admin.as(undefined);
      for (const path of ["/readyz", "/healthz", "/livez"]) expect((await anonymous.get(path)).text).to.equal("ok");
      expect((await anonymous.get("/version")).status).to.equal(200);
    });
    it("lets through what is allowed in the cluster", async () => {
      expect((await client.get("/api/v1/nodes")).status).to.equal(200);
    });
    it("refuses another verb, in its words", async () => {
      const { status, body } = await client.delete("/api/v1/nodes/some");
      expect([status, body.reason]).to.deep.equal([403, "Forbidden"]);
      expect(body.message).to.equal(
        `nodes "some" is forbidden: User "${user}" cannot delete resource "nodes" in API group "" at the cluster scope`,
      );
      expect(body.details).to.deep.equal({ name: "some", kind: "nodes" });
    });
    it("refuses a resource of another group, in its words", async () => {
      const { body } = await client.get(`/apis/batch/v1/namespaces/${space}/jobs`);
      expect(body.message).to.equal(
        `jobs.batch is forbidden: User "${user}" cannot list resource "jobs" in API group "batch" in the namespace "${space}"`,
      );
    });
    it("lets through what is allowed in a namespace, and there only", async () => {
      expect((await client.get(`/api/v1/namespaces/${space}/secrets`)).status).to.equal(200);
      expect((await client.get("/api/v1/namespaces/default/secrets")).status).to.equal(403);
      expect((await client.get("/api/v1/secrets")).status).to.equal(403);
    });
    it("lets through what is allowed for a name, and that only", async () => {
      expect((await client.get(`/api/v1/namespaces/${space}/configmaps/allowed`)).status).to.equal(200);
      expect((await client.get(`/api/v1/namespaces/${space}/configmaps/other`)).status).to.equal(403);
      expect((await client.get(`/api/v1/namespaces/${space}/configmaps`)).status).to.equal(403);
    });
    it("distinguishes a subresource from its resource", async () => {
      const { status } = await client.patch("/api/v1/nodes/missing/status", "merge", {});
      expect(status).to.equal(404);
      const { body } = await client.patch("/api/v1/nodes/missing", "merge", {});
      expect(body.message).to.contain('cannot patch resource "nodes" in API group ""');
    });
    it("distinguishes a watch from a list", async () => {
      const { body } = await client.get(`/api/v1/namespaces/${space}/secrets`, { watch: true });
      expect(body.message).to.contain('cannot watch resource "secrets"');
    });
    it("refuses before it looks whether the object is there", async () => {
      expect((await client.get("/api/v1/namespaces/nowhere/pods/missing")).status).to.equal(403);
    });
    it("answers kubectl auth can-i", async () => {
      const allowed = async (verb: string) => {
        const review = {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes: { verb, resource: "nodes" } },
        };
        const { body } = await client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
        return body.status;
      };
      expect(await allowed("list")).to.include({ allowed: true });
      expect(await allowed("delete")).to.include({ allowed: false });
    });
  });
}
