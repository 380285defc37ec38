import { expect } from "chai";
import { before, describe, it } from "mocha";
import type { Event, Query } from "./api-client.js";
import { becomes, DEFINITIONS, namespace, ok, type TargetSource, uniqueName } from "./target.js";

const INITIAL = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true } as const;
const END_ANNOTATION = "k8s.io/initial-events-end";

function short({ type, object }: Event): string {
  return `${type} ${object.metadata.name}`;
}

/** Watches: what they send, from when, to whom, and when it ends. */
export function watchingContract(target: TargetSource): void {
  describe("watching", () => {
    let secrets = "";
    const create = (name: string, labels: Record<string, string> = {}) =>
      target().admin.post(secrets, { metadata: { name, labels } });
    const version = async () => (await target().admin.get(secrets)).body.metadata.resourceVersion;
    const open = (query: Query = {}) => target().admin.watch(secrets, query);
    before(async () => {
      secrets = `/api/v1/namespaces/${await namespace(target())}/secrets`;
      ok(await create("first"));
      ok(await create("second"));
    });

    it("begins with the current objects where no version is given", async () => {
      const watch = await open();
      const events = await watch.take(2);
      watch.close();
      expect(events.map(short)).to.deep.equal(["ADDED first", "ADDED second"]);
    });
    it("begins with the current objects for version 0", async () => {
      const watch = await open({ resourceVersion: 0 });
      const events = await watch.take(2);
      watch.close();
      expect(events.map(short)).to.deep.equal(["ADDED first", "ADDED second"]);
    });
    it("sends creations, changes and deletions after a version, each with its own version", async () => {
      const watch = await open({ resourceVersion: await version() });
      ok(await create("one"));
      ok(await target().admin.patch(`${secrets}/one`, "merge", { metadata: { labels: { a: "b" } } }));
      ok(await target().admin.delete(`${secrets}/one`));
      const events = await watch.take(3);
      watch.close();
      expect(events.map(short)).to.deep.equal(["ADDED one", "MODIFIED one", "DELETED one"]);
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).to.deep.equal([...new Set(versions)].sort((a, b) => a - b));
    });
    it("sends objects with kind and apiVersion", async () => {
      const watch = await open();
      const [event] = await watch.take(1);
      watch.close();
      expect(event?.object).to.include({ kind: "Secret", apiVersion: "v1" });
    });
    it("sends what happened between the version and now", async () => {
      const before = await version();
      ok(await create("past"));
      ok(await target().admin.delete(`${secrets}/past`));
      const watch = await open({ resourceVersion: before });
      const events = await watch.take(2);
      watch.close();
      expect(events.map(short)).to.deep.equal(["ADDED past", "DELETED past"]);
    });
    it("gives the last state of a deleted object", async () => {
      const watch = await open({ resourceVersion: await version() });
      ok(await create("last", { final: "yes" }));
      ok(await target().admin.delete(`${secrets}/last`));
      const events = await watch.take(2);
      watch.close();
      expect(events[1]?.object.metadata.labels).to.deep.equal({ final: "yes" });
    });
    it("sends no event for a write that changes nothing", async () => {
      ok(await create("still", { a: "b" }));
      const watch = await open({ resourceVersion: await version() });
      ok(await target().admin.patch(`${secrets}/still`, "merge", { metadata: { labels: { a: "b" } } }));
      ok(await target().admin.delete(`${secrets}/still`));
      const [event] = await watch.take(1);
      watch.close();
      expect(event?.type).to.equal("DELETED");
    });
    it("shows an object that no longer fits the selector as deleted, in its old state and the new version", async () => {
      const watch = await open({ resourceVersion: await version(), labelSelector: "wanted=yes" });
      ok(await create("picky", { wanted: "yes" }));
      const path = `${secrets}/picky`;
      const changed = ok(await target().admin.patch(path, "merge", { metadata: { labels: { wanted: "no" } } }));
      ok(await target().admin.patch(path, "merge", { metadata: { labels: { wanted: "yes" } } }));
      const events = await watch.take(3);
      watch.close();
      ok(await target().admin.delete(path));
      expect(events.map(({ type }) => type)).to.deep.equal(["ADDED", "DELETED", "ADDED"]);
      expect(events[1]?.object.metadata).to.deep.include({
        labels: { wanted: "yes" },
        resourceVersion: changed.body.metadata.resourceVersion,
      });
    });
    it("sends only what a field selector selects", async () => {
      const watch = await open({ fieldSelector: "metadata.name=second", timeoutSeconds: 1 });
      expect((await watch.all()).map(short)).to.deep.equal(["ADDED second"]);
    });
    it("ends after timeoutSeconds", async () => {
      const watch = await open({ resourceVersion: await version(), timeoutSeconds: 1 });
      expect(await watch.all()).to.deep.equal([]);
    });
    it("sends a bookmark with a newer version before it ends, to those who allow it", async () => {
      const query = { labelSelector: "no-object=has", allowWatchBookmarks: true, timeoutSeconds: 3 };
      const watch = await open({ ...query, resourceVersion: await version() });
      const { body } = ok(await create("progress"));
      const [bookmark] = await watch.take(1);
      watch.close();
      ok(await target().admin.delete(`${secrets}/progress`));
      expect(bookmark?.type).to.equal("BOOKMARK");
      expect(bookmark?.object).to.include({ kind: "Secret", apiVersion: "v1" });
      expect(Number(bookmark?.object.metadata.resourceVersion)).to.be.at.least(Number(body.metadata.resourceVersion));
    });
    it("stays silent from a version of the future on", async () => {
      const future = Number(await version()) + 1_000_000;
      const watch = await open({ resourceVersion: future, allowWatchBookmarks: true, timeoutSeconds: 1 });
      ok(await create("unseen"));
      ok(await target().admin.delete(`${secrets}/unseen`));
      expect([watch.status, await watch.all()]).to.deep.equal([200, []]);
    });
    it("streams the initial objects and marks their end with a bookmark", async () => {
      const watch = await open(INITIAL);
      const events = await watch.take(3);
      watch.close();
      expect(events.map(({ type }) => type)).to.deep.equal(["ADDED", "ADDED", "BOOKMARK"]);
      expect(events[2]?.object.metadata.annotations).to.deep.equal({ [END_ANNOTATION]: "true" });
    });
    it("goes on after the initial objects with what happens", async () => {
      const watch = await open(INITIAL);
      await watch.take(3);
      ok(await create("after"));
      const [event] = await watch.take(1);
      watch.close();
      ok(await target().admin.delete(`${secrets}/after`));
      expect(event && short(event)).to.equal("ADDED after");
    });
    it("marks the end of no initial objects too", async () => {
      const watch = await open({ ...INITIAL, labelSelector: "no-object=has" });
      const [event] = await watch.take(1);
      watch.close();
      expect(event?.object.metadata.annotations).to.deep.equal({ [END_ANNOTATION]: "true" });
    });
    it("gives the end bookmark a version from which a watch can go on", async () => {
      const watch = await open(INITIAL);
      const bookmark = (await watch.take(3))[2];
      watch.close();
      ok(await create("next"));
      const second = await open({ resourceVersion: bookmark?.object.metadata.resourceVersion ?? "" });
      const [event] = await second.take(1);
      second.close();
      ok(await target().admin.delete(`${secrets}/next`));
      expect(event && short(event)).to.equal("ADDED next");
    });
    it("sends no initial objects for sendInitialEvents=false", async () => {
      const watch = await open({ sendInitialEvents: false, resourceVersionMatch: "NotOlderThan", timeoutSeconds: 1 });
      expect(await watch.all()).to.deep.equal([]);
    });
    it("sends no end bookmark to those who do not allow bookmarks", async () => {
      const watch = await open({ sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", timeoutSeconds: 1 });
      expect((await watch.all()).map(({ type }) => type)).to.deep.equal(["ADDED", "ADDED"]);
    });
    it("sends 504 as an event if the initial state is of a version of the future", async () => {
      const watch = await open({ ...INITIAL, resourceVersion: Number(await version()) + 1_000_000 });
      const events = await watch.all();
      expect(events.map(({ type, object }) => [type, object.code])).to.deep.equal([["ERROR", 504]]);
      expect(events[0]?.object.details?.causes?.[0]?.reason).to.equal("ResourceVersionTooLarge");
    });
    const refused: readonly (readonly [string, Query])[] = [
      ["sendInitialEvents without resourceVersionMatch", { sendInitialEvents: true }],
      ["sendInitialEvents with another match", { sendInitialEvents: true, resourceVersionMatch: "Exact" }],
      ["resourceVersionMatch without sendInitialEvents", { resourceVersionMatch: "NotOlderThan" }],
    ];
    for (const [what, query] of refused) {
      it(`refuses ${what} with 422`, async () => {
        const { status, body } = await target().admin.get(secrets, { watch: true, ...query });
        expect([status, body.reason]).to.deep.equal([422, "Invalid"]);
      });
    }
    it("answers a get of an object that asks to watch with the object", async () => {
      const { body } = await target().admin.get(`${secrets}/first`, { watch: true });
      expect(body.kind).to.equal("Secret");
    });
    it("sends 410 Expired as an event for a version from before the history", async () => {
      const group = `${uniqueName("g")}.example.com`;
      const schema = { openAPIV3Schema: { type: "object" } };
      const definition = {
        metadata: { name: `olds.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "olds", kind: "Old" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      };
      ok(await target().admin.post(DEFINITIONS, definition));
      await becomes(target(), `/apis/${group}/v1/olds`, 200);
      const watch = await target().admin.watch(`/apis/${group}/v1/olds`, { resourceVersion: 1 });
      const events = await watch.all();
      ok(await target().admin.delete(`${DEFINITIONS}/olds.${group}`));
      expect(events.map(({ type, object }) => [type, object.code, object.reason])).to.deep.equal([
        ["ERROR", 410, "Expired"],
      ]);
    });
  });
}
