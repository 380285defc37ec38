import { getEventListeners } from "node:events";
import { type ControlPlane, freePort } from "flipop-testbed";
import { request } from "undici";
import { EXIT } from "../../../src/exit.js";
import type { SlimNode } from "../../../src/kube/cache/slim-objects.js";
import type { KubeClient, KubeRequest } from "../../../src/kube/client.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { jsonEqual } from "../../../src/kube/objects.js";
import { Transport, type WriteGuard } from "../../../src/kube/transport/transport.js";
import { silentLogger } from "../../../src/logging.js";
import type { ElectionTimings } from "../../../src/runtime/lease-candidate.js";
import { ADDRESS, type Annotator, annotator } from "../../example/annotator.js";
import { FaultProxy } from "../fault-proxy.js";
import { NodeFleet } from "../node-fleet.js";
import { scaledClock } from "../time/scaled-clock.js";
import { until } from "../time/until.js";

/** As in server-rig.ts: the server's own waits are real. */
const SPEED = 5;
const SETTLE_MS = 60_000;
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/annotator";

/** What a process may not leave behind. */
interface Leftovers {
  readonly timers: number;
  readonly listeners: number;
  readonly flows: number;
}

/** The example controller behind the fault proxy in front of a real API server, started again whenever it ends. */
export class AnnotatorRig {
  readonly nodes: NodeFleet;
  /** Of each process that has ended. */
  readonly exits: { readonly code: number; readonly left: Leftovers }[] = [];
  /** Nodes that two runs wrote at once. */
  readonly overlaps: string[] = [];
  readonly warnings: string[] = [];
  private readonly stopped = new AbortController();
  private current: Annotator | undefined;
  private living: Promise<void> = Promise.resolve();
  private port = 0;

  private constructor(
    readonly admin: Transport,
    readonly proxy: FaultProxy,
    private readonly timings: ElectionTimings,
    private readonly speed: number,
  ) {
    this.nodes = new NodeFleet(admin, ADDRESS);
  }

  /** @param timings in scaled ms. */
  static async create(plane: ControlPlane, timings: ElectionTimings, speed = SPEED): Promise<AnnotatorRig> {
    const admin = new Transport({
      config: loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} }),
      env: {},
    });
    await admin.request({ method: "DELETE", path: LEASE }).catch(() => {});
    return new AnnotatorRig(admin, await FaultProxy.start(plane.url, plane.caData), timings, speed);
  }

  /** Starts the first process; another one follows when the lease is lost, as the kubelet would have it. */
  async start(plane: ControlPlane): Promise<void> {
    const { ca: _ca, ...config } = loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} });
    this.port = await freePort();
    this.living = this.live({ ...config, server: this.proxy.url });
  }

  /** Waits until the store is what the server has, and each node's annotation is its address. */
  async settled(): Promise<void> {
    let last = "";
    const right = async () => {
      last = this.difference(await this.nodes.list().catch(() => [])) ?? "";
      return last === "";
    };
    await until("store and annotations are right", right, SETTLE_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${last}; ${this.warnings.join()}`);
    });
  }

  /** The answer of `/readyz`, or `undefined` where nothing listens. */
  async ready(): Promise<{ readonly status: number; readonly text: string } | undefined> {
    const url = `http://127.0.0.1:${this.port}/readyz?verbose`;
    try {
      const { statusCode, body } = await request(url, { reset: true });
      return { status: statusCode, text: await body.text() };
    } catch {
      return undefined;
    }
  }

  /** As on SIGTERM; resolves when the process has ended and its sockets are gone. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.living;
    await until("no socket is left", () => this.proxy.openSockets === 0);
  }

  async close(): Promise<void> {
    this.proxy.heal();
    await this.stop();
    await this.nodes.removeAll().catch(() => {});
    await this.admin.close();
    await this.proxy.close();
  }

  private async live(config: ReturnType<typeof loadClusterConfig>): Promise<void> {
    while (!this.stopped.signal.aborted) {
      const clock = scaledClock(this.speed);
      const stop = new AbortController();
      const forward = () => stop.abort();
      this.stopped.signal.addEventListener("abort", forward, { once: true });
      const transport = new ObservedTransport({ config, clock, env: {} }, this.overlaps);
      const warn = (fields: object, message: string) => this.warnings.push(`${message} ${JSON.stringify(fields)}`);
      const logger = { ...silentLogger, warn, error: warn, child: () => logger };
      const identity = `annotator-${this.exits.length}`;
      const bind = `127.0.0.1:${this.port}`;
      this.current = annotator({ transport, identity, logger, bind, timings: this.timings, clock });
      const code = await this.current.run(stop.signal);
      this.stopped.signal.removeEventListener("abort", forward);
      const listeners = getEventListeners(stop.signal, "abort").length;
      await until("no answer is under way", () => this.proxy.openFlows === 0).catch(() => {});
      this.exits.push({ code, left: { timers: clock.pendingTimers, listeners, flows: this.proxy.openFlows } });
      if (code !== EXIT.leaseLost) return;
    }
  }

  private difference(there: readonly SlimNode[]): string | undefined {
    const here = this.current?.nodes;
    if (here === undefined || there.length === 0) return "nothing to compare";
    if (here.size !== there.length) return `${here.size} nodes in the store, ${there.length} on the server`;
    const other = there.find((node) => !jsonEqual(node, here.get(node.name)));
    if (other !== undefined) return `store and server differ in ${JSON.stringify(other)}`;
    const wrong = there.find((node) => node.annotations[ADDRESS] !== node.addresses[0]?.address);
    return wrong === undefined ? undefined : `wrong annotation: ${JSON.stringify(wrong)}`;
  }
}

/** Notes writes of one object that overlap: then two runs handled it at once. */
class ObservedTransport extends Transport {
  private readonly writing = new Set<string>();

  constructor(
    props: ConstructorParameters<typeof Transport>[0],
    private readonly overlaps: string[],
  ) {
    super(props);
  }

  override fenced(fence: WriteGuard): KubeClient {
    const inner = super.fenced(fence);
    return { open: (request) => inner.open(request), request: (request) => this.observe(request, inner) };
  }

  private async observe<T>(request: KubeRequest, inner: KubeClient): Promise<T> {
    if (this.writing.has(request.path)) this.overlaps.push(request.path);
    this.writing.add(request.path);
    try {
      return await inner.request<T>(request);
    } finally {
      this.writing.delete(request.path);
    }
  }
}
