import { expect } from "chai";
import { describe, it } from "mocha";
import type { KubeRequest } from "../../../src/kube/client.js";
import { type EventInput, MAX_NOTES } from "../../../src/kube/write/event-series.js";
import { ApiEventRecorder } from "../../../src/kube/write/events.js";
import { type Logger, silentLogger } from "../../../src/logging.js";
import { eventMetrics } from "../../../src/metrics/definitions.js";
import { MetricsRegistry } from "../../../src/metrics/registry.js";
import { MAX_QUEUED_EVENTS } from "../../../src/timings.js";
import { MemoryKube, type StoredObject, status } from "../../support/kube/memory-kube.js";
import { seededRandom } from "../../support/seeded-random.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const pool = { apiVersion: "flipop.digitalocean.com/v1alpha1", kind: "FloatingIPPool", namespace: "apps", name: "web" };
const moved: EventInput = { regarding: pool, type: "Normal", reason: "Assigned", action: "Assign", note: "to node-1" };

function setUp() {
  const clock = new FakeClock();
  const kube = new MemoryKube();
  const registry = new MetricsRegistry();
  const stop = new AbortController();
  const logged: string[] = [];
  const warn = ({ reason }: { readonly reason?: string }) => logged.push(`warn ${reason}`);
  const logger: Logger = { ...silentLogger, warn, child: () => logger };
  const recorder = new ApiEventRecorder({
    client: kube,
    reporter: { controller: "flipop.digitalocean.com/operator", instance: "flipop-0" },
    clock,
    logger,
    random: seededRandom(1),
    metrics: eventMetrics(registry),
  });
  const running = recorder.run(stop.signal);
  const dropped = async (cause: string) =>
    Number(new RegExp(`flipop_events_dropped_total{cause="${cause}"} (\\d+)`).exec(await registry.text())?.[1]);
  return { clock, kube, recorder, stop, running, dropped, logged };
}

function bodies(requests: readonly KubeRequest[]): readonly StoredObject[] {
  return requests.map(({ body }) => body as StoredObject);
}

describe("event recorder", () => {
  it("creates an Event with every field that the API requires", async () => {
    const { clock, kube, recorder } = setUp();
    recorder.record({ ...moved, related: { apiVersion: "v1", kind: "Node", name: "node-1" } });
    await clock.flush();

    const [{ metadata, ...event } = {}] = bodies(kube.of("POST"));
    expect(kube.requests[0]?.path).to.equal("/apis/events.k8s.io/v1/namespaces/apps/events");
    expect(metadata?.name).to.match(/^web\.[0-9a-z]{13}$/);
    expect(event).to.deep.equal({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      eventTime: "2025-01-01T00:00:00.000000Z",
      reportingController: "flipop.digitalocean.com/operator",
      reportingInstance: "flipop-0",
      type: "Normal",
      reason: "Assigned",
      action: "Assign",
      regarding: pool,
      related: { apiVersion: "v1", kind: "Node", name: "node-1" },
      note: "to node-1",
    });
  });

  it("counts a repeated Event, whatever its action: from 2, by merge patch, then once a minute at most", async () => {
    const { clock, kube, recorder } = setUp();
    recorder.record(moved);
    await clock.advance(1_000);
    recorder.record({ ...moved, action: "Fulfilled" });
    await clock.advance(1_000);
    for (let time = 0; time < 10; time++) {
      recorder.record(moved);
      await clock.advance(1_000);
    }
    expect(bodies(kube.of("PATCH"))).to.deep.equal([
      { series: { count: 2, lastObservedTime: "2025-01-01T00:00:01.000000Z" } },
    ]);
    expect(kube.of("PATCH")[0], "merge patch is the client's default").not.to.have.property("contentType");

    await clock.advance(120_000);

    expect(kube.of("POST")).to.have.length(1);
    expect(bodies(kube.of("PATCH")).slice(1)).to.deep.equal([
      { series: { count: 12, lastObservedTime: "2025-01-01T00:00:11.000000Z" } },
    ]);
  });

  it("reports a burst at once with its count", async () => {
    const { clock, kube, recorder } = setUp();
    for (let time = 0; time < 50; time++) recorder.record(moved);
    await clock.flush();

    expect(kube.requests).to.have.length(1);
    expect(bodies(kube.of("POST"))[0]?.["series"]).to.include({ count: 50 });
  });

  it("reports at once what happened again while the first report was on its way", async () => {
    const { clock, kube, recorder } = setUp();
    const answers: (() => void)[] = [];
    const request = kube.request.bind(kube);
    kube.request = async <T>(sent: KubeRequest) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return request<T>(sent);
    };
    recorder.record(moved);
    await clock.flush();
    recorder.record(moved);
    for (let iteration = 0; iteration < 4; iteration++) {
      answers.splice(0).forEach((answer) => void answer());
      await clock.flush();
    }

    expect(bodies(kube.of("PATCH"))[0]?.["series"]).to.include({ count: 2 });
    expect(kube.of("POST")).to.have.length(1);
  });

  it("begins a new Event when a series has ended", async () => {
    const { clock, kube, recorder } = setUp();
    recorder.record(moved);
    await clock.advance(500_000);
    expect(clock.pendingTimers, "no timer without an open series").to.equal(0);
    recorder.record(moved);
    await clock.flush();

    expect(kube.of("POST")).to.have.length(2);
  });

  it("creates the Event again where it has expired on the server", async () => {
    const { clock, kube, recorder } = setUp();
    recorder.record(moved);
    await clock.flush();
    kube.objects.clear();
    recorder.record(moved);
    await clock.flush();

    expect(bodies(kube.of("POST"))[1]?.["series"]).to.include({ count: 2 });
  });

  it("keeps different notes apart, up to ten, and counts the rest together", async () => {
    const { clock, kube, recorder } = setUp();
    for (let note = 0; note < 20; note++) recorder.record({ ...moved, note: `to node-${note}` });
    await clock.flush();

    const notes = bodies(kube.of("POST")).map((event) => event["note"]);
    expect(notes).to.have.length(MAX_NOTES + 1);
    expect(notes.at(-1)).to.equal("(one of several like it) to node-10");
    expect(bodies(kube.of("POST")).at(-1)?.["series"]).to.include({ count: 10 });
  });

  it("limits new Events for one object, not for the others", async () => {
    const { clock, kube, recorder, dropped } = setUp();
    for (let time = 0; time < 40; time++) recorder.record({ ...moved, reason: `Reason${time}` });
    recorder.record({ ...moved, regarding: { ...pool, name: "other" } });
    await clock.advance(1_000);

    expect(kube.of("POST")).to.have.length(26);
    expect(await dropped("spam")).to.equal(15);
  });

  it("emits Warnings although Normal ones have used up their limit, and both again after half a minute", async () => {
    const { clock, kube, recorder, dropped, logged } = setUp();
    const record = (type: EventInput["type"], time: number) =>
      recorder.record({ ...moved, type, reason: `${type}${time}` });
    for (let time = 0; time < 26; time++) record("Normal", time);
    for (let time = 0; time < 26; time++) record("Warning", time);
    await clock.advance(1_000);
    expect(kube.of("POST")).to.have.length(50);
    expect(await dropped("spam")).to.equal(2);
    expect(logged).to.deep.equal(["warn Warning25"]);

    await clock.advance(30_000);
    record("Normal", 27);
    record("Warning", 27);
    await clock.advance(1_000);
    expect(kube.of("POST")).to.have.length(52);
  });

  it("never blocks: beyond a thousand waiting Events it drops and counts", async () => {
    const { clock, kube, recorder, dropped } = setUp();
    kube.request = () => new Promise(() => undefined);
    for (let index = 0; index < MAX_QUEUED_EVENTS + 11; index++) {
      recorder.record({ ...moved, regarding: { ...pool, name: `web-${index}` } });
    }
    await clock.flush();

    expect(await dropped("queue_full")).to.equal(11);
  });

  it("puts the Events of cluster-scoped objects into default", async () => {
    const { clock, kube, recorder } = setUp();
    recorder.record({ ...moved, regarding: { apiVersion: "v1", kind: "Node", name: "node-1" } });
    await clock.flush();

    expect(kube.requests[0]?.path).to.equal("/apis/events.k8s.io/v1/namespaces/default/events");
  });

  it("notifies it about the Namespace if that is being deleted", async () => {
    const { clock, kube, recorder } = setUp();
    kube.fault = ({ path }) => {
      if (path.includes("/namespaces/apps/")) throw status(403, "Forbidden", ["NamespaceTerminating"]);
    };
    for (let time = 0; time < 2; time++) {
      recorder.record(moved);
      await clock.flush();
    }

    const event = bodies(kube.of("POST")).at(-1);
    expect(event).to.deep.include({
      regarding: { apiVersion: "v1", kind: "Namespace", name: "apps" },
      related: moved.regarding,
      note: "FloatingIPPool apps/web: to node-1",
    });
    expect(kube.of("PATCH")[0]?.path).to.include("/namespaces/default/events/web.");
  });

  it("tries again where the server is in trouble, with growing waits", async () => {
    const { clock, kube, recorder } = setUp();
    const at: number[] = [];
    kube.fault = () => {
      at.push(clock.monotonic());
      if (at.length < 4) throw at.length === 1 ? new Error("connection refused") : status(503, "Unavailable");
    };
    recorder.record(moved);
    await clock.advance(30_000);

    expect(at).to.have.length(4);
    expect((at[3] ?? 0) - (at[2] ?? 0)).to.be.within(4_000, 5_000);
    expect(kube.objects.size).to.equal(1);
  });

  it("gives up after five tries, and begins anew the next time", async () => {
    const { clock, kube, recorder, dropped } = setUp();
    kube.fault = () => {
      throw status(500, "InternalError");
    };
    recorder.record(moved);
    await clock.advance(120_000);
    expect(await dropped("unreachable")).to.equal(1);
    expect(kube.requests).to.have.length(5);
    kube.fault = () => undefined;
    recorder.record(moved);
    await clock.flush();

    expect(kube.objects.size).to.equal(1);
  });

  it("does not repeat what the server refuses", async () => {
    const { clock, kube, recorder, dropped } = setUp();
    kube.fault = () => {
      throw status(403, "Forbidden");
    };
    recorder.record(moved);
    await clock.advance(60_000);

    expect(kube.requests).to.have.length(1);
    expect(await dropped("refused")).to.equal(1);
  });

  it("takes an Event that exists already for its own, whose answer was lost", async () => {
    const { clock, kube, recorder, dropped } = setUp();
    let lost = 0;
    kube.lose = () => {
      if (lost++ === 0) throw new Error("connection reset");
    };
    recorder.record(moved);
    await clock.advance(10_000);

    expect(kube.objects.size).to.equal(1);
    expect(await dropped("refused")).to.equal(0);
  });

  it("writes what waits before it ends", async () => {
    const { kube, recorder, stop, running, clock } = setUp();
    recorder.record(moved);
    await clock.advance(1);
    recorder.record({ ...moved, note: "to node-2" });
    recorder.record({ ...moved, note: "to node-3" });
    stop.abort();
    await running;

    expect(kube.objects.size).to.equal(3);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("ends at once in the middle of a retry", async () => {
    const { clock, kube, recorder, stop, running, dropped } = setUp();
    kube.fault = () => {
      throw status(500, "InternalError");
    };
    recorder.record(moved);
    await clock.advance(1_500);
    stop.abort();
    await running;

    expect(await dropped("shutdown")).to.equal(1);
    expect(clock.pendingTimers).to.equal(0);
  });
});
