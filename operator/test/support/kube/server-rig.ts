import type { ControlPlane } from "flipop-testbed";
import { type WholeObject, wholeObjects } from "../../../src/kube/cache/slim-objects.js";
import { Store } from "../../../src/kube/cache/store.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import type { KubeObject } from "../../../src/kube/objects.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { Reflector } from "../../../src/kube/watch/reflector.js";
import { silentLogger } from "../../../src/logging.js";
import { FaultProxy } from "../fault-proxy.js";
import { Heard } from "../heard.js";
import { scaledClock } from "../time/scaled-clock.js";
import { until } from "../time/until.js";

/**
 * Minutes of waiting become seconds. Not faster: the server runs in real time, and takes 3 s to say that it does not
 * know a version yet; our deadline of 30 s must stay well above.
 */
const SPEED = 5;
let namespaces = 0;

interface RigParts {
  readonly admin: Transport;
  readonly proxy: FaultProxy;
  readonly behind: Transport;
  readonly namespace: string;
  readonly clock: ReturnType<typeof scaledClock>;
}

/** ConfigMaps of a namespace of its own on a real API server, reflected through the fault proxy. */
export class ServerRig {
  readonly store = new Store<WholeObject>();
  readonly events: string[] = [];
  readonly warnings: string[] = [];
  readonly notes: string[] = [];
  readonly reflector: Reflector<WholeObject>;
  private readonly heard = new Heard(this.store);
  private readonly controller = new AbortController();
  private running: Promise<void> | undefined;

  /** Straight to the server, as the admin. */
  readonly admin: Transport;
  readonly proxy: FaultProxy;
  readonly namespace: string;
  readonly clock: ReturnType<typeof scaledClock>;
  private readonly behind: Transport;

  private constructor({ admin, proxy, behind, namespace, clock }: RigParts) {
    this.admin = admin;
    this.proxy = proxy;
    this.behind = behind;
    this.namespace = namespace;
    this.clock = clock;
    this.reflector = new Reflector({
      client: behind,
      target: { name: "configmaps", path: this.path(), labelSelector: "flipop=yes" },
      transform: wholeObjects(),
      sink: this.store,
      clock,
      logger: {
        ...silentLogger,
        warn: (fields) => this.warnings.push(JSON.stringify(fields)),
        info: (fields, message) => this.notes.push(`${message} ${JSON.stringify(fields)}`),
      },
    });
    this.store.listen((event) => this.events.push(`${event.type} ${event.object.name}`));
  }

  /** @param speed how many times as fast as real time the reflector waits. */
  static async create(plane: ControlPlane, speed = SPEED): Promise<ServerRig> {
    const config = loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} });
    const admin = new Transport({ config, env: {} });
    const namespace = `rig-${process.pid}-${++namespaces}`;
    await admin.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    const proxy = await FaultProxy.start(plane.url, plane.caData);
    const { ca: _ca, ...rest } = config;
    const clock = scaledClock(speed);
    const behind = new Transport({ config: { ...rest, server: proxy.url }, clock, env: {} });
    return new ServerRig({ admin, proxy, behind, namespace, clock });
  }

  path(name?: string): string {
    const collection = `/api/v1/namespaces/${this.namespace}/configmaps`;
    return name === undefined ? collection : `${collection}/${name}`;
  }

  async put(name: string, value: string): Promise<void> {
    const body = { metadata: { name, labels: { flipop: "yes" } }, data: { value } };
    const patched = this.admin.request({ method: "PATCH", path: this.path(name), body });
    await patched.catch(() => this.admin.request({ method: "POST", path: this.path(), body }));
  }

  async remove(name: string): Promise<void> {
    await this.admin.request({ method: "DELETE", path: this.path(name) }).catch(() => {});
  }

  async synced(): Promise<void> {
    this.running = this.reflector.run(this.controller.signal);
    await this.reflector.whenSynced(this.controller.signal);
  }

  /** Waits until the store is what the server has, versions included, and has emitted all of it. */
  async equal(): Promise<void> {
    let last = "";
    const same = async () => {
      last = (await this.difference()) ?? "";
      return last === "" && this.heard.isAll;
    };
    await until("the store equals the server", same, 60_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${last}; ${JSON.stringify(this.reflector.state)}; ${this.warnings.join()}`);
    });
  }

  async close(): Promise<void> {
    this.controller.abort();
    await this.running;
    await this.admin.request({ method: "DELETE", path: `/api/v1/namespaces/${this.namespace}` }).catch(() => {});
    await this.behind.close();
    await this.admin.close();
    await this.proxy.close();
  }

  private async difference(): Promise<string | undefined> {
    const query = { labelSelector: "flipop=yes" };
    const list = await this.admin.request<{ items: KubeObject[] }>({ method: "GET", path: this.path(), query });
    const there = list.items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
    const here = [...this.store.list()].map((object) => `${object.name}@${object.resourceVersion}`).sort();
    return here.join() === there.join() ? undefined : `store: ${here.join()} server: ${there.join()}`;
  }
}
