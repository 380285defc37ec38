/** The example as a process of its own: `IDENTITY`, `KUBECONFIG`, `LEASE_MS`, `RENEW_DEADLINE_MS`, `RETRY_MS`. */

import { systemClock } from "../../src/clock.js";
import { shutdownSignals } from "../../src/exit.js";
import { loadClusterConfig } from "../../src/kube/config/load-config.js";
import { Transport } from "../../src/kube/transport/transport.js";
import { createLogger, Redactor } from "../../src/logging.js";
import { annotator } from "./annotator.js";

const { IDENTITY: identity = "annotator", BIND: bind = "", LEASE_MS, RENEW_DEADLINE_MS, RETRY_MS } = process.env;
const logger = createLogger({ clock: systemClock, redactor: new Redactor() });
// The API server notes the user agent as the manager of each field that is written.
const transport = new Transport({ config: loadClusterConfig(), logger, userAgent: identity });
const timings = {
  leaseMs: Number(LEASE_MS ?? 15_000),
  renewDeadlineMs: Number(RENEW_DEADLINE_MS ?? 10_000),
  retryMs: Number(RETRY_MS ?? 2_000),
};
const stop = shutdownSignals(process, logger, (code) => process.exit(code));
process.exitCode = await annotator({ transport, identity, logger, bind, timings }).run(stop);
