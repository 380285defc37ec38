import { setTimeout as sleep } from "node:timers/promises";
import type { Case } from "../../bench.js";

const PER_SECOND = 2_000;
const SECONDS = 15;
/** The stand-in waits 2 s before its first event. */
const SETTLE_SECONDS = 3;
const SYNC_SECONDS = 30;

/** Events of 10,000 pods at a steady rate, from the server's write to the handler's run. */
export const eventsCase: Case = {
  name: "events",
  about: "2,000 events a second through watch, store, queue and handler",
  run: async (bench) => {
    const { kubeconfig } = await bench.standIn({ pods: 10_000, bytes: 8 * 1024, eventsPerSecond: PER_SECOND });
    const follower = bench.start("events", kubeconfig);
    await follower.message("synced", SYNC_SECONDS);
    await sleep(SETTLE_SECONDS * 1000);
    const before = follower.cpuSeconds();
    await sleep(SECONDS * 1000);
    const cpu = ((follower.cpuSeconds() - before) / SECONDS) * 100;
    follower.finish();
    const { events, p50Ms, p99Ms } = await follower.message("latency", SYNC_SECONDS);
    const name = `${PER_SECOND} events/s, ${events} seen`;
    return [
      { case: name, figure: "p50, ms", ours: [p50Ms] },
      { case: name, figure: "p99, ms", ours: [p99Ms], target: 15 },
      { case: name, figure: "CPU, % of a core", ours: [cpu] },
    ];
  },
};
