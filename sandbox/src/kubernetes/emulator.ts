import { randomBytes } from "node:crypto";
import { customResourceDefinitions as ownDefinitions } from "cdk8s-flipop/api";
import { type Clock, systemClock } from "flipop-operator/clock";
import { stringify } from "yaml";
import type { AllowRule, Identity } from "./authorization.js";
import { type Certificate, selfSignedCertificate } from "./certificate.js";
import { type Cluster, collectionOf } from "./cluster.js";
import { cordonTaint } from "./controllers/cordon-taint.js";
import { customResourceLifecycle } from "./controllers/crd-lifecycle.js";
import { garbageCollector } from "./controllers/garbage-collector.js";
import { namespaceLifecycle } from "./controllers/namespace-lifecycle.js";
import { Reconciler } from "./controllers/write-reactions.js";
import type { FaultHook } from "./faults.js";
import { bind } from "./handle-pod-subresource.js";
import type { JsonObject } from "./json.js";
import { type ApiObject, groupOf, timestamp } from "./objects.js";
import { FIXED_NAMESPACES } from "./resources/namespace.js";
import { Registry } from "./resources/registry.js";
import type { ResourceType } from "./resources/resource-type.js";
import { ApiHttpServer } from "./server.js";
import { objectKey } from "./store/collection.js";
import { DEFAULT_HISTORY, Store } from "./store/store.js";
import { create } from "./write/create.js";
import { remove } from "./write/delete.js";
import { patch } from "./write/update.js";
import type { WriteOptions } from "./write/write-options.js";

/** How an emulator is set up. */
export interface EmulatorOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /**
   * HTTPS with a certificate of its own. kubectl sends no token over plain HTTP, so it needs this.
   * @default true
   */
  readonly tls?: boolean;
  /** Time of objects, watches and delays. @default - the system's */
  readonly clock?: Clock;
  /** Random numbers from 0 to less than 1, for names and uids. @default Math.random */
  readonly random?: () => number;
  /** CustomResourceDefinitions that are there from the start. @default - those of flipop */
  readonly definitions?: readonly object[];
  /** How many writes watches and pages can look back. @default 20000 */
  readonly history?: number;
}

/** Names an object in the emulator. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** @default - none, for cluster-scoped kinds */
  readonly namespace?: string;
}

/** Starts an emulator of the Kubernetes API on the loopback. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = new Emulator(options);
  await emulator.listen(options.port ?? 0);
  return emulator;
}

const LIVE: WriteOptions = { dryRun: false, fieldValidation: "Ignore" };

/** A Kubernetes API in this process: a real HTTP server with an empty cluster behind it. */
export class Emulator {
  /** Bearer token of the administrator. */
  readonly adminToken = randomBytes(16).toString("hex");
  private readonly cluster: Cluster;
  private readonly identities = new Map<string, Identity>();
  private readonly reconciler: Reconciler;
  private readonly server: ApiHttpServer;
  private readonly certificate: Certificate | undefined;
  private faults: FaultHook | undefined;
  private readonly requestListeners = new Set<() => void>();
  private port = 0;

  constructor({ tls = true, clock = systemClock, random = Math.random, definitions, history }: EmulatorOptions) {
    const env = { now: () => clock.now(), random };
    this.cluster = { store: new Store(history ?? DEFAULT_HISTORY), registry: new Registry(), env, applied: new Map() };
    const reactions = [customResourceLifecycle, namespaceLifecycle, cordonTaint, garbageCollector()];
    this.reconciler = new Reconciler(this.cluster, reactions);
    this.certificate = tls ? selfSignedCertificate() : undefined;
    this.identities.set(this.adminToken, { name: "admin", token: this.adminToken, allow: "everything" });
    const api = { cluster: this.cluster, identities: this.identities, reconciler: this.reconciler };
    const faults: FaultHook = (request) => {
      for (const listener of this.requestListeners) listener();
      return this.faults?.(request);
    };
    this.server = new ApiHttpServer({ api, clock, faults, ...(this.certificate && { certificate: this.certificate }) });
    this.seed(definitions ?? ownDefinitions());
  }

  /** Starts to listen. */
  async listen(port: number): Promise<void> {
    this.port = await this.server.listen(port);
  }

  /** The emulator's time, as the API writes times. */
  timestamp(): string {
    return timestamp(this.cluster.env.now());
  }

  /** Address of the API. */
  get url(): string {
    return `${this.certificate ? "https" : "http"}://127.0.0.1:${this.port}`;
  }

  /** The certificate that clients must trust, PEM; undefined over plain HTTP. */
  get ca(): string | undefined {
    return this.certificate?.cert;
  }

  /** Revision of the newest write. */
  get revision(): number {
    return this.cluster.store.revision;
  }

  /** Connections that clients hold open. */
  get openConnections(): number {
    return this.server.openConnections;
  }

  /** The text of a kubeconfig file. @param token @default - the administrator's */
  kubeconfig(token = this.adminToken): string {
    const name = "flipop-sandbox";
    const { ca, url: server } = this;
    const trust = ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") };
    return stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name, cluster: { server, ...trust } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      "current-context": name,
    });
  }

  /** Lets a client in that may do what the rules allow and nothing else; returns its token. */
  addIdentity(name: string, allow: readonly AllowRule[] | "everything"): string {
    const token = randomBytes(16).toString("hex");
    this.identities.set(token, { name, token, allow });
    return token;
  }

  /** A token is no longer known: its requests get 401. */
  revoke(token: string): void {
    this.identities.delete(token);
  }

  /** Decides for each request what goes wrong with it; undefined: nothing any more. */
  setFaults(hook: FaultHook | undefined): void {
    this.faults = hook;
  }

  /** Calls the listener at each request, before anything is done about it. */
  onRequest(listener: () => void): () => void {
    this.requestListeners.add(listener);
    return () => this.requestListeners.delete(listener);
  }

  /** Resets all connections, as a crash of the server does. */
  resetConnections(): void {
    this.server.resetConnections();
  }

  /** Forgets the history, as etcd's compaction does: older watches and pages get 410. */
  compact(): void {
    this.cluster.store.compact();
  }

  /** Creates an object as it is given, its status included; throws what the API would answer. */
  create(object: object): ApiObject {
    const body = structuredClone(object) as JsonObject & Partial<ApiObject>;
    const type = this.typeOf(String(body.apiVersion), String(body.kind));
    const created = create(this.cluster, { type, namespace: body.metadata?.namespace }, { ...body }, LIVE).object;
    const { status } = body;
    const ref = { type, namespace: created.metadata.namespace, name: created.metadata.name };
    if (status !== undefined && type.subresources.includes("status")) {
      patch(
        this.cluster,
        { ...ref, subresource: "status" },
        (current) => ({ ...current, status: structuredClone(status) }),
        LIVE,
      );
    }
    this.reconciler.settle();
    return this.get({ apiVersion: created.apiVersion, kind: created.kind, ...created.metadata }) ?? created;
  }

  /** The object as stored; undefined when it is not there. */
  get({ apiVersion, kind, name, namespace }: ObjectRef): ApiObject | undefined {
    return collectionOf(this.cluster, this.typeOf(apiVersion, kind)).get(objectKey(namespace, name));
  }

  /** All objects of a kind. */
  list(apiVersion: string, kind: string): readonly ApiObject[] {
    return collectionOf(this.cluster, this.typeOf(apiVersion, kind)).list();
  }

  /** Changes an object, or its status, to what the function makes of a copy. */
  change(ref: ObjectRef, edit: (object: JsonObject) => JsonObject, subresource?: "status"): void {
    const { apiVersion, kind, name, namespace } = ref;
    patch(this.cluster, { type: this.typeOf(apiVersion, kind), namespace, name, subresource }, edit, LIVE);
    this.reconciler.settle();
  }

  /** Gives a pod its node, as the scheduler does. */
  bind(ref: ObjectRef, node: string): void {
    const pod = this.get(ref);
    if (pod) bind(this.cluster, this.typeOf(ref.apiVersion, ref.kind), pod, node);
    this.reconciler.settle();
  }

  /** Deletes an object, if it is there; its finalizers still count. @param gracePeriodSeconds of a pod. @default 0: at once */
  delete(ref: ObjectRef, gracePeriodSeconds = 0): void {
    const object = this.get(ref);
    const options = { dryRun: false, gracePeriodSeconds, propagationPolicy: "Background" } as const;
    if (object) remove(this.cluster, this.typeOf(ref.apiVersion, ref.kind), object, options);
    this.reconciler.settle();
  }

  /** Ends all connections and stops listening. */
  async close(): Promise<void> {
    await this.server.close();
  }

  private seed(definitions: readonly object[]): void {
    for (const name of FIXED_NAMESPACES) this.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const definition of definitions) this.create(definition);
  }

  private typeOf(apiVersion: string, kind: string): ResourceType {
    const type = this.cluster.registry.findKind(groupOf(apiVersion), kind);
    if (!type)
      throw new Error(`the emulator has no kind ${kind} in ${apiVersion}: create its CustomResourceDefinition first`);
    return type;
  }
}
