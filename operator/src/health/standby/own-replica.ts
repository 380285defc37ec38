/**
 * What the replicas of the operator know of each other. Each publishes its address, its node and its public key in an
 * annotation of the Lease that it holds: the leader in that of the election, one standby in a Lease of its own. Only the
 * operator may write these Leases, so the keys in them can be trusted.
 */

import { Annotation } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { Settings } from "../../config.js";
import type { Lease, LeaseHooks } from "../../kube/write/lease.js";
import { parseBind } from "../../runtime/http-server.js";
import type { FallenLeader } from "./evidence.js";
import { Signer } from "./signer.js";

export interface Replica {
  readonly identity: string;
  /** Host and port at which it answers other replicas. */
  readonly address: string;
  /** Name of the node that it runs on. */
  readonly node: string;
  readonly publicKey: string;
}

const FIELDS = ["identity", "address", "node", "publicKey"] as const;

/** What the holder of the Lease publishes; `undefined`: nothing. An operator of an older version leaves the annotation of its predecessor. */
export function holderOf(lease: Lease | undefined): Replica | undefined {
  const text = lease?.metadata?.annotations?.[Annotation.replica];
  const replica = text === undefined ? undefined : parsed(text);
  return replica?.identity === lease?.spec?.holderIdentity ? replica : undefined;
}

function parsed(text: string): Replica | undefined {
  try {
    const value = JSON.parse(text) as Partial<Replica> | null;
    return FIELDS.every((field) => typeof value?.[field] === "string") ? (value as Replica) : undefined;
  } catch {
    return undefined;
  }
}

export interface OwnReplicaProps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly identity: string;
  readonly node: string;
  /** Of the pod. */
  readonly host: string;
}

/** @returns `undefined`: no other replica asks this one. */
export function ownReplica(
  { features, leaderElect, witnessBindAddr, nodeName: node }: OwnReplicaSettings,
  { identity, clock }: Pick<OwnReplicaProps, "identity" | "clock">,
): OwnReplica | undefined {
  const host = parseBind(witnessBindAddr)?.host;
  if (!leaderElect || !features.includes("healthchecks") || host === undefined) return undefined;
  return new OwnReplica({ clock, identity, node, host });
}

/** Of the Lease of the election. @param onSeen who else reads the Lease */
export function electionHooks(onSeen: (lease: Lease | undefined) => void, replica?: OwnReplica): LeaseHooks {
  if (replica === undefined) return { onSeen };
  const both = (lease: Lease | undefined) => {
    onSeen(lease);
    replica.electionSeen(lease);
  };
  return { onSeen: both, annotations: replica.annotations };
}

type OwnReplicaSettings = Pick<Settings, "features" | "leaderElect" | "witnessBindAddr" | "nodeName">;

/** This process among the replicas. */
export class OwnReplica {
  readonly signer = new Signer();
  /** The port on which it answers. @default it does not answer yet */
  port: () => number | undefined = () => undefined;
  private holder: Replica | undefined;
  private lastFallen: FallenLeader | undefined;

  constructor(private readonly props: OwnReplicaProps) {}

  get identity(): string {
    return this.props.identity;
  }

  get node(): string {
    return this.props.node;
  }

  /** The leader as the election last read it. */
  get leader(): Replica | undefined {
    return this.holder;
  }

  /** The leader whose Lease this process took because it ran out. A leader that stops in order gives its Lease up before. */
  get fallen(): FallenLeader | undefined {
    return this.lastFallen;
  }

  readonly electionSeen = (lease: Lease | undefined): void => {
    const { holder: former, props } = this;
    const isOwn = lease?.spec?.holderIdentity === props.identity;
    this.holder = holderOf(lease);
    if (isOwn && former !== undefined && former.identity !== props.identity) {
      this.lastFallen = { node: former.node, at: props.clock.monotonic() };
    }
  };

  /** Of the Leases that it holds. */
  readonly annotations = (): Readonly<Record<string, string>> => {
    const port = this.port();
    if (port === undefined) return {};
    const { identity, node, host } = this.props;
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const replica: Replica = { identity, address, node, publicKey: this.signer.publicKey };
    return { [Annotation.replica]: JSON.stringify(replica) };
  };
}
