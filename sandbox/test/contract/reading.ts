import { expect } from "chai";
import { before, describe, it } from "mocha";
import { namespace, ok, type TargetSource, uniqueName } from "./target.js";

/** Reading objects and lists: answers, order, selectors. */
export function readingContract(target: TargetSource): void {
  describe("reading", () => {
    let maps = "";
    before(async () => {
      const name = await namespace(target());
      maps = `/api/v1/namespaces/${name}/configmaps`;
      for (const [index, color] of ["red", "blue", "red"].entries()) {
        const labels = { "contract-test": "yes", color, number: String(index) };
        ok(await target().admin.post(maps, { metadata: { name: `map-${index}`, labels }, data: { key: color } }));
      }
    });
    const names = async (selector: Record<string, string>) => {
      const answer = ok(await target().admin.get(maps, { ...selector }));
      return (answer.body.items ?? []).map((item) => item.metadata.name).filter((name) => name.startsWith("map-"));
    };

    it("answers an object with its kind, apiVersion and server-set metadata", async () => {
      const { status, body } = await target().admin.get(`${maps}/map-0`);
      expect(status).to.equal(200);
      expect(body).to.include({ kind: "ConfigMap", apiVersion: "v1" });
      expect(body.metadata).to.include.keys("uid", "resourceVersion", "creationTimestamp", "namespace");
    });
    it("writes times in whole seconds of UTC", async () => {
      const { body } = await target().admin.get(`${maps}/map-0`);
      expect(body.metadata.creationTimestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });
    it("answers 404 with a Status for an object that is not there", async () => {
      const { status, body } = await target().admin.get(`${maps}/missing`);
      expect(status).to.equal(404);
      expect(body).to.deep.include({ kind: "Status", reason: "NotFound", message: 'configmaps "missing" not found' });
      expect(body.details).to.deep.equal({ name: "missing", kind: "configmaps" });
    });
    it("answers 404 for a resource that is not there", async () => {
      const { status, body } = await target().admin.get("/api/v1/nothings");
      expect([status, body.reason]).to.deep.equal([404, "NotFound"]);
    });
    it("answers 404 in plain text for a group that is not there", async () => {
      const { status, text } = await target().admin.get("/apis/nothing.example.com/v1/things");
      expect([status, text]).to.deep.equal([404, "404 page not found\n"]);
    });
    it("answers a list with its kind and resourceVersion", async () => {
      const { body } = ok(await target().admin.get(maps));
      expect(body).to.include({ kind: "ConfigMapList", apiVersion: "v1" });
      expect(body.metadata.resourceVersion).to.match(/^\d+$/);
    });
    it("leaves kind and apiVersion out of the items of lists of built-in kinds", async () => {
      const { body } = ok(await target().admin.get(maps, { labelSelector: "contract-test=yes" }));
      for (const item of body.items ?? []) expect(item).to.not.have.any.keys("kind", "apiVersion");
    });
    it("orders lists by namespace and name", async () => {
      expect(await names({})).to.deep.equal(["map-0", "map-1", "map-2"]);
    });
    it("answers an empty list for a namespace that is not there", async () => {
      const { status, body } = await target().admin.get(`/api/v1/namespaces/${uniqueName("none")}/configmaps`);
      expect([status, body.items]).to.deep.equal([200, []]);
    });
    it("lists over all namespaces", async () => {
      const { body } = ok(await target().admin.get("/api/v1/configmaps", { labelSelector: "contract-test=yes" }));
      expect(body.items?.length).to.be.at.least(3);
    });

    const selectors: readonly (readonly [string, readonly string[]])[] = [
      ["color=red", ["map-0", "map-2"]],
      ["color==red,number=2", ["map-2"]],
      ["color!=red,contract-test", ["map-1"]],
      ["color in (blue, green)", ["map-1"]],
      ["color notin (blue),contract-test=yes", ["map-0", "map-2"]],
      ["!color", []],
      ["number>0", ["map-1", "map-2"]],
      ["number<1", ["map-0"]],
    ];
    for (const [selector, expected] of selectors) {
      it(`selects by labels: ${selector}`, async () => {
        expect(await names({ labelSelector: selector })).to.deep.equal(expected);
      });
    }
    it("refuses a label selector that does not parse with 400", async () => {
      const { status, body } = await target().admin.get(maps, { labelSelector: "color in (" });
      expect([status, body.reason]).to.deep.equal([400, "BadRequest"]);
      expect(body.message).to.match(/^unable to parse requirement: /);
    });
    it("selects by the field metadata.name", async () => {
      expect(await names({ fieldSelector: "metadata.name=map-1" })).to.deep.equal(["map-1"]);
    });
    it("selects by several fields, with inequality", async () => {
      const [, , , space = ""] = maps.split("/");
      const fieldSelector = `metadata.name!=map-1,metadata.namespace==${maps.split("/")[4] ?? space}`;
      expect(await names({ fieldSelector })).to.deep.equal(["map-0", "map-2"]);
    });
    it("refuses a field that can't be selected by with 400", async () => {
      const { status, body } = await target().admin.get(maps, { fieldSelector: "data.key=red" });
      expect([status, body.reason]).to.deep.equal([400, "BadRequest"]);
    });
    it("refuses a field selector that does not parse with 400", async () => {
      const { status, body } = await target().admin.get(maps, { fieldSelector: "bogus" });
      expect([status, body.message]).to.deep.equal([400, "invalid selector: 'bogus'; can't understand 'bogus'"]);
    });
  });
}
