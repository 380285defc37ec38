import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, eventually } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { systemClock } from "../../../src/clock.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import type { EventInput } from "../../../src/kube/write/event-series.js";
import { ApiEventRecorder } from "../../../src/kube/write/events.js";
import { LeaseLock } from "../../../src/kube/write/lease.js";
import { silentLogger } from "../../../src/logging.js";
import { LeaderElector } from "../../../src/runtime/leader-elector.js";

interface SeenEvent {
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly series?: { readonly count: number };
}

describe("lease and events on a real API server", () => {
  let plane: ControlPlane;
  let transport: Transport;

  before(async function () {
    plane = await controlPlaneOrSkip(this, {});
    transport = new Transport({
      config: loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} }),
      env: {},
    });
  });

  after(() => transport?.close());

  async function events(namespace: string): Promise<readonly SeenEvent[]> {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    return (await transport.request<{ items: SeenEvent[] }>({ method: "GET", path })).items;
  }

  it("wins, renews and gives up a lease, which another one then takes at once", async () => {
    const namespace = await plane.client().tempNamespace();
    const elector = (identity: string) =>
      new LeaderElector({
        lock: new LeaseLock(transport, namespace, "lock"),
        identity,
        clock: systemClock,
        logger: silentLogger,
        timings: { leaseMs: 3_000, renewDeadlineMs: 2_500, retryMs: 100 },
      });
    const never = new AbortController().signal;
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lock`;
    const spec = async () => (await transport.request<{ spec: Record<string, unknown> }>({ method: "GET", path })).spec;

    const outcome = await elector("a").run(never, async () => {
      const won = await spec();
      expect(won).to.include({ holderIdentity: "a", leaseTransitions: 0 });
      await eventually(async () => (await spec())["renewTime"] !== won["renewTime"], { what: "a renewal" });
      return { release: true };
    });
    expect(outcome).to.equal("finished");
    expect((await spec())["holderIdentity"] ?? "").to.equal("");

    await elector("b").run(never, async () => {
      expect(await spec()).to.include({ holderIdentity: "b", leaseTransitions: 1 });
      return { release: true };
    });
  });

  describe("the recorder", () => {
    const stop = new AbortController();
    let recorder: ApiEventRecorder;
    let running: Promise<void>;

    before(() => {
      recorder = new ApiEventRecorder({
        client: transport,
        reporter: { controller: "flipop.digitalocean.com/flipop-operator", instance: "flipop-0" },
        clock: systemClock,
        logger: silentLogger,
      });
      running = recorder.run(stop.signal);
    });

    after(async () => {
      stop.abort();
      await running;
    });

    function notifier(name: string, namespace?: string): EventInput {
      const regarding = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name,
        ...(namespace === undefined ? {} : { namespace }),
      };
      return { regarding, type: "Warning", reason: "Moved", action: "Assign", note: `about ${name}` };
    }

    it("creates an Event and counts it up", async () => {
      const namespace = await plane.client().tempNamespace();
      recorder.record(notifier("web", namespace));
      await eventually(async () => (await events(namespace)).length === 1, { what: "the event" });
      recorder.record(notifier("web", namespace));
      await eventually(async () => (await events(namespace))[0]?.series?.count === 2, { what: "the series" });
    });

    it("has its longest notes and oddest names accepted", async () => {
      const namespace = await plane.client().tempNamespace();
      recorder.record({ ...notifier("system:node", namespace), note: "ä".repeat(2_000), reason: "R".repeat(300) });
      recorder.record(notifier(`${"a".repeat(248)}-bcd`, namespace));
      await eventually(async () => (await events(namespace)).length === 2, { what: "both events" });
    });

    it("puts the Events of cluster-scoped objects into default", async () => {
      recorder.record({ ...notifier("node-1"), regarding: { apiVersion: "v1", kind: "Node", name: "node-1" } });
      await eventually(async () => (await events("default")).some(({ regarding }) => regarding.name === "node-1"), {
        what: "the event in default",
      });
    });

    it("notifies it about the Namespace while that is being deleted", async () => {
      const namespace = await plane.client().tempNamespace();
      // Without a controller manager a deleted namespace stays in Terminating.
      await transport.request({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
      recorder.record(notifier("web", namespace));
      await eventually(
        async () =>
          (await events("default")).some(
            ({ regarding, note }) => regarding.name === namespace && note === `ConfigMap ${namespace}/web: about web`,
          ),
        { what: "the event about the namespace" },
      );
    });
  });
});
