/** What all controllers of a process share, and the shape that each has. Made once, by operator.ts. */

import type { FeatureName } from "cdk8s-flipop/api";
import type { AddressAccounts } from "../addresses/address-accounts.js";
import type { AnnotatedNodes } from "../addresses/annotations/annotated-nodes.js";
import type { Owners } from "../addresses/annotations/owners.js";
import type { CreationRegistry } from "../addresses/creation/creation-registry.js";
import type { Random } from "../async/backoff.js";
import type { Claims } from "../claims/claims.js";
import type { NodeRequestRegistry } from "../claims/node-shares.js";
import type { Clock } from "../clock.js";
import type { Inventories } from "../inventory/inventories.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import type { KubeClient } from "../kube/client.js";
import type { EventRecorder } from "../kube/write/events.js";
import type { Logger } from "../logging.js";
import type { NodeDirectory } from "../match/node-directory.js";
import type { FlipopMetrics } from "../metrics/flipop.js";
import type { RuntimeMetrics } from "../metrics/runtime.js";
import type { ProviderRegistry } from "../providers/registry.js";
import type { DryRunPlans } from "../reconcile/dry-run.js";
import type { Notifier } from "../reconcile/notifier.js";
import type { RecordRegistry } from "../records/record-registry.js";
import type { Check } from "../runtime/health.js";
import type { Drainable, Synced } from "../runtime/manager.js";

/** The part of the settings that controllers read. */
export interface ControllerSettings {
  /** The operator's own. */
  readonly namespace: string;
  readonly features: readonly FeatureName[];
  /** Those whose Secrets issuers may use. */
  readonly issuerNamespaces: readonly string[];
  readonly jobNamespaces: readonly string[];
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** Empty: all. */
  readonly podNamespaces: readonly string[];
  /** ms between two runs of everything. */
  readonly resyncMs: number;
  /** Nothing is written: patches and mutations end in DryRunError. */
  readonly dryRun: boolean;
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
  readonly providers: ProviderRegistry;
  readonly inventories: Inventories;
  /** Addresses through the providers of the environment. */
  readonly accounts: AddressAccounts;
  /** Each controller puts and drops its own resources. Notifies the affected uids through the notifier. */
  readonly claims: Claims;
  /** Notifies the affected uids through the notifier. */
  readonly nodeRequests: NodeRequestRegistry;
  /** Creations of all kinds whose end is unknown. Notifies the resources that wait for one. */
  readonly creations: CreationRegistry;
  readonly records: RecordRegistry;
  /** Which resources there are, for annotations that name their owner. */
  readonly owners: Owners;
  /** Uids of resources that should look again, from claims, demands and creations. Others' are passed over. */
  readonly notifier: Notifier;
  /** Only on a dry run: shows what it would do. */
  readonly dryRunPlans?: DryRunPlans;
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
  /** Readiness, by name. */
  readonly checks: ReadonlyMap<string, Check>;
  /** At the very end: nothing of it is left. */
  close(): Promise<void>;
}

/** What each controller folder exports: `createFloatingIPPoolController`, `createNodeDNSRecordSetController`, ... */
export type ControllerFactory = (context: ControllerContext) => ControllerParts;
