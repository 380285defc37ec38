/** The operator, assembled: everything between a way to the API server and an exit code. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { API_GROUP, CONTROLLER_NAME, type FeatureName, LEASE_NAME, RELEASE } from "cdk8s-flipop/api";
import { AddressAccounts } from "./addresses/accounts/account-registry.js";
import { AnnotatedNodes, Owners } from "./addresses/annotations.js";
import { CreationRegistry } from "./addresses/creation/creation-registry.js";
import { NodeMarks } from "./addresses/marks/holder-labels-and-taints.js";
import type { TakeOver } from "./addresses/releases/heirs.js";
import { type Random, settlesWithin } from "./async.js";
import { claimRegistries } from "./claims/addresses-in-dns.js";
import { NodeRequestRegistry } from "./claims/node-shares.js";
import { type Clock, systemClock } from "./clock.js";
import type { Settings } from "./config.js";
import {
  type ControllerContext,
  type ControllerFactory,
  type ControllerParts,
  controllerSettings,
} from "./controllers/context.js";
import { createFloatingIPPoolController } from "./controllers/floating-ip-pool/controller.js";
import { createNodeAnnotationsController } from "./controllers/node-annotations/controller.js";
import { createNodeDNSRecordSetController } from "./controllers/node-dns-record-set/controller.js";
import { createPublicationsController } from "./controllers/publications/controller.js";
import { createRoutedIPControllers } from "./controllers/routed-ip-controllers.js";
import type { ExitCode } from "./exit.js";
import { createHealth } from "./health/create.js";
import type { Probe } from "./health/probe.js";
import type { StandbyService } from "./health/standby/create.js";
import { electionHooks, type OwnReplica, ownReplica } from "./health/standby/own-replica.js";
import { Inventories } from "./inventory/inventories.js";
import { SharedWatches } from "./kube/cache/shared-watches.js";
import type { FencedClient } from "./kube/transport/transport.js";
import { ApiEventRecorder } from "./kube/write/events.js";
import { CreatedAddresses } from "./limits/addresses-per-namespace.js";
import { MoveLimits } from "./limits/move-limits.js";
import { TenantAccess } from "./limits/tenant-limits.js";
import type { Logger, Redactor } from "./logging.js";
import { NodeDirectory } from "./match/node-directory.js";
import { countUnlisted } from "./metrics/addresses.js";
import { type FlipopMetrics, flipopMetrics, type RuntimeMetrics, runtimeMetrics } from "./metrics/definitions.js";
import { MetricsRegistry } from "./metrics/registry.js";
import { Notifier } from "./providers/account-recovery.js";
import { createProviders, TOKEN_VARIABLES } from "./providers/create.js";
import { addExternalDns } from "./providers/external-dns/index.js";
import type { ProviderRegistry } from "./providers/registry.js";
import { Publications } from "./publishing/publications.js";
import { DryRunPlans, dryRunClient, dryRunEvents, type PlanViewer } from "./reconcile/dry-run.js";
import { RecordRegistry } from "./records/dns-service.js";
import { SharedServices } from "./routing/service-watches.js";
import { type Fence, fenced, OpenSince, openFence } from "./runtime/fence.js";
import { Health, healthRoutes, metricsRoutes, SmallHttpServer } from "./runtime/http-server.js";
import { createElector, type Elector, type LeaderElector, noElection } from "./runtime/leader-elector.js";
import { type Drainable, Manager, type Runnable, type Synced } from "./runtime/manager.js";
import { StaleCaches } from "./runtime/stale-caches.js";
import { StopSwitch, showStop, stoppable, watchLease } from "./runtime/stop-switch.js";
import { AbsentKinds, afterSync, cachePart, knownKinds } from "./runtime/synced-kinds.js";
import { CLOSE_DEADLINE_MS, SECOND_MS } from "./timings.js";

export interface OperatorOptions {
  readonly settings: Settings;
  /** The way to the API server. Whoever made it closes it. */
  readonly transport: FencedClient;
  readonly logger: Logger;
  /** Tokens, URLs and user agents of the providers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the logger: learns the tokens. @default one of its own */
  readonly redactor?: Redactor;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly registry?: MetricsRegistry;
  /** Metrics of the machinery, where the transport has them already. @default made in the registry */
  readonly runtime?: RuntimeMetrics;
  /** Unique for each process. @default host name and a random part */
  readonly identity?: string;
  /** Probes nodes. @default with sockets */
  readonly probe?: Probe;
  /** Shows the plans of a dry run. @default the log */
  readonly plans?: PlanViewer;
}

export interface Operator {
  readonly health: Health;
  readonly registry: MetricsRegistry;
  /** Lives until `stop` aborts or the lease is lost; then nothing of it is left. Never rejects; call it once. */
  run(stop: AbortSignal): Promise<ExitCode>;
}

const FACTORIES: Readonly<Partial<Record<FeatureName, ControllerFactory>>> = {
  pools: createFloatingIPPoolController,
  dns: createNodeDNSRecordSetController,
  routedip: createRoutedIPControllers,
  publish: createPublicationsController,
};

/** @throws NoProviderError */
export function createOperator(options: OperatorOptions): Operator {
  const parts = new Assembly(options);
  return { health: parts.health, registry: parts.registry, run: (stop) => parts.run(stop) };
}

class Assembly {
  readonly registry: MetricsRegistry;
  readonly health = new Health();
  private readonly notifier = new Notifier();
  private readonly context: ControllerContext;
  private readonly clock: Clock;
  private readonly runtime: RuntimeMetrics;
  private readonly identity: string;
  private readonly stop: StopSwitch;
  private readonly stale: StaleCaches;
  private readonly replica: OwnReplica | undefined;
  private standby: StandbyService | undefined;
  private readonly lease: Synced;
  private readonly elector: Elector;
  private readonly fence: Fence;
  private readonly recorder: ApiEventRecorder;
  private readonly providers: ProviderRegistry;
  private readonly parts: readonly ControllerParts[];
  private readonly kinds: AbsentKinds;
  private readonly knownKinds: Runnable;

  constructor(private readonly options: OperatorOptions) {
    const { settings, clock = systemClock, registry = new MetricsRegistry() } = options;
    this.clock = clock;
    this.registry = registry;
    this.runtime = options.runtime ?? runtimeMetrics(registry, LEASE_NAME);
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.stop = new StopSwitch(options.logger);
    this.replica = ownReplica(settings, { identity: this.identity, clock });
    const elector = this.makeElector();
    this.elector = elector ?? noElection;
    this.health.add("readyz", "lease", () => elector?.tooSlow());
    this.fence = elector?.fence ?? openFence;
    const metrics = flipopMetrics(registry);
    showStop(this.stop, metrics);
    this.providers = this.makeProviders(metrics);
    this.providers.onTokenReplaced(() => this.notifier.notifyAll());
    // Runs that found the fence shut have ended, and nothing else asks for another one.
    this.fence.onReopen?.(() => this.notifier.notifyAll());
    this.recorder = this.makeRecorder();
    this.context = this.makeContext(metrics);
    this.stale = new StaleCaches(() => this.context.watches.states(), { clock, logger: options.logger });
    metrics.stale.readFrom(() => this.stale.seconds());
    metrics.unlisted.readFrom(() => countUnlisted(this.context, this.context.nodes));
    this.lease = this.stop.follow(watchLease(this.context.watches, settings.namespace));
    const factories = [
      ...settings.features.flatMap((feature) => FACTORIES[feature] ?? []),
      createNodeAnnotationsController,
    ];
    this.parts = factories.map((factory) => factory(this.context));
    this.kinds = new AbsentKinds([...new Set(this.parts.flatMap(({ caches }) => caches))], this.clock);
    const withAddresses = this.parts.flatMap((part) => part.withAddresses ?? []);
    this.knownKinds = knownKinds({ kinds: this.kinds.tolerated(), withAddresses }, this.clock, this.context);
    this.health.add("readyz", "kinds", this.kinds.check);
    for (const [name, check] of this.parts.flatMap(({ checks }) => [...checks])) this.health.add("readyz", name, check);
  }

  async run(stop: AbortSignal): Promise<ExitCode> {
    const { settings, logger } = this.options;
    const { features, namespace, dryRun } = settings;
    const providers = this.providers.names;
    logger.info({ version: RELEASE, features, namespace, providers, dryRun }, "starting");
    if (providers.length === 0)
      logger.warn({ give: TOKEN_VARIABLES }, "no provider has a token; only resources that need none work");
    try {
      return await this.makeManager().run(stop);
    } finally {
      const closed = this.close().catch((error: unknown) => logger.error({ error }, "Failed to close at the end"));
      if (!(await settlesWithin(this.clock, CLOSE_DEADLINE_MS, closed))) {
        logger.warn({ deadlineMs: CLOSE_DEADLINE_MS }, "Watches and connections did not close in time");
      }
    }
  }

  private async close(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.close()));
    this.context.annotated.close();
    await this.context.health?.close();
    this.context.dryRunPlans?.close();
    await Promise.all([this.context.watches.stop(), this.providers.close()]);
  }

  private makeManager(): Manager {
    const { settings, logger } = this.options;
    const { clock, health, registry, elector, standby } = this;
    const server = (name: string, bind: string, routes: ReturnType<typeof healthRoutes>) =>
      new SmallHttpServer({ name, bind, routes, logger });
    return new Manager({
      ...{ clock, logger, health, elector },
      servers: [
        server("metrics", settings.metricsBindAddr, metricsRoutes(registry)),
        server("health", settings.healthBindAddr, healthRoutes(health)),
        ...(standby?.servers ?? []),
      ],
      caches: [cachePart(this.context.watches.nodes()), this.lease, ...this.kinds.tolerated()],
      stale: this.stale.check,
      background: [
        { name: "token files", run: (signal) => this.providers.followFiles(signal) },
        ...[this.recorder, this.knownKinds, this.stale],
        this.kinds.logged(clock, logger),
        ...(standby?.background ?? []),
      ],
      controllers: this.parts.flatMap((part) => this.controllersOf(part)),
      drainDeadlineMs: settings.shutdownTimeout * 1000,
    });
  }

  /** Each begins when its own kinds are known: data that one kind lacks delays no other. */
  private controllersOf({ controllers, caches }: ControllerParts): readonly Drainable[] {
    const own = caches.map((cache) => this.kinds.tolerant(cache));
    return controllers.map((controller) => afterSync(controller, own, this.clock));
  }

  private makeContext(metrics: FlipopMetrics): ControllerContext {
    const { settings, logger, random = Math.random } = this.options;
    const { clock, providers, runtime, notifier } = this;
    const watches = this.makeWatches();
    const nodes = NodeDirectory.following(watches.nodes(), logger);
    const leading = new OpenSince(this.fence, clock);
    const notify = (uids: readonly string[]) => notifier.notify(uids);
    const [nodeRequests, creations] = [new NodeRequestRegistry(notify), new CreationRegistry(notify)];
    const inventories = new Inventories(clock, nodeRequests);
    providers.onWithdraw(({ addresses }) => addresses && inventories.leave(addresses));
    const records = new RecordRegistry(clock, settings.driftInterval * SECOND_MS, () => notifier.notifyAll());
    providers.onTokenReplaced(({ dns }) => dns && records.accounts.noteCredentials(dns));
    const client = this.makeClient();
    addExternalDns(providers, { client, settings });
    const created = new CreatedAddresses(() => creations.retry());
    const leads = () => leading.at !== undefined;
    const parts = { clock, random, metrics, watches, nodes, providers, notify, replica: this.replica, leads };
    const { standby, ...health } = createHealth({ ...this.options, ...parts });
    this.standby = standby;
    return {
      ...{ clock, random, logger, client, watches, nodes, providers, inventories, notifier, metrics, runtime },
      ...{
        records,
        stop: this.stop,
        owners: new Owners(),
        services: new SharedServices(watches, settings.watchNamespaces),
      },
      ...{ annotated: new AnnotatedNodes(nodes), marks: new NodeMarks(nodes, clock) },
      accounts: new AddressAccounts(providers, { clock, inventories }),
      ...{ ...claimRegistries<TakeOver>(clock, notify), nodeRequests },
      ...{ creations, created, tenants: new TenantAccess(settings.tenantLimits, { created, creations }) },
      moveLimits: new MoveLimits(clock, settings.maxMovesPerMinute),
      ...(settings.features.includes("publish") && { publications: new Publications(notify) }),
      events: settings.dryRun ? dryRunEvents(logger) : this.recorder,
      ...health,
      ...(settings.dryRun && { dryRunPlans: this.options.plans ?? new DryRunPlans(clock, logger) }),
      ...{ leads, leadsSince: () => leading.at },
      settings: controllerSettings(settings),
    };
  }

  private makeWatches(): SharedWatches {
    const { transport, logger, random } = this.options;
    return new SharedWatches({
      client: transport,
      nodeAnnotationPrefixes: [`${API_GROUP}/`],
      clock: this.clock,
      logger,
      observe: this.runtime.reflector,
      ...(random && { random }),
    });
  }

  private makeClient(): ControllerContext["client"] {
    const { transport, settings, logger } = this.options;
    const asserted = transport.fenced(() => this.fence.assertHeld());
    const behind = fenced(asserted, this.fence);
    return settings.dryRun ? dryRunClient(behind, logger) : behind;
  }

  private makeProviders(metrics: FlipopMetrics): ProviderRegistry {
    const { settings, logger, env, redactor, random = Math.random } = this.options;
    const fence = stoppable(this.fence, this.stop);
    const parts = { settings, logger, env, clock: this.clock, random, metrics, fence };
    return createProviders({ ...parts, ...(redactor && { redactor }) });
  }

  private makeElector(): LeaderElector | undefined {
    const { identity, clock, replica, stop } = this;
    const hooks = electionHooks(stop.elected, replica);
    return createElector({ ...this.options, ...{ identity, clock, hooks }, metrics: this.runtime.leader });
  }

  private makeRecorder(): ApiEventRecorder {
    const { transport, logger, random } = this.options;
    const reporter = { controller: CONTROLLER_NAME, instance: this.identity };
    const metrics = this.runtime.events;
    return new ApiEventRecorder({
      ...{ client: transport, reporter, clock: this.clock, logger, metrics },
      ...(random && { random }),
    });
  }
}
