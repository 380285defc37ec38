import { type Lease, LeaseLock } from "../../src/kube/write/lease.js";
import { silentLogger } from "../../src/logging.js";
import { leaderMetrics } from "../../src/metrics/controller.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import { LeaderElector } from "../../src/runtime/leader-elector.js";
import type { ElectionTimings } from "../../src/runtime/lease-candidate.js";
import { MemoryKube } from "../support/kube/memory-kube.js";
import { FakeClock } from "../support/time/fake-clock.js";

export const PATH = "/apis/coordination.k8s.io/v1/namespaces/flipop/leases/lock";

export function world() {
  return { clock: new FakeClock(), kube: new MemoryKube(), registry: new MetricsRegistry() };
}

/** An elector that leads until `finish`, and what became of it. */
export function contend(
  { clock, kube, registry }: ReturnType<typeof world>,
  identity = "a",
  timings?: ElectionTimings,
) {
  const stop = new AbortController();
  const state = { leading: false, lost: false, outcome: "" };
  let finish: (release: boolean) => void = () => undefined;
  const elector = new LeaderElector({
    lock: new LeaseLock(kube, "flipop", "lock"),
    identity,
    clock,
    logger: silentLogger,
    random: () => 0,
    ...(timings && { timings }),
    metrics: leaderMetrics(identity === "a" ? registry : new MetricsRegistry(), "lock"),
  });
  const ended = elector
    .run(stop.signal, (lost) => {
      state.leading = true;
      return new Promise((resolve) => {
        finish = (release) => resolve({ release });
        lost.addEventListener("abort", () => {
          state.lost = true;
          resolve({ release: false });
        });
      });
    })
    .then((outcome) => {
      state.outcome = outcome;
    });
  return { elector, state, stop, ended, finish: (release: boolean) => finish(release) };
}

export function spec(kube: MemoryKube) {
  return (kube.objects.get(PATH) as Lease | undefined)?.spec;
}

/** The lease as somebody else would leave it. */
export function heldBy(kube: MemoryKube, holder: string, renewTime: string) {
  const path = PATH.slice(0, PATH.lastIndexOf("/"));
  const lease = { metadata: { name: "lock" }, spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime } };
  if (kube.objects.has(PATH)) kube.apply({ method: "PATCH", path: PATH, body: lease });
  else kube.apply({ method: "POST", path, body: lease });
}
