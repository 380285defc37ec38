import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { API_GROUP, CONTROLLER_NAME, LEASE_NAME, RELEASE } from "cdk8s-flipop/api";
import { type Clock, systemClock } from "./clock.js";
import type { Settings } from "./config.js";
import { createLogger } from "./create-logger.js";
import { ConfigError } from "./kube/cluster-config.js";
import { ApiEventRecorder } from "./kube/events.js";
import { LeaseLock } from "./kube/lease.js";
import { loadClusterConfig } from "./kube/load-config.js";
import { SharedWatches } from "./kube/shared-watches.js";
import { Transport } from "./kube/transport.js";
import type { Logger } from "./logging.js";
import { MetricsRegistry } from "./metrics/registry.js";
import { type RuntimeMetrics, runtimeMetrics } from "./metrics/runtime.js";
import { Redactor } from "./redactor.js";
import { cachePart } from "./runtime/cache-part.js";
import { Health } from "./runtime/health.js";
import { healthRoutes, metricsRoutes, SmallHttpServer } from "./runtime/http-server.js";
import { type Elector, LeaderElector, noElection } from "./runtime/leader.js";
import { EXIT, Manager } from "./runtime/manager.js";
import { shutdownSignals } from "./runtime/signals.js";

/** `flipop run`: wires the parts together and lives until a signal. Resolves to the exit code. */
export async function run(settings: Settings): Promise<number> {
  const clock = systemClock;
  const format = settings.logFormat === "auto" ? {} : { format: settings.logFormat };
  const logger = createLogger({ clock, redactor: new Redactor(), debug: settings.debug, ...format });
  const registry = new MetricsRegistry();
  const metrics = runtimeMetrics(registry, LEASE_NAME);
  const transport = connect(settings, logger, metrics);
  if (!transport) return EXIT.failed;
  const parts: Parts = { settings, clock, logger, metrics, transport, identity: `${hostname()}_${randomUUID()}` };
  const watches = new SharedWatches({
    client: transport,
    nodeAnnotationPrefixes: [`${API_GROUP}/`],
    logger,
    observe: metrics.reflector,
  });
  const health = new Health();
  const manager = new Manager({
    clock,
    logger,
    health,
    elector: elector(parts),
    servers: [
      new SmallHttpServer({ name: "metrics", bind: settings.metricsBindAddr, routes: metricsRoutes(registry), logger }),
      new SmallHttpServer({ name: "health", bind: settings.healthBindAddr, routes: healthRoutes(health), logger }),
    ],
    caches: [cachePart(watches.nodes())],
    background: [recorder(parts)],
    controllers: [],
    drainDeadlineMs: settings.shutdownTimeout * 1000,
  });
  logger.info({ version: RELEASE, features: settings.features, namespace: settings.namespace }, "starting");
  const signals = shutdownSignals(process, logger, (code) => process.exit(code));
  const code = await manager.run(signals.stop);
  signals.dispose();
  await watches.stop();
  await transport.close();
  return code;
}

interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: RuntimeMetrics;
  readonly transport: Transport;
  readonly identity: string;
}

/** Undefined where no cluster is configured, which has been logged then. */
function connect({ kubeconfig }: Settings, logger: Logger, metrics: RuntimeMetrics): Transport | undefined {
  try {
    const config = loadClusterConfig({ kubeconfig });
    return new Transport({ config, logger, onRequest: metrics.restClient, userAgent: `flipop/${RELEASE}` });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logger.error({ error: error.message }, "cannot tell which cluster to use");
    return undefined;
  }
}

function elector({ settings, clock, logger, metrics, transport, identity }: Parts): Elector {
  if (!settings.leaderElect) return noElection;
  const { leaseDuration, renewDeadline, retryPeriod } = settings;
  return new LeaderElector({
    lock: new LeaseLock(transport, settings.namespace, LEASE_NAME),
    identity,
    clock,
    logger,
    timings: { leaseMs: leaseDuration * 1000, renewDeadlineMs: renewDeadline * 1000, retryMs: retryPeriod * 1000 },
    metrics: metrics.leader,
  });
}

function recorder({ clock, logger, metrics, transport, identity }: Parts): ApiEventRecorder {
  const reporter = { controller: CONTROLLER_NAME, instance: identity };
  return new ApiEventRecorder({ client: transport, reporter, clock, logger, metrics: metrics.events });
}
