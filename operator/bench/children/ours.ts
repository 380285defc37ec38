/** Syncs nodes and all pods through our caches, by the kubeconfig in KUBECONFIG. */

import { SharedWatches } from "../../src/kube/cache/shared-watches.js";
import { loadClusterConfig } from "../../src/kube/config/load-config.js";
import { Transport } from "../../src/kube/transport/transport.js";
import { say } from "../child-report.js";
import { Gauge } from "./gauge.js";

const gauge = new Gauge();
const client = new Transport({ config: loadClusterConfig(), env: {} });
const watches = new SharedWatches({ client, nodeAnnotationPrefixes: ["flipop.digitalocean.com/"] });
const pods = watches.podView(() => {});
await Promise.all([watches.nodes().whenSynced(), pods.select({ selector: {} })]);
const objects = (pods.store?.size ?? 0) + watches.nodes().store.size;
say({ kind: "synced", seconds: gauge.seconds, objects, blockMs: gauge.blockMs });
say({ kind: "at rest", heapPerObject: await gauge.heapPer(objects) });
process.stdin.resume().on("end", () => process.exit(0));
