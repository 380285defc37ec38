/** How the replicas of the operator ask each other about their probes, with real sockets and Leases. */

import { STANDBY_LEASE_NAME } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { Settings } from "../../config.js";
import type { KubeClient } from "../../kube/client.js";
import { LeaseLock } from "../../kube/write/lease.js";
import type { Logger } from "../../logging.js";
import { SmallHttpServer } from "../../runtime/http-server.js";
import type { Runnable, Server } from "../../runtime/manager.js";
import type { Probe } from "../probe.js";
import type { ProbeTarget } from "../target.js";
import { Answers, QUESTION_PATH } from "./answer-leader.js";
import { askWithSocket } from "./ask-standby.js";
import type { OwnReplica } from "./own-replica.js";
import { StandbyLease } from "./standby-lease.js";
import type { StandbyWitnessProps } from "./standby-witness.js";

export interface StandbyParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly self: OwnReplica;
  readonly leads: () => boolean;
  /** To the API server. */
  readonly transport: KubeClient;
  readonly settings: Pick<Settings, "namespace" | "nodeName" | "witnessBindAddr">;
}

/** What this process observes itself. */
export interface StandbyObserved {
  readonly probe: Probe;
  readonly targetOf: (key: string) => ProbeTarget | undefined;
  readonly controlFailed: () => boolean;
  readonly isProbingHolders: () => boolean;
}

/** What the process runs from its start to its end. */
export interface StandbyService {
  readonly servers: readonly Server[];
  readonly background: readonly Runnable[];
}

export function createStandby(
  { clock, logger, self, leads, transport, settings }: StandbyParts,
  observed: StandbyObserved,
): { readonly witness: Omit<StandbyWitnessProps, "onAnswer">; readonly service: StandbyService } {
  const { route } = new Answers({ ...observed, clock, self });
  const { witnessBindAddr: bind, namespace } = settings;
  const server = new SmallHttpServer({ name: "witness", bind, routes: { [QUESTION_PATH]: route }, logger });
  self.port = () => server.port;
  const { identity, annotations } = self;
  const lock = new LeaseLock(transport, namespace, STANDBY_LEASE_NAME, { annotations });
  const standsBy = () => !leads() && observed.isProbingHolders();
  const lease = new StandbyLease({ clock, logger, lock, identity, standsBy });
  const witness = { clock, logger, self, leads, readStandby: () => lease.read(), ask: askWithSocket };
  return { witness, service: { servers: [server], background: [lease] } };
}
