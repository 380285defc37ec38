import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { ReflectedCache } from "../../../src/kube/cache/cache.js";
import { slimPods } from "../../../src/kube/cache/slim-objects.js";
import { type KubeClient, type KubeRequest, StatusError } from "../../../src/kube/client.js";
import { silentLogger } from "../../../src/logging.js";
import { scaledClock } from "../../support/time/scaled-clock.js";
import { until } from "../../support/time/until.js";

const PATH = "/api/v1/namespaces/team/pods";
const FORBIDDEN = new StatusError({ code: 403, reason: "Forbidden", message: "pods is forbidden" });
const GONE = new StatusError({
  code: 404,
  reason: "NotFound",
  message: 'namespaces "team" not found',
  details: { name: "team", kind: "namespaces" },
});

/** A server with one pod in one namespace, which may be gone, or keep the operator from reading. */
class OneNamespace implements KubeClient {
  exists = true;
  readable = true;
  readonly asked: KubeRequest[] = [];
  private watches: (() => void)[] = [];

  async request<T>(request: KubeRequest): Promise<T> {
    if (request.method === "POST") {
      this.asked.push(request);
      if (!this.exists) throw GONE;
      return {} as T;
    }
    if (!this.exists || !this.readable) throw FORBIDDEN;
    const pod = { metadata: { name: "one", namespace: "team", uid: "1", resourceVersion: "5" } };
    return { metadata: { resourceVersion: "5" }, items: [pod] } as T;
  }

  async open() {
    if (!this.exists || !this.readable) throw FORBIDDEN;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.watches.push(end);
    return {
      close: end,
      [Symbol.asyncIterator]: () => ({
        next: () => ended.then(() => ({ done: true as const, value: undefined })),
      }),
    };
  }

  endWatches(): void {
    for (const end of this.watches.splice(0)) end();
  }
}

describe("the cache of a namespace that refuses to be read", () => {
  let server: OneNamespace;
  let cache: ReflectedCache<ReturnType<ReturnType<typeof slimPods>>>;
  const clock = scaledClock(100);
  const runActions = () => {
    const context = { client: server, clock, random: () => 0, logger: silentLogger, features: { watchList: false } };
    const target = { name: "pods", path: PATH };
    cache = new ReflectedCache({ ...context, observe: undefined }, { target, transform: slimPods() });
  };
  const refused = () => until("it is refused", () => cache.state.lastCode === 403 && server.asked.length > 0);

  beforeEach(() => {
    server = new OneNamespace();
  });
  afterEach(() => cache.stop());

  it("is complete and empty where the namespace is gone before it was ever read", async () => {
    server.exists = false;
    runActions();
    await cache.whenSynced();
    expect(cache.store.size).to.equal(0);
  });

  it("loses what was there when the namespace goes", async () => {
    runActions();
    await cache.whenSynced();
    expect(cache.store.size).to.equal(1);
    server.exists = false;
    server.endWatches();
    await until("it is empty", () => cache.store.size === 0);
  });

  it("keeps what was there as long as the namespace is there, too", async () => {
    runActions();
    await cache.whenSynced();
    server.readable = false;
    server.endWatches();
    await refused();
    await until("it has been refused again", () => server.asked.length > 2);
    expect(cache.store.size).to.equal(1);
  });

  it("is not complete before a read, if the namespace is there", async () => {
    server.readable = false;
    runActions();
    await refused();
    await until("it has been refused again", () => server.asked.length > 2);
    expect(cache.state.synced).to.equal(false);
  });

  it("has everything again when the namespace comes back", async () => {
    server.exists = false;
    runActions();
    await cache.whenSynced();
    server.exists = true;
    await until("the pod is there", () => cache.store.size === 1);
  });

  it("asks by a request that writes nothing", async () => {
    server.exists = false;
    runActions();
    await cache.whenSynced();
    expect(server.asked[0]).to.deep.include({
      path: "/apis/events.k8s.io/v1/namespaces/team/events",
      query: { dryRun: "All" },
    });
  });
});
