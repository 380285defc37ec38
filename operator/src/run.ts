/** What the commands of flipop start. */

import { LEASE_NAME, RELEASE } from "cdk8s-flipop/api";
import { settlesWithin } from "./async.js";
import { systemClock } from "./clock.js";
import type { Settings } from "./config.js";
import { unknownVariables } from "./environment-checks.js";
import { EXIT, shutdownSignals } from "./exit.js";
import { ConfigError } from "./kube/config/cluster-config.js";
import { loadClusterConfig } from "./kube/config/load-config.js";
import { Transport } from "./kube/transport/transport.js";
import { createLogger, type Logger, Redactor } from "./logging.js";
import { type RuntimeMetrics, runtimeMetrics } from "./metrics/definitions.js";
import { MetricsRegistry } from "./metrics/registry.js";
import { createOperator, type Operator, type OperatorOptions } from "./operator.js";
import { NoProviderError } from "./providers/create.js";
import { CLOSE_DEADLINE_MS } from "./timings.js";

/** `flipop run`: lives until a signal. Resolves to the exit code. */
export async function run(settings: Settings): Promise<number> {
  const clock = systemClock;
  const redactor = new Redactor();
  const format = settings.logFormat === "auto" ? {} : { format: settings.logFormat };
  const logger = createLogger({ clock, redactor, debug: settings.debug, ...format });
  const variables = unknownVariables(process.env);
  if (variables.length > 0)
    logger.warn({ variables }, "variables that are no flag of the operator; nothing reads them");
  const registry = new MetricsRegistry();
  registry.addProcessMetrics();
  const runtime = runtimeMetrics(registry, LEASE_NAME);
  const transport = connect(settings, logger, runtime);
  if (transport === undefined) return EXIT.failed;
  const options = { settings, transport, logger, env: process.env, redactor, clock, registry, runtime };
  const operator = assemble(options);
  if (operator !== undefined) return live(operator, transport, logger);
  await transport.close();
  return EXIT.failed;
}

async function live(operator: Operator, transport: Transport, logger: Logger): Promise<number> {
  const stop = shutdownSignals(process, logger, (code) => process.exit(code));
  const code = await operator.run(stop);
  await settlesWithin(systemClock, CLOSE_DEADLINE_MS, transport.close());
  return code;
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

/** Undefined where no provider is configured, which has been logged then. */
function assemble(options: OperatorOptions): Operator | undefined {
  try {
    return createOperator(options);
  } catch (error) {
    if (!(error instanceof NoProviderError)) throw error;
    options.logger.error({ error: error.message }, "no provider is set up");
    return undefined;
  }
}

/** The part of package flipop-sandbox that `flipop sandbox` calls. */
interface Sandbox {
  runSandbox(args: readonly string[]): Promise<number>;
}

const MISSING =
  "flipop: the sandbox is a package of its own, flipop-sandbox, which is not installed here: " +
  "clone https://github.com/flipop/flipop, then `npm ci && npm run build` and `node sandbox/dist/flipop-sandbox.mjs` there\n";

/** Resolves to the exit code. */
export async function runInstalledSandbox(
  args: readonly string[],
  err: (text: string) => void,
  load: () => Promise<Sandbox> = () => import("flipop-sandbox"),
): Promise<number> {
  const sandbox = await load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return undefined;
  });
  if (sandbox !== undefined) return sandbox.runSandbox(args);
  err(MISSING);
  return EXIT.failed;
}
