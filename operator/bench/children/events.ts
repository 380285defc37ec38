/** Follows pods through watch, store, queue and handler; at the end of its standard input it prints how long that took. */

import { createHistogram } from "node:perf_hooks";
import { systemClock } from "../../src/clock.js";
import { ReflectedCache } from "../../src/kube/cache/cache.js";
import { type SlimPod, slimPods } from "../../src/kube/cache/slim-objects.js";
import { loadClusterConfig } from "../../src/kube/config/load-config.js";
import { type KubeObject, keyOf } from "../../src/kube/objects.js";
import { Transport } from "../../src/kube/transport/transport.js";
import { silentLogger } from "../../src/logging.js";
import { Controller, done } from "../../src/runtime/controller.js";
import { say } from "../child-report.js";
import { Gauge } from "./gauge.js";

const gauge = new Gauge();
const client = new Transport({ config: loadClusterConfig(), env: {} });
const slim = slimPods();
const sentAt = new Map<string, bigint>();
const latency = createHistogram();

const transform = (raw: KubeObject): SlimPod => {
  const pod = slim(raw);
  const sent = raw.metadata.annotations?.["bench/sent"];
  if (sent !== undefined && sent !== "") sentAt.set(keyOf(pod), BigInt(sent));
  return pod;
};
const { store, ...cache } = reflected();
const controller = new Controller({
  name: "bench",
  clock: systemClock,
  logger: silentLogger,
  keys: () => [...store.list()].map(keyOf),
  workers: 4,
  reconcile: async (key) => {
    const sent = sentAt.get(key);
    if (sent !== undefined) latency.record(process.hrtime.bigint() - sent);
    sentAt.delete(key);
    return done;
  },
});
store.listen(({ object }) => controller.add(keyOf(object)));
await cache.whenSynced();
say({ kind: "synced", seconds: gauge.seconds, objects: store.size, blockMs: gauge.blockMs });
void controller.run(new AbortController().signal);

process.stdin.resume().on("end", () => {
  const ms = (percentile: number) => latency.percentile(percentile) / 1e6;
  say({ kind: "latency", events: latency.count, p50Ms: ms(50), p99Ms: ms(99) });
  process.exit(0);
});

function reflected() {
  const context = {
    client,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    features: { watchList: true },
    observe: undefined,
  };
  const made = new ReflectedCache<SlimPod>(context, { target: { name: "pods", path: "/api/v1/pods" }, transform });
  return { store: made.store, whenSynced: () => made.whenSynced() };
}
