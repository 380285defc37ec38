/** Syncs nodes and all pods through the informers of @kubernetes/client-node, by the kubeconfig in KUBECONFIG. */

import { CoreV1Api, type Informer, KubeConfig, type KubernetesObject, makeInformer } from "@kubernetes/client-node";
import { say } from "../child-report.js";
import { Gauge } from "./gauge.js";

const gauge = new Gauge();
const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);
let objects = 0;
await Promise.all([
  follow(makeInformer(config, "/api/v1/nodes", () => api.listNode())),
  follow(makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces())),
]);
// Lets the delay of a blocked event loop be noticed.
await new Promise((resolve) => setTimeout(resolve, 50));
say({ kind: "synced", seconds: gauge.seconds, objects, blockMs: gauge.blockMs });
say({ kind: "at rest", heapPerObject: await gauge.heapPer(objects) });
process.stdin.resume().on("end", () => process.exit(0));

function follow<T extends KubernetesObject>(informer: Informer<T>): Promise<void> {
  informer.on("add", () => {
    objects++;
  });
  informer.on("error", (error: unknown) => {
    say({ kind: "failed", error: String(error) });
    process.exit(1);
  });
  return informer.start();
}
