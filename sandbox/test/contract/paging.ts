import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import type { Answer } from "./api-client.js";
import { Things } from "./custom/thing-definition.js";
import { namespace, ok, type TargetSource } from "./target.js";

/** Pages of lists, and lists at resource versions. */
export function pagingContract(target: TargetSource): void {
  describe("paging and resource versions", () => {
    let secrets = "";
    before(async () => {
      secrets = `/api/v1/namespaces/${await namespace(target())}/secrets`;
      for (const name of ["a", "b", "c", "d", "e"]) {
        ok(await target().admin.post(secrets, { metadata: { name, labels: { odd: String("ace".includes(name)) } } }));
      }
    });
    const namesOf = ({ body }: Answer) => (body.items ?? []).map((item) => item.metadata.name);
    const get = (query: Record<string, string | number>) => target().admin.get(secrets, query);
    const future = async () => Number((await get({})).body.metadata.resourceVersion) + 1_000_000;

    it("pages through a list with limit and continue", async () => {
      const first = await get({ limit: 2 });
      const second = await get({ limit: 2, continue: first.body.metadata.continue ?? "" });
      const third = await get({ limit: 2, continue: second.body.metadata.continue ?? "" });
      expect([namesOf(first), namesOf(second), namesOf(third)]).to.deep.equal([["a", "b"], ["c", "d"], ["e"]]);
      expect(third.body.metadata.continue ?? "").to.equal("");
    });
    it("says how many items remain", async () => {
      const { body } = await get({ limit: 2 });
      expect(body.metadata.remainingItemCount).to.equal(3);
    });
    it("does not say how many remain where a selector selects", async () => {
      const { body } = await get({ limit: 2, labelSelector: "odd=true" });
      expect(body.metadata.remainingItemCount).to.equal(undefined);
    });
    it("pages through what a selector selects", async () => {
      const first = await get({ limit: 2, labelSelector: "odd=true" });
      const second = await get({ limit: 2, labelSelector: "odd=true", continue: first.body.metadata.continue ?? "" });
      expect([namesOf(first), namesOf(second)]).to.deep.equal([["a", "c"], ["e"]]);
    });
    it("gives the rest of the list with continue and no limit", async () => {
      const first = await get({ limit: 2 });
      expect(namesOf(await get({ continue: first.body.metadata.continue ?? "" }))).to.deep.equal(["c", "d", "e"]);
    });
    it("shows the same state and version on all pages, whatever is written meanwhile", async () => {
      const first = await get({ limit: 1 });
      ok(await target().admin.post(secrets, { metadata: { name: "bb" } }));
      const rest = await get({ continue: first.body.metadata.continue ?? "" });
      ok(await target().admin.delete(`${secrets}/bb`));
      expect(namesOf(rest)).to.deep.equal(["b", "c", "d", "e"]);
      expect(rest.body.metadata.resourceVersion).to.equal(first.body.metadata.resourceVersion);
    });
    it("ignores limit=0 and gives everything", async () => {
      expect(namesOf(await get({ limit: 0 }))).to.have.length(5);
    });
    it("refuses a limit that is no number with 400", async () => {
      expect((await get({ limit: "x" })).status).to.equal(400);
    });
    it("refuses a continue token that it has not given with 400", async () => {
      const { status, body } = await get({ continue: "garbage" });
      expect([status, body.reason]).to.deep.equal([400, "BadRequest"]);
    });
    it("refuses continue together with a resourceVersion with 400", async () => {
      const first = await get({ limit: 2 });
      const { status } = await get({ continue: first.body.metadata.continue ?? "", resourceVersion: 3 });
      expect(status).to.equal(400);
    });
    it("gives any state for resourceVersion=0, whole whatever the limit", async () => {
      const answer = await get({ resourceVersion: 0, limit: 2 });
      expect([answer.status, namesOf(answer).length, answer.body.metadata.continue ?? ""]).to.deep.equal([200, 5, ""]);
    });
    it("gives a state not older than a version that is reached", async () => {
      const version = (await get({})).body.metadata.resourceVersion;
      const answer = await get({ resourceVersion: version, resourceVersionMatch: "NotOlderThan", limit: 1 });
      expect(answer.status).to.equal(200);
      expect(Number(answer.body.metadata.resourceVersion)).to.be.at.least(Number(version));
    });
    it("answers 504 with cause ResourceVersionTooLarge to NotOlderThan a version of the future", async () => {
      const answer = await get({ resourceVersion: await future(), resourceVersionMatch: "NotOlderThan", limit: 1 });
      expect([answer.status, answer.body.reason]).to.deep.equal([504, "Timeout"]);
      expect(answer.body.details?.causes?.[0]?.reason).to.equal("ResourceVersionTooLarge");
      expect([answer.body.details?.retryAfterSeconds, answer.retryAfter]).to.deep.equal([1, "1"]);
    });
    it("answers 504 to a get of a version of the future", async () => {
      const { status } = await target().admin.get(`${secrets}/a`, { resourceVersion: await future() });
      expect(status).to.equal(504);
    });
    it("gives exactly the state of a version", async () => {
      const version = (await get({})).body.metadata.resourceVersion;
      ok(await target().admin.post(secrets, { metadata: { name: "later" } }));
      const answer = await get({ resourceVersion: version, resourceVersionMatch: "Exact" });
      ok(await target().admin.delete(`${secrets}/later`));
      expect(namesOf(answer)).to.deep.equal(["a", "b", "c", "d", "e"]);
      expect(answer.body.metadata.resourceVersion).to.equal(version);
    });
    it("refuses a resourceVersion that is no number with 400", async () => {
      expect((await get({ resourceVersion: "x" })).status).to.equal(400);
    });
    const refused: readonly (readonly [string, Record<string, string>])[] = [
      ["resourceVersionMatch without a resourceVersion", { resourceVersionMatch: "Exact" }],
      ["an unknown resourceVersionMatch", { resourceVersionMatch: "Newest", resourceVersion: "1" }],
      ["exactly version 0", { resourceVersionMatch: "Exact", resourceVersion: "0" }],
      ["sendInitialEvents on a list", { sendInitialEvents: "true" }],
    ];
    for (const [what, query] of refused) {
      it(`refuses ${what} with 422`, async () => {
        const { status, body } = await get(query);
        expect([status, body.reason]).to.deep.equal([422, "Invalid"]);
      });
    }

    // Memory of a kind begins with its definition, so version 2 is before it once the storage has forgotten it too.
    describe("from before the history", () => {
      let things: Things;
      before(async () => {
        things = await Things.define(target(), await namespace(target()), { type: "object" });
        await things.create(undefined, "a");
        await things.create(undefined, "b");
        await target().compact();
      });
      after(() => things.drop());

      it("answers 410 Expired to a token, with one to go on without consistency", async () => {
        const start = { v: "meta.k8s.io/v1", rv: 2, start: "/a\u0000" };
        const token = Buffer.from(JSON.stringify(start)).toString("base64url");
        const { status, body } = await target().admin.get(things.path, { continue: token, limit: 2 });
        expect([status, body.reason]).to.deep.equal([410, "Expired"]);
        const rest = await target().admin.get(things.path, { continue: body.metadata.continue ?? "" });
        expect([rest.status, namesOf(rest)]).to.deep.equal([200, ["b"]]);
      });
      it("answers 410 Expired to exactly the state of a version", async () => {
        const query = { resourceVersion: 2, resourceVersionMatch: "Exact" };
        const { status, body } = await target().admin.get(things.path, query);
        expect([status, body.reason]).to.deep.equal([410, "Expired"]);
      });
    });
  });
}
