/** What all controllers of a process share, and the shape that each has. Made once, by operator.ts. */

import type { AddressAccounts } from "../addresses/accounts/account-registry.js";
import type { AnnotatedNodes, Owners } from "../addresses/annotations.js";
import type { CreationRegistry } from "../addresses/creation/creation-registry.js";
import type { NodeMarks } from "../addresses/marks/holder-labels-and-taints.js";
import type { TakeOver } from "../addresses/releases/heirs.js";
import type { Random } from "../async.js";
import type { NodeNames } from "../claims/addresses-in-dns.js";
import type { Claims } from "../claims/claims.js";
import type { Heirs } from "../claims/heirs.js";
import type { NodeRequestRegistry } from "../claims/node-shares.js";
import type { Clock } from "../clock.js";
import type { Settings } from "../config.js";
import type { HealthChecks } from "../health/health-checks.js";
import type { HolderRegistry } from "../health/holder-registry.js";
import type { Inventories } from "../inventory/inventories.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import type { KubeClient } from "../kube/client.js";
import type { EventRecorder } from "../kube/write/events.js";
import type { CreatedAddresses } from "../limits/addresses-per-namespace.js";
import type { MoveLimits } from "../limits/move-limits.js";
import type { TenantAccess } from "../limits/tenant-limits.js";
import type { Logger } from "../logging.js";
import type { NodeDirectory } from "../match/node-directory.js";
import type { FlipopMetrics, RuntimeMetrics } from "../metrics/definitions.js";
import type { Notifier } from "../providers/account-recovery.js";
import type { ProviderRegistry } from "../providers/registry.js";
import type { Publications } from "../publishing/publications.js";
import type { PlanViewer } from "../reconcile/dry-run.js";
import type { KindController } from "../reconcile/kind-controller.js";
import type { KindTypes } from "../reconcile/plan.js";
import type { RecordRegistry } from "../records/dns-service.js";
import type { SharedServices } from "../routing/service-watches.js";
import type { Check } from "../runtime/http-server.js";
import type { Drainable, Synced } from "../runtime/manager.js";
import type { StopView } from "../runtime/stop-switch.js";
import { SECOND_MS } from "../timings.js";

/** The part of the settings that controllers read. */
export interface ControllerSettings
  extends Pick<
    Settings,
    "namespace" | "features" | "issuerNamespaces" | "jobNamespaces" | "watchNamespaces" | "podNamespaces" | "dryRun"
  > {
  /** ms between two runs of everything. */
  readonly resyncMs: number;
}

export function controllerSettings(settings: Settings): ControllerSettings {
  return { ...settings, resyncMs: settings.resync * SECOND_MS };
}

/** Other installations may manage resources in namespaces that this operator does not see. */
export function limitsNamespaces({ watchNamespaces }: Pick<ControllerSettings, "watchNamespaces">): boolean {
  return watchNamespaces.length > 0;
}

export function watchesNamespace(settings: Pick<ControllerSettings, "watchNamespaces">, namespace: string): boolean {
  return !limitsNamespaces(settings) || settings.watchNamespaces.includes(namespace);
}

/** Another installation may serve other namespaces, or the kinds that this one does not. */
export function hasUnseenOwners({
  features,
  watchNamespaces,
}: Pick<ControllerSettings, "features" | "watchNamespaces">) {
  return limitsNamespaces({ watchNamespaces }) || !features.includes("pools") || !features.includes("routedip");
}

export interface ControllerContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Reads are free; writes need the lease (NotLeaderError) and end in DryRunError on a dry run. */
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly watches: SharedWatches;
  /** All nodes; follows `watches.nodes()`. */
  readonly nodes: NodeDirectory;
  /** Nodes that bear an address annotation. */
  readonly annotated: AnnotatedNodes;
  /** Nodes with the label of a resource whose address they have, and with the taint of one that they wait for. */
  readonly marks: NodeMarks;
  /** Services of the watched namespaces. */
  readonly services: SharedServices;
  readonly providers: ProviderRegistry;
  readonly inventories: Inventories;
  /** Addresses through the providers of the environment. */
  readonly accounts: AddressAccounts;
  /** Each controller puts and drops its own resources. Notifies the affected uids through the notifier. */
  readonly claims: Claims;
  /** Addresses that NodeDNSRecordSets publish. Notifies whose addresses leave a name through the notifier. */
  readonly nodeNames: NodeNames;
  /** Notifies the affected uids through the notifier. */
  readonly nodeRequests: NodeRequestRegistry;
  /** Creations of all kinds whose end is unknown. Notifies the resources that wait for one. */
  readonly creations: CreationRegistry;
  /** Addresses that the operator created, by namespace. Each controller puts and drops its own resources. */
  readonly created: CreatedAddresses;
  /** Each controller sets how its resources take over an address that another one was created for. */
  readonly heirs: Heirs<TakeOver>;
  /** What the configuration allows each namespace. */
  readonly tenants: TenantAccess;
  readonly records: RecordRegistry;
  /** Which resources there are, for annotations that name their owner. */
  readonly owners: Owners;
  /** Uids of resources that should look again, from claims, node requests and creations. */
  readonly notifier: Notifier;
  /** Only on a dry run: shows what it would do. */
  readonly dryRunPlans?: PlanViewer;
  /** A person can stop all changes. @default never */
  readonly stop?: StopView;
  /** Absent: the operator runs without feature healthchecks. */
  readonly health?: HealthChecks;
  /** Absent: the operator runs without feature healthchecks. */
  readonly holders?: HolderRegistry;
  readonly moveLimits: MoveLimits;
  /** Absent: the operator runs without feature publish. */
  readonly publications?: Publications;
  readonly metrics: FlipopMetrics;
  readonly runtime: RuntimeMetrics;
  /** Whether this process may write now. */
  readonly leads: () => boolean;
  /** Since when it may, without a break, ms since the epoch. */
  readonly leadsSince: () => number | undefined;
  readonly settings: ControllerSettings;
}

/** What a controller adds to the process. */
export interface ControllerParts {
  /** Run while this process leads, after the caches of nodes and of their own kinds have synced. */
  readonly controllers: readonly Drainable[];
  /** Started already. */
  readonly caches: readonly Synced[];
  /** Those of `caches` whose resources may list addresses. @default none */
  readonly withAddresses?: readonly Synced[];
  /** Readiness, by name. */
  readonly checks: ReadonlyMap<string, Check>;
  /** At the very end: nothing of it is left. */
  close(): Promise<void>;
}

/** What each controller folder exports: `createFloatingIPPoolController`, `createNodeDNSRecordSetController`, ... */
export type ControllerFactory = (context: ControllerContext) => ControllerParts;

/** Of a kind with DNS names: zones whose domain becomes known may change its claims. */
export function partsOf<T extends KindTypes>(
  { records }: Pick<ControllerContext, "records">,
  controller: KindController<T>,
  { check, ...caches }: Pick<ControllerParts, "caches" | "withAddresses"> & { readonly check: string },
): ControllerParts {
  const unlisten = records.zones.listen(() => controller.seeAll());
  const close = () => {
    unlisten();
    return controller.close();
  };
  return { controllers: [controller], ...caches, checks: new Map([[check, () => controller.degradedReason()]]), close };
}

/** Removes a resource with addresses from what the resources share, once it is gone. */
export function forgetInRegistries(context: ControllerContext, uid: string): void {
  const { claims, created, heirs, nodeRequests, creations, holders, moveLimits, publications } = context;
  claims.drop(uid);
  created.drop(uid);
  heirs.drop(uid);
  nodeRequests.withdraw(uid);
  creations.end(uid);
  holders?.drop(uid);
  moveLimits.drop(uid);
  publications?.drop(uid);
}
