import { expect } from "chai";
import { eventFrame, inEnvelope, type JsonObject, objectBytes } from "flipop-sandbox/kubernetes";
import { afterEach, beforeEach, describe, it } from "mocha";
import { WATCH_LONGEST_GAP_MS } from "../../../src/timings.js";
import { ReflectorRig } from "../../support/kube/reflector-rig.js";
import { until } from "../../support/time/until.js";

/** The 10 s after which the server counts as away are 2 s, also on a busy machine. */
const CALM = 5;

for (const protobuf of [false, true]) {
  describe(`reflector behind a broken network, in ${protobuf ? "protobuf" : "JSON"}`, () => {
    let rig: ReflectorRig;
    const runActions = async (speed?: number) => {
      rig = await ReflectorRig.create({ protobuf, ...(speed !== undefined && { speed }) });
      for (const name of ["a", "b", "c"]) rig.api.collection.put(name, { labels: { app: name } });
    };
    beforeEach(() => runActions());
    afterEach(() => rig.close());

    const change = async () => {
      rig.api.collection.put("a", { labels: { app: "changed" } });
      rig.api.collection.remove("b");
      rig.api.collection.put("d");
      await rig.equal();
    };

    it("syncs by watch list and follows", async () => {
      await rig.synced();
      expect(rig.difference()).to.equal(undefined);
      await change();
      expect(rig.api.count("list")).to.equal(0);
      expect(rig.events.slice(3)).to.deep.equal(["updated a", "deleted b", "added d"]);
    });

    it("falls back to pages, for good, where sendInitialEvents is refused", async () => {
      rig.api.watchListEnabled = false;
      for (let i = 0; i < 1200; i++) rig.api.collection.put(`pod-${i}`);
      await rig.synced();
      expect(rig.store.size).to.equal(1203);
      expect(rig.api.count("list")).to.equal(3);
      expect(rig.features.watchList).to.equal(false);
      await change();
    });

    it("lists in pages when the end bookmark never comes", async () => {
      rig.api.endBookmarks = false;
      await rig.synced();
      expect(rig.warnings.join()).to.include("no end bookmark after 3 initial events and 15 s");
      expect(rig.api.count("list")).to.equal(1);
      expect(rig.features.watchList, "the next relist may stream again").to.equal(true);
      await change();
    });

    it("lists in pages when the watch list is cut before its end bookmark, and shows nothing of the cut one", async () => {
      rig.api.endBookmarks = false;
      rig.start();
      await until("the stream is open", () => rig.proxy.openFlows === 1);
      expect(rig.store.size).to.equal(0);
      rig.proxy.resetAll();
      await rig.reflector.whenSynced();
      expect(rig.api.count("list")).to.equal(1);
      await change();
    });

    for (const [name, fault] of [
      ["RST", () => rig.proxy.resetAll()],
      ["FIN", () => rig.proxy.finAll()],
      ["a cut in mid-line", () => rig.proxy.cutAll('{"type":"ADDED","object":{"metadata":{"name":"gh')],
    ] as const) {
      it(`resumes from its version after ${name}, with a probe and without a new list`, async () => {
        await rig.close();
        await runActions(CALM);
        await rig.synced();
        fault();
        await change();
        expect(rig.api.count("list")).to.equal(0);
        expect(rig.api.count("probe")).to.be.greaterThan(0);
        expect(rig.api.seen.filter((seen) => seen.query.has("sendInitialEvents"))).to.have.length(1);
      });
    }

    it("notices a half-open link by its silence and resumes; late bytes of the old one do no harm", async () => {
      await rig.synced();
      rig.proxy.freeze();
      rig.api.collection.put("late");
      await until("the dead connection is given up", () => rig.proxy.openFlows === 0);
      rig.proxy.thaw();
      await change();
      expect(rig.store.get("default/late")).to.not.equal(undefined);
    });

    it("reads the set anew in a cluster where nothing ever changes, and says so once, without a warning", async () => {
      await rig.synced();
      await until("the silence was taken for a fault a few times", () => rig.api.count("watch") > 3);
      expect(rig.api.seen.every((seen) => seen.query.has("sendInitialEvents"))).to.equal(true);
      expect(rig.notes).to.have.length(1);
      expect(rig.notes[0]).to.equal('no event for 75 s, so the operator reads the list again {"reflector":"pods"}');
      expect(rig.warnings).to.deep.equal([]);
      await change();
    });

    it("warns of the silence of a watch that has delivered events, because bookmarks follow them", async () => {
      await rig.synced();
      await change();
      await until("the silence was taken for a fault", () => rig.api.count("watch") > 1);
      expect(rig.warnings.join()).to.include("no byte for 75 s");
      expect(rig.notes).to.deep.equal([]);
    });

    it("reads the set anew after 410 as an event", async () => {
      await rig.synced();
      rig.api.failWatches(410, "Expired");
      rig.api.collection.remove("c");
      rig.api.collection.compact();
      await change();
      expect(rig.api.seen.filter((seen) => seen.query.has("sendInitialEvents"))).to.have.length(2);
    });

    it("reads the set anew after 410 as a status", async () => {
      await rig.synced();
      rig.proxy.inject({ kind: "status", code: 410 }, 1, (request) => /watch=true/.test(request.url ?? ""));
      rig.proxy.resetAll();
      await change();
      expect(rig.api.seen.filter((seen) => seen.query.has("sendInitialEvents"))).to.have.length(2);
    });

    it("reads the set anew after a restore of etcd: a probe finds that its version is of the future", async () => {
      await rig.synced();
      rig.api.collection.put("lost");
      await rig.equal();
      rig.proxy.resetAll();
      rig.api.collection.restore(50, ["a", "b"]);
      await rig.equal();
      expect(rig.events).to.include("deleted lost");
    });

    it("reads the set anew after a silent watch, if even the probe shows nothing", async () => {
      await rig.synced();
      rig.api.probesAnswer504 = false;
      rig.proxy.resetAll();
      rig.api.collection.restore(50, ["a"]);
      await rig.equal();
      expect([...rig.store.list()].map((pod) => pod.name)).to.deep.equal(["a"]);
    });

    it("reads the set anew after a long outage: a restored server may have passed our version, and no probe shows that", async () => {
      await rig.synced();
      rig.api.collection.put("lost");
      await rig.equal();
      const version = rig.api.collection.version;
      rig.proxy.inject({ kind: "reset" }, 1_000_000);
      rig.proxy.resetAll();
      const down = rig.clock.monotonic();
      await until("a long outage", () => rig.clock.monotonic() - down > 2 * WATCH_LONGEST_GAP_MS);
      rig.api.collection.restore(50, ["a"]);
      while (rig.api.collection.version <= version) rig.api.collection.put("new");
      rig.proxy.heal();
      await rig.equal();
      expect(rig.warnings.join()).to.include("perhaps for a restore of etcd");
    });

    it("outlives a storm of 500s, 429 with Retry-After, 403 and 401", async () => {
      for (const code of [500, 500, 503, 403, 401]) rig.proxy.inject({ kind: "status", code });
      rig.proxy.inject({ kind: "status", code: 429, retryAfterSeconds: 7 });
      const start = rig.clock.monotonic();
      await rig.synced();
      expect(rig.clock.monotonic() - start).to.be.greaterThan(7_000);
      await change();
      for (const code of [500, 500, 503]) rig.proxy.inject({ kind: "status", code });
      rig.proxy.resetAll();
      await change();
    });

    it("waits for an API server that is down at start, and takes its last error to readiness", async () => {
      await rig.api.stop();
      rig.start();
      await until("it has failed", () => rig.reflector.state.failures > 2);
      expect(rig.reflector.state).to.include({ synced: false });
      expect(rig.reflector.state.lastError).to.match(/watch|socket|closed/);
      rig.proxy.retarget((await restart(rig)).url);
      await rig.reflector.whenSynced();
      await rig.equal();
    });

    it("survives an answer that is black-holed and one that is slow", async () => {
      rig.proxy.inject({ kind: "blackhole" });
      rig.proxy.inject({ kind: "delay", ms: 20 });
      await rig.synced();
      await change();
    });

    it("reads UTF-8 that is split in the middle of a character", async () => {
      await rig.synced();
      const { metadata } = rig.api.collection.put("a");
      await rig.equal();
      const lines = ["first", "€uro"].map((note) => {
        const object = { metadata: { ...metadata, labels: { note } } };
        return protobuf ? frame(object) : Buffer.from(`${JSON.stringify({ type: "MODIFIED", object })}\n`);
      });
      const bytes = Buffer.concat(lines);
      const cut = bytes.indexOf(Buffer.from("€")) + 1;
      const noted = (note: string) => until(note, () => rig.store.get("default/a")?.labels["note"] === note);
      rig.api.write(bytes.subarray(0, cut));
      await noted("first");
      rig.api.write(bytes.subarray(cut));
      await noted("€uro");
    });

    it("gives up a stream with a line of more than 10 MB and resumes", async () => {
      await rig.synced();
      rig.api.write(Buffer.alloc(11 * 1024 * 1024, "x"));
      await until("the log reports it", () => rig.warnings.some((line) => line.includes("10485760")));
      await change();
    });

    it("reports a delete that was missed while offline, and a re-creation under the same name as delete and add", async () => {
      await rig.synced();
      rig.events.length = 0;
      rig.proxy.inject({ kind: "reset" }, 3);
      rig.proxy.resetAll();
      rig.api.collection.remove("b");
      rig.api.collection.remove("c");
      rig.api.collection.put("c", { labels: { app: "c" } });
      rig.api.collection.compact();
      await rig.equal();
      expect([...rig.events].sort()).to.deep.equal(["added c", "deleted b", "deleted c"]);
      expect(rig.events.indexOf("deleted c")).to.be.lessThan(rig.events.indexOf("added c"));
    });

    it("is harmed neither by a handler that throws nor by one that rejects", async () => {
      rig.store.listen(() => {
        throw new Error("handler");
      });
      const rejects: () => unknown = () => Promise.reject(new Error("async handler"));
      rig.store.listen(rejects);
      await rig.synced();
      await change();
    });

    it("keeps up with a handler that is slow, and lets others run between two events", async () => {
      await rig.synced();
      let handled = 0;
      rig.store.listen(() => {
        const end = performance.now() + 15;
        while (performance.now() < end);
        handled++;
      });
      let turns = 0;
      for (let i = 0; i < 20; i++) rig.api.collection.put(`slow-${i}`);
      // A set that is read anew is in the store at once, so the handled events count, not the store's size.
      const count = () => {
        turns++;
        if (handled < 20) setImmediate(count);
      };
      count();
      await until("the handler saw every event", () => handled >= 20);
      await rig.equal();
      expect(turns).to.be.greaterThan(15);
    });

    it("takes a burst of 10,000 events in order", async () => {
      await rig.synced();
      for (let i = 0; i < 10_000; i++) rig.api.collection.put(`pod-${i % 500}`, { labels: { iteration: String(i) } });
      await rig.equal();
      expect(rig.store.get("default/pod-499")?.labels["iteration"]).to.equal("9999");
    });

    it("starts a listing over when its continue token is gone, and forgets the pages before", async () => {
      rig.api.watchListEnabled = false;
      for (let i = 0; i < 700; i++) rig.api.collection.put(`pod-${i}`);
      const removing = (url: string) => {
        if (url.includes("continue=")) rig.api.collection.remove("pod-0");
        return url.includes("continue=");
      };
      rig.proxy.inject({ kind: "status", code: 410 }, 1, (request) => removing(request.url ?? ""));
      await rig.synced();
      expect(rig.difference()).to.equal(undefined);
      expect(rig.warnings).to.deep.equal([]);
    });
  });
}

async function restart(rig: ReflectorRig): Promise<{ url: string }> {
  await rig.api.listen(0);
  return rig.api;
}

function frame(object: JsonObject): Buffer {
  const type = { apiVersion: "v1", kind: "Pod" };
  return eventFrame("MODIFIED", inEnvelope(type, objectBytes(type, object)));
}
