/** The operator's prober with real sockets: `probes.mjs TARGETS PORT SECONDS`. Each target is probed every second. */

import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/clock.js";
import { probeWithSocket } from "../../src/health/probe.js";
import { Prober } from "../../src/health/prober.js";
import { say } from "../child-report.js";

const INTERVAL_MS = 1_000;
const TIMEOUT_MS = 1_000;
/** Addresses of the loopback device: 127.1.0.1 and above. */
const PER_NETWORK = 250;
/** Until the first probes and the compiler are through. */
const WARM_MS = 3_000;
const END_MS = 2_000;

const [, , targets = "", port = "", seconds = ""] = process.argv;
const counts = { success: 0, failure: 0, skipped: 0 };
const onProbe = (result: keyof typeof counts) => {
  counts[result] += 1;
};
const prober = new Prober({ clock: systemClock, random: Math.random, probe: probeWithSocket, onProbe });

for (let index = 0; index < Number(targets); index++) {
  const host = `127.1.${Math.floor(index / PER_NETWORK)}.${(index % PER_NETWORK) + 1}`;
  const target = { type: "TCP", host, port: Number(port), timeoutMs: TIMEOUT_MS, path: "/" } as const;
  prober.subscribe({ ...target, expectedStatuses: [], insecureSkipVerify: false }, INTERVAL_MS, () => undefined);
}
await sleep(WARM_MS);
const [before, cpuBefore, start] = [{ ...counts }, process.cpuUsage(), performance.now()];
await sleep(Number(seconds) * 1_000);
const { user, system } = process.cpuUsage(cpuBefore);
const ms = performance.now() - start;
const perSecond = (name: keyof typeof counts) => ((counts[name] - before[name]) / ms) * 1_000;
prober.close();
await sleep(END_MS);
say({
  ...{ kind: "probed", cpuPercent: (user + system) / 10 / ms },
  ...{ successes: perSecond("success"), failures: perSecond("failure"), skipped: perSecond("skipped") },
  sockets: process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length,
});
