/** The operator, assembled: everything between a way to the API server and an exit code. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { API_GROUP, CONTROLLER_NAME, type FeatureName, LEASE_NAME, RELEASE } from "cdk8s-flipop/api";
import { AddressAccounts } from "./addresses/address-accounts.js";
import { AnnotatedNodes } from "./addresses/annotations/annotated-nodes.js";
import { Owners } from "./addresses/annotations/owners.js";
import { CreationRegistry } from "./addresses/creation/creation-registry.js";
import type { Random } from "./async/backoff.js";
import { settlesWithin } from "./async/wait.js";
import { CLOSE_DEADLINE_MS } from "./bounds.js";
import { Claims } from "./claims/claims.js";
import { NodeRequestRegistry } from "./claims/node-shares.js";
import { type Clock, systemClock } from "./clock.js";
import type { Settings } from "./config.js";
import { createRoutedIPControllers } from "./controllers/assemble-routing.js";
import type { ControllerContext, ControllerFactory, ControllerParts } from "./controllers/context.js";
import { createFloatingIPPoolController } from "./controllers/floating-ip-pool/controller.js";
import { createNodeAnnotationsController } from "./controllers/node-annotations/controller.js";
import { createNodeDNSRecordSetController } from "./controllers/node-dns-record-set/controller.js";
import { Inventories } from "./inventory/inventories.js";
import { SharedWatches } from "./kube/cache/shared-watches.js";
import type { Transport } from "./kube/transport/transport.js";
import { ApiEventRecorder } from "./kube/write/events.js";
import { LeaseLock } from "./kube/write/lease.js";
import type { Logger } from "./logging.js";
import { NodeDirectory } from "./match/node-directory.js";
import { type FlipopMetrics, flipopMetrics } from "./metrics/flipop.js";
import { MetricsRegistry } from "./metrics/registry.js";
import { type RuntimeMetrics, runtimeMetrics } from "./metrics/runtime.js";
import { PROVIDER_KINDS } from "./providers/kinds.js";
import { auditLog } from "./providers/layers/audit.js";
import { ProviderRegistry } from "./providers/registry.js";
import { DryRunPlans, dryRunClient, dryRunEvents } from "./reconcile/dry-run.js";
import { Notifier } from "./reconcile/notifier.js";
import { RecordRegistry } from "./records/record-registry.js";
import { Redactor } from "./redactor.js";
import { AbsentKinds } from "./runtime/absent-kinds.js";
import { afterSync } from "./runtime/after-sync.js";
import { cachePart } from "./runtime/cache-part.js";
import { type Fence, fenced, OpenSince, openFence } from "./runtime/fence.js";
import { Health } from "./runtime/health.js";
import { healthRoutes, metricsRoutes, SmallHttpServer } from "./runtime/http-server.js";
import { knownKinds } from "./runtime/known-kinds.js";
import { type Elector, LeaderElector, noElection } from "./runtime/leader.js";
import { type Drainable, type ExitCode, Manager, type Runnable } from "./runtime/manager.js";

export interface OperatorOptions {
  readonly settings: Settings;
  /** The way to the API server. Whoever made it closes it. */
  readonly transport: Transport;
  readonly logger: Logger;
  /** Tokens, URLs and user agents of the providers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the logger: learns the tokens. @default one of its own */
  readonly redactor?: Redactor;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  /** @default a new one */
  readonly registry?: MetricsRegistry;
  /** Metrics of the machinery, where the transport has them already. @default made in the registry */
  readonly runtime?: RuntimeMetrics;
  /** Unique for each process. @default host name and a random part */
  readonly identity?: string;
}

export interface Operator {
  readonly health: Health;
  readonly registry: MetricsRegistry;
  /** Lives until `stop` aborts or the lease is lost; then nothing of it is left. Never rejects; call it once. */
  run(stop: AbortSignal): Promise<ExitCode>;
}

/** There is no provider, and nothing that brings its own. */
export class NoProviderError extends Error {
  override readonly name = "NoProviderError";
}

const FACTORIES: Readonly<Partial<Record<FeatureName, ControllerFactory>>> = {
  pools: createFloatingIPPoolController,
  dns: createNodeDNSRecordSetController,
  routedip: createRoutedIPControllers,
};

const TOKEN_VARIABLES = PROVIDER_KINDS.map(({ tokenVariable }) => `${tokenVariable} or ${tokenVariable}_FILE`);

/** @throws NoProviderError */
export function createOperator(options: OperatorOptions): Operator {
  const parts = new Assembly(options);
  return { health: parts.health, registry: parts.registry, run: (stop) => parts.run(stop) };
}

class Assembly {
  readonly registry: MetricsRegistry;
  readonly health = new Health();
  private readonly context: ControllerContext;
  private readonly clock: Clock;
  private readonly runtime: RuntimeMetrics;
  private readonly identity: string;
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
    const elector = this.makeElector();
    this.elector = elector ?? noElection;
    this.fence = elector?.fence ?? openFence;
    const metrics = flipopMetrics(registry);
    this.providers = this.makeProviders(metrics);
    this.recorder = this.makeRecorder();
    this.context = this.makeContext(metrics);
    const factories = [
      ...settings.features.flatMap((feature) => FACTORIES[feature] ?? []),
      createNodeAnnotationsController,
    ];
    this.parts = factories.map((factory) => factory(this.context));
    this.kinds = new AbsentKinds(
      this.parts.flatMap(({ caches }) => caches),
      this.clock,
    );
    this.knownKinds = knownKinds(this.kinds.tolerated(), this.clock, this.context);
    this.health.add("readyz", "kinds", this.kinds.check);
    for (const [name, check] of this.parts.flatMap(({ checks }) => [...checks])) this.health.add("readyz", name, check);
  }

  async run(stop: AbortSignal): Promise<ExitCode> {
    const { settings, logger } = this.options;
    const { features, namespace, dryRun } = settings;
    const providers = this.providers.names;
    logger.info({ version: RELEASE, features, namespace, providers, dryRun }, "starting");
    if (providers.length === 0)
      logger.warn({ give: TOKEN_VARIABLES }, "no provider has a token; only issuers with a Secret work");
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
    this.context.dryRunPlans?.close();
    await Promise.all([this.context.watches.stop(), this.providers.close()]);
  }

  private makeManager(): Manager {
    const { settings, logger } = this.options;
    const { clock, health, registry, elector } = this;
    const server = (name: string, bind: string, routes: ReturnType<typeof healthRoutes>) =>
      new SmallHttpServer({ name, bind, routes, logger });
    return new Manager({
      ...{ clock, logger, health, elector },
      servers: [
        server("metrics", settings.metricsBindAddr, metricsRoutes(registry)),
        server("health", settings.healthBindAddr, healthRoutes(health)),
      ],
      caches: [cachePart(this.context.watches.nodes()), ...this.kinds.tolerated()],
      background: [this.recorder, this.knownKinds],
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
    const { clock, providers, runtime } = this;
    const watches = this.makeWatches();
    const nodes = this.followNodes(watches);
    const notifier = new Notifier();
    const tell = (uids: readonly string[]) => notifier.tell(uids);
    const inventories = new Inventories(clock);
    providers.onWithdraw(({ addresses }) => addresses && inventories.leave(addresses));
    const client = this.makeClient();
    const leading = new OpenSince(this.fence, clock);
    return {
      ...{ clock, random, logger, client, watches, nodes, providers, inventories, notifier, metrics, runtime },
      annotated: new AnnotatedNodes(nodes),
      accounts: new AddressAccounts(providers, { clock, inventories }),
      claims: new Claims(tell),
      nodeRequests: new NodeRequestRegistry(tell),
      creations: new CreationRegistry(tell),
      records: new RecordRegistry(clock),
      owners: new Owners(),
      events: settings.dryRun ? dryRunEvents(logger) : this.recorder,
      ...(settings.dryRun && { dryRunPlans: new DryRunPlans(clock, logger) }),
      leads: () => leading.at !== undefined,
      leadsSince: () => leading.at,
      settings: {
        namespace: settings.namespace,
        features: settings.features,
        issuerNamespaces: settings.issuerNamespaces,
        jobNamespaces: settings.jobNamespaces,
        watchNamespaces: settings.watchNamespaces,
        podNamespaces: settings.podNamespaces,
        resyncMs: settings.resync * 1000,
        dryRun: settings.dryRun,
      },
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

  private followNodes(watches: SharedWatches): NodeDirectory {
    const directory = new NodeDirectory([], this.options.logger);
    watches.nodes().store.listen((event) => directory.apply(event));
    return directory;
  }

  private makeClient(): ControllerContext["client"] {
    const { transport, settings, logger } = this.options;
    const { fence } = this;
    const behind = fenced(
      transport.fenced(() => fence.assertHeld()),
      fence,
    );
    return settings.dryRun ? dryRunClient(behind, logger) : behind;
  }

  private makeProviders(metrics: FlipopMetrics): ProviderRegistry {
    const { settings, logger, env, redactor = new Redactor(), random = Math.random } = this.options;
    const { clock, fence } = this;
    const registry = new ProviderRegistry({
      ...{ kinds: PROVIDER_KINDS, env, redactor, logger, clock, random, metrics, fence },
      // A dry run logs plans; what it withholds from them repeats at each run.
      audit: auditLog(logger, settings.dryRun ? "debug" : "info"),
      dryRun: settings.dryRun,
      userAgent: `flipop/${RELEASE}`,
    });
    if (registry.names.length > 0 || settings.features.includes("routedip")) return registry;
    throw new NoProviderError(`no provider has a token: set ${TOKEN_VARIABLES.join(", or ")}`);
  }

  private makeElector(): LeaderElector | undefined {
    const { settings, logger, transport, random } = this.options;
    if (!settings.leaderElect) return undefined;
    const { leaseDuration, renewDeadline, retryPeriod } = settings;
    return new LeaderElector({
      lock: new LeaseLock(transport, settings.namespace, LEASE_NAME),
      identity: this.identity,
      clock: this.clock,
      logger,
      timings: { leaseMs: leaseDuration * 1000, renewDeadlineMs: renewDeadline * 1000, retryMs: retryPeriod * 1000 },
      metrics: this.runtime.leader,
      ...(random && { random }),
    });
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
