/** The health checks of the process, with real sockets and watches. */

import type { Random } from "../async.js";
import type { Clock } from "../clock.js";
import type { Settings } from "../config.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import type { KubeClient } from "../kube/client.js";
import type { Logger } from "../logging.js";
import type { NodeDirectory } from "../match/node-directory.js";
import type { FlipopMetrics } from "../metrics/definitions.js";
import type { ProviderRegistry } from "../providers/registry.js";
import { HealthChecks } from "./health-checks.js";
import { HolderRegistry } from "./holder-registry.js";
import { readerAmong } from "./machine-states.js";
import type { NodeLease } from "./node-leases.js";
import { OwnNode } from "./own-node-probe.js";
import { type Probe, probeWithSocket } from "./probe.js";
import { Prober } from "./prober.js";
import { createStandby, type StandbyObserved, type StandbyParts, type StandbyService } from "./standby/create.js";
import type { OwnReplica } from "./standby/own-replica.js";

export interface HealthChecksParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<FlipopMetrics, "probes" | "massFailure">;
  readonly watches: Pick<SharedWatches, "nodeLease" | "nodes">;
  readonly nodes: Pick<NodeDirectory, "list">;
  /** To the API server. */
  readonly transport: KubeClient;
  /** To ask the clouds about machines. */
  readonly providers: Pick<ProviderRegistry, "names" | "get">;
  /** Notifies resources whose moves a mass failure holds back, or no longer does. */
  readonly notify: (uids: readonly string[]) => void;
  readonly settings: StandbyParts["settings"] & Pick<Settings, "features">;
  /** This process, where replicas ask each other. @default they do not */
  readonly replica?: OwnReplica | undefined;
  /** Whether this process may write now. */
  readonly leads: () => boolean;
  /** @default with sockets */
  readonly probe?: Probe;
}

/** Nothing without feature healthchecks. */
export interface CreatedHealth {
  readonly health?: HealthChecks;
  readonly holders?: HolderRegistry;
  readonly standby?: StandbyService;
}

export function createHealth(parts: HealthChecksParts): CreatedHealth {
  if (!parts.settings.features.includes("healthchecks")) return {};
  const { clock, random, logger, metrics, watches, leads, probe = probeWithSocket, replica: self } = parts;
  const onProbe = (result: string) => metrics.probes.inc({ result });
  const prober = new Prober({ clock, random, probe, onProbe });
  const openLease = (node: string) => watches.nodeLease<NodeLease>(node);
  const ownNode = new OwnNode({ clock, probe, host: () => ownAddress(parts) });
  const observed: StandbyObserved = {
    probe,
    targetOf: (key) => prober.target(key),
    controlFailed: () => health.controlFailed,
    isProbingHolders: () => health.isProbingHolders,
  };
  const made = self && createStandby({ ...parts, self }, observed);
  const health = new HealthChecks({
    ...{ clock, logger, prober, client: parts.transport, openLease, ownNode: () => ownNode.isAnswered() },
    clouds: { leads, readerOf: (machine) => readerAmong(parts.providers, machine) },
    ...(made && { standby: made.witness }),
  });
  return { health, holders: createHolders(parts), ...(made && { standby: made.service }) };
}

function ownAddress({ watches, settings }: HealthChecksParts): string | undefined {
  const node = settings.nodeName === "" ? undefined : watches.nodes().store.get(settings.nodeName);
  return node?.addresses.find(({ type }) => type === "InternalIP")?.address;
}

function createHolders({ clock, notify, nodes, metrics: { massFailure } }: HealthChecksParts): HolderRegistry {
  const holders = new HolderRegistry(clock, notify, nodes);
  massFailure.readFrom(() => new Map([["", 0], ...holders.stops().map(({ zone = "" }) => [zone, 1] as const)]));
  return holders;
}
