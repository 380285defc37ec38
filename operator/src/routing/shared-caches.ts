/** What RoutedIPs, issuers and classes share in one process: the caches, and who uses whom. */

import { timeOf } from "../clock.js";
import type { ControllerContext } from "../controllers/context.js";
import type { Cache } from "../kube/cache/cache.js";
import { type WholeObject, wholeObjects } from "../kube/cache/slim-objects.js";
import { type KubeObject, type ObjectMeta, scopesOf } from "../kube/objects.js";
import { installationOf } from "../match/taint-claims.js";
import type { ClassUser, LeavingUser } from "../messages/deletion/kept-resource.js";
import { ObjectWriters as Writers } from "../reconcile/object-writer.js";
import { GROUP_PATH, OwnResources } from "../reconcile/resource-source.js";
import type { Synced } from "../runtime/manager.js";
import { cachePart } from "../runtime/synced-kinds.js";
import { type SliceFacts, slimSlices } from "./endpoint-workload.js";
import { FirewallRegistry } from "./firewalls/firewall-registry.js";
import { firewallNamesOf } from "./firewalls/firewalls-in-issuer-status.js";
import { haveUsersChanged, type InUseFinalizers, inUseFinalizersOf } from "./in-use.js";
import {
  type ClassObject,
  type ClassRead,
  classFor,
  classNameIn,
  type IssuerObject,
  type IssuerRead,
  type RoutedIP,
  type RoutedObject,
  readClass,
  readIssuer,
  readRouted,
} from "./read-resources.js";
import { comesTooLate, type LookUp, resolveClass, usesOf } from "./resolved-class.js";
import type { ServiceFacts } from "./service.js";
import { TaintRegistry } from "./taint-registry.js";

export interface RoutingSettings {
  readonly namespace: string;
  readonly issuerNamespaces: readonly string[];
  readonly jobNamespaces: readonly string[];
}

export type SecretObject = KubeObject & { readonly data?: Readonly<Record<string, string>> };

const FORBIDDEN = 403;

/** A namespace may have hundreds of other Secrets, of up to 1 MB each. Nothing changes the type of a Secret. */
const CREDENTIALS = { fieldSelector: "type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token" };

export class RoutingCaches {
  readonly routed: OwnResources<RoutedObject>;
  readonly issuers: OwnResources<IssuerObject>;
  readonly classes: Cache<WholeObject<ClassObject>>;
  readonly services: readonly Cache<ServiceFacts>[];
  readonly slices: readonly Cache<SliceFacts>[];
  readonly secrets: readonly Cache<WholeObject<SecretObject>>[];
  readonly issuerWriters: Writers<IssuerObject>;
  readonly classWriters: Writers<ClassObject>;
  readonly firewalls: FirewallRegistry;
  readonly taints: TaintRegistry;
  /** For the manager. */
  readonly parts: readonly Synced[];
  readonly lookUp: Omit<LookUp, "issuer" | "class"> & {
    class(name: string): ClassRead | undefined;
    issuer(key: string): IssuerRead | undefined;
  };
  /** Empty: all. */
  private readonly issuerNamespaces: readonly string[];
  private readonly slicesOf = new Map<string, Map<string, SliceFacts>>();
  private readonly ends: (() => void)[] = [];

  constructor(
    readonly context: ControllerContext,
    readonly settings: RoutingSettings,
  ) {
    const { watches } = context;
    const { watchNamespaces } = context.settings;
    this.issuerNamespaces =
      watchNamespaces.length === 0 ? [] : [...new Set([...watchNamespaces, ...settings.issuerNamespaces])];
    this.routed = new OwnResources(watches, "routedips", watchNamespaces);
    this.issuers = new OwnResources(watches, "routedipissuers", this.issuerNamespaces);
    const classPath = `${GROUP_PATH}/clusterroutedipclasses`;
    this.classes = watches.kind("clusterroutedipclasses", classPath, wholeObjects<ClassObject>());
    this.services = context.services.caches;
    this.slices = scopesOf(watchNamespaces).map((scope) =>
      watches.kind("endpointslices", `/apis/discovery.k8s.io/v1${scope}/endpointslices`, slimSlices),
    );
    this.secrets = settings.issuerNamespaces.map((namespace) =>
      watches.kind("secrets", `/api/v1/namespaces/${namespace}/secrets`, wholeObjects<SecretObject>(), CREDENTIALS),
    );
    const caches = [this.classes, ...this.slices, ...this.secrets];
    const own = [...this.routed.parts, ...this.issuers.parts, ...caches.map((cache) => cachePart(cache))];
    this.parts = [...own, ...context.services.parts];
    this.firewalls = new FirewallRegistry(context.clock);
    this.taints = new TaintRegistry(context.clock, installationOf({ namespace: settings.namespace, watchNamespaces }));
    const { client, clock } = context;
    this.issuerWriters = this.issuers.writers(context);
    this.classWriters = new Writers(
      client,
      (name) => this.classes.store.get(name)?.object,
      (name) => `${classPath}/${name}`,
      clock,
    );
    this.lookUp = {
      class: (name) => readClass(this.classWriters.get(this.classFor(name) ?? "")),
      classNameOf: (object) => classNameIn(this.classes.store.get(object)?.object),
      issuer: (key) => readIssuer(this.issuerWriters.get(key)),
    };
    this.followSlices();
    this.followIssuers();
  }

  get synced(): boolean {
    return this.parts.every((part) => part.hasSynced());
  }

  get inUseFinalizers(): InUseFinalizers {
    const { watchNamespaces } = this.context.settings;
    return inUseFinalizersOf({ namespace: this.settings.namespace, watchNamespaces });
  }

  seesIssuersIn(namespace: string): boolean {
    return this.issuerNamespaces.length === 0 || this.issuerNamespaces.includes(namespace);
  }

  /** @param key `namespace/name`. */
  service(key: string): ServiceFacts | undefined {
    return this.context.services.get(key);
  }

  slicesFor(service: string): Iterable<SliceFacts> {
    return this.slicesOf.get(service)?.values() ?? [];
  }

  /** `forbidden`: it may exist, and the operator may not read it. */
  secret(key: string): Readonly<Record<string, string>> | "forbidden" | undefined {
    const { issuerNamespaces } = this.settings;
    const cache = this.secrets[issuerNamespaces.findIndex((namespace) => key.startsWith(`${namespace}/`))];
    const found = cache?.store.get(key);
    if (found !== undefined) return decoded(found.object.data ?? {});
    return cache?.state.lastCode === FORBIDDEN ? "forbidden" : undefined;
  }

  /** RoutedIPs that use an issuer, directly or by their class; as `namespace/name`, sorted. Those that are refused do not. */
  usersOfIssuer(key: string): readonly string[] {
    const issuerMetadata = this.lookUp.issuer(key)?.metadata;
    return this.users((object) => {
      const { className, issuer } = usesOf(object);
      const used = className === undefined ? undefined : this.lookUp.class(className);
      const ref = used?.spec.issuerRef;
      const names = issuer === key || (ref !== undefined && `${ref.namespace}/${ref.name}` === key);
      return names && ![used?.metadata, issuerMetadata].some((each) => comesTooLate(object, each));
    });
  }

  /** The object name of the class that serves RoutedIPs of this class name. */
  classFor(name: string): string | undefined {
    return classFor(
      name,
      [...this.classes.store.list()].map(({ object }) => object),
    );
  }

  usersOfClass(name: string): readonly string[] {
    const used = this.lookUp.class(name)?.metadata;
    return this.users((object) => usesOf(object).className === name && !comesTooLate(object, used));
  }

  /** @param users as `namespace/name` */
  leavingOf(users: readonly string[]): readonly LeavingUser[] {
    return users.flatMap((user) => {
      const { deletionTimestamp, finalizers = [] } = this.routed.get(user)?.metadata ?? {};
      return deletionTimestamp === undefined ? [] : { user, finalizers };
    });
  }

  /** Of these users, those that name a class. */
  classUsersOf(users: readonly string[]): readonly ClassUser[] {
    return users.flatMap((user) => {
      const object = this.routed.get(user);
      const { className } = object === undefined ? {} : usesOf(readRouted(object).routed);
      const used = className === undefined ? undefined : this.lookUp.class(className);
      return used === undefined ? [] : { user, className: used.metadata.name };
    });
  }

  /** Of these users, those that were created after the deletion of what they use began; none if that is not being deleted. */
  newerOf(users: readonly string[], { deletionTimestamp }: Pick<ObjectMeta, "deletionTimestamp">): readonly string[] {
    const began = timeOf(deletionTimestamp);
    if (began === undefined) return [];
    return users.filter((user) => (timeOf(this.routed.get(user)?.metadata.creationTimestamp) ?? began) > began);
  }

  /** The RoutedIPs of a class, as read. */
  membersOf(className: string): readonly RoutedIP[] {
    return [...this.routed.list()]
      .map((object) => readRouted(object).routed)
      .filter(({ spec }) => spec.className === className);
  }

  /** The provider that a RoutedIP's addresses come from; `undefined`: unknown, or Jobs do it. */
  providerOf(object: RoutedObject): string | undefined {
    const { resolvedClass } = resolveClass(readRouted(object).routed, this.lookUp);
    return resolvedClass?.by === "issuer" ? resolvedClass.provider : undefined;
  }

  /** Whether Jobs of its class do the work. `false` also while the class is unknown. */
  worksByJobs(routed: RoutedIP): boolean {
    return resolveClass(routed, this.lookUp).resolvedClass?.by === "jobs";
  }

  close(): void {
    for (const end of this.ends) end();
  }

  private users(uses: (applicant: ReturnType<typeof readRouted>["routed"]) => boolean): readonly string[] {
    const names: string[] = [];
    for (const object of this.routed.list()) {
      const { routed } = readRouted(object);
      if (uses(routed)) names.push(`${object.metadata.namespace}/${object.metadata.name}`);
    }
    return names.sort();
  }

  /** Before those who use it run again. */
  private followIssuers(): void {
    const end = this.issuers.listen((event) => {
      if (event.type !== "updated") return;
      const [before, issuer] = [event.old.object, readIssuer(event.object.object)];
      if (issuer === undefined || !haveUsersChanged(before.metadata, issuer.metadata, this.inUseFinalizers)) return;
      this.firewalls.usersChanged(firewallNamesOf(issuer));
    });
    this.ends.push(end);
  }

  private followSlices(): void {
    for (const { store } of this.slices) {
      this.ends.push(
        store.listen((event) => {
          if (event.type === "updated" && event.old.service !== event.object.service) {
            this.slicesOf.get(event.old.service)?.delete(event.old.uid);
          }
          const { service, uid } = event.object;
          const known = this.slicesOf.get(service) ?? new Map<string, SliceFacts>();
          if (event.type === "deleted") known.delete(uid);
          else known.set(uid, event.object);
          if (known.size === 0) this.slicesOf.delete(service);
          else this.slicesOf.set(service, known);
        }),
      );
    }
  }
}

function decoded(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]);
  return Object.fromEntries(entries) as Record<string, string>;
}
