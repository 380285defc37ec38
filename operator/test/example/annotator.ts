/** An example controller: keeps an annotation of each node equal to the node's external address. */

import { type Clock, systemClock } from "../../src/clock.js";
import type { ExitCode } from "../../src/exit.js";
import { SharedWatches } from "../../src/kube/cache/shared-watches.js";
import type { SlimNode } from "../../src/kube/cache/slim-objects.js";
import type { ReadStore } from "../../src/kube/cache/store.js";
import { isNotFound, type KubeClient } from "../../src/kube/client.js";
import type { Transport } from "../../src/kube/transport/transport.js";
import { ApiEventRecorder, type EventRecorder } from "../../src/kube/write/events.js";
import { LeaseLock } from "../../src/kube/write/lease.js";
import { nodeAnnotationPatch, sendPatch } from "../../src/kube/write/patch.js";
import type { Logger } from "../../src/logging.js";
import { Controller, done, type Result, type Run } from "../../src/runtime/controller.js";
import { fenced } from "../../src/runtime/fence.js";
import { Health, healthRoutes, SmallHttpServer } from "../../src/runtime/http-server.js";
import { LeaderElector } from "../../src/runtime/leader-elector.js";
import type { ElectionTimings } from "../../src/runtime/lease-candidate.js";
import { Manager } from "../../src/runtime/manager.js";
import { cachePart } from "../../src/runtime/synced-kinds.js";

const NAME = "annotator";
const PREFIX = "annotator.example.com/";
export const ADDRESS = `${PREFIX}address`;

export interface AnnotatorOptions {
  /** How to reach the API server; closed at the end. */
  readonly transport: Transport;
  /** Unique for each process. */
  readonly identity: string;
  readonly logger: Logger;
  /** Where `/healthz` and `/readyz` are served, for example `:8081`. */
  readonly bind: string;
  /** @default 15 s, 10 s, 2 s */
  readonly timings?: ElectionTimings;
  /** @default systemClock */
  readonly clock?: Clock;
}

export interface Annotator {
  readonly nodes: ReadStore<SlimNode>;
  /** Lives until `stop` aborts or the lease is lost. Never rejects; call it once. */
  run(stop: AbortSignal): Promise<ExitCode>;
}

export function annotator(options: AnnotatorOptions): Annotator {
  const { transport, identity, logger, bind, timings, clock = systemClock } = options;

  // What there is: one watch, which starts here and keeps a small copy of each node.
  const watches = new SharedWatches({ client: transport, nodeAnnotationPrefixes: [PREFIX], clock, logger });
  const nodes = watches.nodes().store;

  // Who may write: the holder of the lease, checked again before each write.
  const lock = new LeaseLock(transport, "default", NAME);
  const elector = new LeaderElector({ lock, identity, clock, logger, ...(timings && { timings }) });
  const client = fenced(
    transport.fenced(() => elector.fence.assertHeld()),
    elector.fence,
  );

  // What people see.
  const health = new Health();
  const server = new SmallHttpServer({ name: "health", bind, routes: healthRoutes(health), logger });
  const reporter = { controller: "example.com/annotator", instance: identity };
  const events = new ApiEventRecorder({ client: transport, reporter, clock, logger });

  // What to do: a change of a node asks for a run of its name; the run looks at the node as it is by then.
  const keys = () => [...nodes.list()].map((node) => node.name);
  const reconcile = (name: string, run: Run) => annotate({ nodes, client, events }, name, run);
  const controller = new Controller({ name: NAME, reconcile, keys, workers: 4, clock, logger });
  nodes.listen(({ object }) => controller.add(object.name));

  const manager = new Manager({
    ...{ clock, logger, health, elector },
    servers: [server],
    caches: [cachePart(watches.nodes())],
    background: [events],
    controllers: [controller],
  });

  const run = async (stop: AbortSignal): Promise<ExitCode> => {
    const code = await manager.run(stop);
    await watches.stop();
    await transport.close();
    return code;
  };
  return { nodes, run };
}

interface World {
  readonly nodes: ReadStore<SlimNode>;
  readonly client: KubeClient;
  readonly events: EventRecorder;
}

async function annotate({ nodes, client, events }: World, name: string, { signal }: Run): Promise<Result> {
  const node = nodes.get(name);
  if (node === undefined) return done;

  const address = node.addresses.find(({ type }) => type === "ExternalIP")?.address;
  const patch = nodeAnnotationPatch(node, { [ADDRESS]: address });
  if (patch === undefined) return done;

  try {
    await sendPatch(client, `/api/v1/nodes/${name}`, patch, { signal });
  } catch (error) {
    if (isNotFound(error)) return done;
    throw error;
  }

  const regarding = { apiVersion: "v1", kind: "Node", name, uid: node.uid };
  const note = address === undefined ? "no external address any more" : `external address is ${address}`;
  events.record({ regarding, type: "Normal", reason: "AddressNoted", action: "Annotate", note });
  return done;
}
