import { connect } from "node:net";
import { expect } from "chai";
import { FakeClock } from "flipop-operator/testing/fake-clock";
import { until } from "flipop-operator/testing/until";
import { afterEach, describe, it } from "mocha";
import { parse } from "yaml";
import { type Emulator, type EmulatorOptions, type Fault, startEmulator } from "../../src/kubernetes/index.js";
import { ApiClient } from "../contract/api-client.js";

interface NodeSpec {
  readonly taints?: readonly { readonly key: string }[];
}

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("the Kubernetes emulator", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  async function start(options: EmulatorOptions = {}): Promise<{ emulator: Emulator; admin: ApiClient }> {
    const emulator = await startEmulator({ tls: false, ...options });
    const admin = new ApiClient(emulator, emulator.adminToken);
    closing.push(
      () => emulator.close(),
      () => admin.close(),
    );
    return { emulator, admin };
  }
  const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
  const once = (fault: Fault) => {
    let left = 1;
    return () => (left-- > 0 ? fault : undefined);
  };

  describe("faults", () => {
    it("refuses with a status and Retry-After, and does nothing", async () => {
      const { emulator, admin } = await start();
      emulator.setFaults(once({ kind: "status", code: 429, retryAfterSeconds: 7 }));
      const { status, retryAfter } = await admin.post(MAPS, map("a"));
      expect([status, retryAfter]).to.deep.equal([429, "7"]);
      expect((await admin.get(`${MAPS}/a`)).status).to.equal(404);
    });
    it("resets a connection before anything is done", async () => {
      const { emulator, admin } = await start();
      emulator.setFaults(once({ kind: "reset" }));
      expect(await codeOf(admin.post(MAPS, map("a")))).to.equal("ECONNRESET");
      expect((await admin.get(`${MAPS}/a`)).status).to.equal(404);
    });
    it("resets a connection below TLS too", async () => {
      const { emulator, admin } = await start({ tls: true });
      emulator.setFaults(once({ kind: "reset" }));
      expect(await codeOf(admin.get(MAPS))).to.equal("ECONNRESET");
      expect((await admin.get(MAPS)).status).to.equal(200);
    });
    it("loses the answer to a write that was carried out", async () => {
      const { emulator, admin } = await start();
      emulator.setFaults(once({ kind: "lose-answer" }));
      expect(await codeOf(admin.post(MAPS, map("a")))).to.equal("ECONNRESET");
      expect((await admin.get(`${MAPS}/a`)).status).to.equal(200);
    });
    it("delays by the injected clock", async () => {
      const clock = new FakeClock();
      const { emulator, admin } = await start({ clock });
      emulator.setFaults(once({ kind: "delay", ms: 60_000 }));
      const answer = admin.get(MAPS);
      await until("the request has arrived", () => clock.pendingTimers === 1);
      await clock.advance(60_000);
      expect((await answer).status).to.equal(200);
    });
    it("accepts and never answers", async () => {
      const { emulator, admin } = await start();
      emulator.setFaults(once({ kind: "hang" }));
      const answer = admin.get(MAPS);
      await until("the connection is open", () => emulator.openConnections === 1);
      emulator.resetConnections();
      expect(await codeOf(answer)).to.equal("ECONNRESET");
    });
    it("cuts a watch in the middle of a line", async () => {
      const { emulator, admin } = await start();
      emulator.create(map("a"));
      emulator.setFaults(once({ kind: "cut", bytes: 20 }));
      const watch = await admin.watch(MAPS);
      expect(await codeOf(watch.next())).to.match(/UND_ERR_SOCKET|ECONNRESET/);
    });
    it("is decided by what a request wants", async () => {
      const { emulator, admin } = await start();
      const unavailable: Fault = { kind: "status", code: 503 };
      emulator.setFaults(({ target }) =>
        target?.verb === "list" && target.plural === "nodes" ? unavailable : undefined,
      );
      const codes = [(await admin.get("/api/v1/nodes")).status, (await admin.get(MAPS)).status];
      emulator.setFaults(undefined);
      expect([...codes, (await admin.get("/api/v1/nodes")).status]).to.deep.equal([503, 200, 200]);
    });
  });

  describe("time and history", () => {
    it("takes times of objects from the clock", async () => {
      const { emulator } = await start({ clock: new FakeClock(Date.UTC(2030, 0, 1)) });
      expect(emulator.create(map("a")).metadata.creationTimestamp).to.equal("2030-01-01T00:00:00Z");
    });
    it("ends watches and sends bookmarks by the clock, and leaves no timer", async () => {
      const clock = new FakeClock();
      const { emulator, admin } = await start({ clock });
      const watch = await admin.watch(MAPS, { labelSelector: "none=", allowWatchBookmarks: true, timeoutSeconds: 100 });
      emulator.create(map("a"));
      await clock.advance(100_000);
      expect((await watch.all()).map(({ type }) => type)).to.deep.equal(["BOOKMARK", "BOOKMARK"]);
      expect(clock.pendingTimers).to.equal(0);
    });
    it("leaves no timer when a client goes away", async () => {
      const clock = new FakeClock();
      const { admin } = await start({ clock });
      const watch = await admin.watch(MAPS);
      expect(clock.pendingTimers).to.be.above(0);
      watch.close();
      await until("the timers are gone", () => clock.pendingTimers === 0);
    });
    it("sends 410 to a watch from before a compaction", async () => {
      const { emulator, admin } = await start();
      const before = emulator.revision;
      emulator.create(map("a"));
      emulator.compact();
      const events = await (await admin.watch(MAPS, { resourceVersion: before })).all();
      expect(events.map(({ object }) => object.code)).to.deep.equal([410]);
    });
    it("goes on with a watch that was open during a compaction", async () => {
      const { emulator, admin } = await start();
      const watch = await admin.watch(MAPS, { resourceVersion: emulator.revision });
      emulator.compact();
      emulator.create(map("a"));
      const [event] = await watch.take(1);
      watch.close();
      expect(event?.type).to.equal("ADDED");
    });
    it("forgets by itself what is older than its history", async () => {
      const { emulator, admin } = await start({ history: 10 });
      const before = emulator.revision;
      for (let number = 0; number < 12; number++) emulator.create(map(`map-${number}`));
      const events = await (await admin.watch(MAPS, { resourceVersion: before })).all();
      expect(events.map(({ object }) => object.code)).to.deep.equal([410]);
    });
    it("makes the same names and uids of the same random numbers", async () => {
      const made = async () => {
        let seed = 0;
        const random = () => {
          seed = (seed + 0.137) % 1;
          return seed;
        };
        const { emulator } = await start({ random });
        const { name, uid } = emulator.create({
          ...map(""),
          metadata: { generateName: "a-", namespace: "default" },
        }).metadata;
        return { name, uid };
      };
      expect(await made()).to.deep.equal(await made());
    });
  });

  describe("the inner door", () => {
    it("creates an object with its status", async () => {
      const { emulator } = await start();
      const metadata = { name: "pod", namespace: "default" };
      const spec = { nodeName: "n", containers: [{ name: "a", image: "i" }] };
      const pod = emulator.create({ apiVersion: "v1", kind: "Pod", metadata, spec, status: { phase: "Running" } });
      expect(pod.status).to.deep.include({ phase: "Running" });
    });
    it("changes objects, and watches see it", async () => {
      const { emulator, admin } = await start();
      emulator.create(map("a"));
      const watch = await admin.watch(MAPS, { resourceVersion: emulator.revision });
      emulator.change({ ...map("a"), name: "a", namespace: "default" }, (object) => ({ ...object, data: { k: "v" } }));
      const [event] = await watch.take(1);
      watch.close();
      expect(event?.object.data).to.deep.equal({ k: "v" });
    });
    it("deletes at once, and what depends on it too", async () => {
      const { emulator } = await start();
      const { uid } = emulator.create(map("owner")).metadata;
      const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
      emulator.create({ ...map("x"), metadata: { name: "dependent", namespace: "default", ownerReferences } });
      emulator.delete({ apiVersion: "v1", kind: "ConfigMap", name: "owner", namespace: "default" });
      expect(emulator.list("v1", "ConfigMap")).to.deep.equal([]);
    });
    it("taints a cordoned node, and removes the taint when a client uncordons it", async () => {
      const { emulator, admin } = await start();
      emulator.create({ apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec: { taints: [] } });
      const keys = () => {
        const spec = emulator.get({ apiVersion: "v1", kind: "Node", name: "a" })?.["spec"] as NodeSpec | undefined;
        return spec?.taints?.map(({ key }) => key);
      };
      const [before] = keys() ?? [];
      await admin.patch("/api/v1/nodes/a", "merge", { spec: { unschedulable: true } });
      expect(keys()).to.deep.equal([before, "node.kubernetes.io/unschedulable"]);
      await admin.patch("/api/v1/nodes/a", "merge", { spec: { unschedulable: null } });
      expect(keys()).to.deep.equal([before]);
    });
    it("says which kind it does not have", async () => {
      const { emulator } = await start();
      expect(() => emulator.list("example.com/v1", "Nothing")).to.throw(
        /no kind Nothing in example.com\/v1: create its/,
      );
    });
    it("forgets a token", async () => {
      const { emulator, admin } = await start();
      const token = emulator.addIdentity("guest", "everything");
      expect((await admin.as(token).get(MAPS)).status).to.equal(200);
      emulator.revoke(token);
      expect((await admin.as(token).get(MAPS)).status).to.equal(401);
    });
    it("writes a kubeconfig with address, trust and token", async () => {
      const { emulator } = await start({ tls: true });
      const config = parse(emulator.kubeconfig());
      expect(config.clusters[0].cluster.server)
        .to.equal(emulator.url)
        .and.match(/^https:/);
      const trust = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString();
      expect(trust).to.equal(emulator.ca);
      expect(config.users[0].user).to.deep.equal({ token: emulator.adminToken });
    });
    it("holds no connection and no port after it is closed", async () => {
      const { emulator, admin } = await start();
      await admin.watch(MAPS);
      const { port } = new URL(emulator.url);
      await emulator.close();
      expect(emulator.openConnections).to.equal(0);
      expect(await refused(Number(port))).to.equal("ECONNREFUSED");
    });
  });
});

/** The code of the error that a request ends with, its cause's if it has one. */
async function codeOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return "no error";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function refused(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve("connected"));
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
}
