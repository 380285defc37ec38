/** A `coordination.k8s.io/v1` Lease as a lock: read, create, and optimistic replace. */

import { isNotFound, type KubeClient } from "../client.js";

/** The part of a lease that says who leads. */
export interface LeaseRecord {
  /** Empty: no holder. */
  readonly holder: string;
  readonly durationSeconds: number;
  /** MicroTime, by the holder's own clock: compare, but never reckon with it. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the lease changed hands. */
  readonly transitions: number;
}

/** As the API server has it. Fields that are not ours are kept as they are. */
export interface Lease {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
  };
}

export interface LeaseCall {
  readonly deadlineSeconds: number;
  /** Sends of this call altogether. The elector keeps its own pace: 1. */
  readonly maxAttempts: number;
}

const API_VERSION = "coordination.k8s.io/v1";

export interface LeaseHooks {
  /** Receives each version of the lease that an answer has; `undefined`: there is none. */
  readonly onSeen?: (lease: Lease | undefined) => void;
  /** Annotations that a holder adds to the lease. */
  readonly annotations?: () => Readonly<Record<string, string>>;
}

export class LeaseLock {
  private readonly collection: string;

  constructor(
    private readonly client: KubeClient,
    readonly namespace: string,
    readonly name: string,
    private readonly hooks: LeaseHooks = {},
  ) {
    this.collection = `/apis/${API_VERSION}/namespaces/${encodeURIComponent(namespace)}/leases`;
  }

  /** The lease, or undefined where there is none. */
  async get(call: LeaseCall): Promise<Lease | undefined> {
    try {
      return this.seen(await this.client.request<Lease>({ method: "GET", path: this.path, ...call }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.hooks.onSeen?.(undefined);
      return undefined;
    }
  }

  /** Rejects with a 409 where another was faster. */
  create(record: LeaseRecord, call: LeaseCall): Promise<Lease> {
    const body = {
      apiVersion: API_VERSION,
      kind: "Lease",
      metadata: { name: this.name, namespace: this.namespace, ...this.published() },
      spec: specOf(record),
    };
    return this.client.request<Lease>({ method: "POST", path: this.collection, body, ...call });
  }

  /** Replaces the lease as seen. Rejects with a 409 where it has changed since. */
  update(seen: Lease, record: LeaseRecord, call: LeaseCall): Promise<Lease> {
    if (!seen.metadata?.resourceVersion) {
      throw new Error(`lease ${this.namespace}/${this.name} carries no resourceVersion: replacing it would be blind`);
    }
    const metadata = { ...seen.metadata, ...this.published(seen.metadata.annotations) };
    const body = {
      ...seen,
      apiVersion: API_VERSION,
      kind: "Lease",
      metadata,
      spec: { ...seen.spec, ...specOf(record) },
    };
    return this.client
      .request<Lease>({ method: "PUT", path: this.path, body, ...call })
      .then((lease) => this.seen(lease));
  }

  private published(others?: Readonly<Record<string, string>>) {
    const own = this.hooks.annotations?.() ?? {};
    return Object.keys(own).length === 0 ? {} : { annotations: { ...others, ...own } };
  }

  private seen(lease: Lease): Lease {
    this.hooks.onSeen?.(lease);
    return lease;
  }

  private get path(): string {
    return `${this.collection}/${encodeURIComponent(this.name)}`;
  }
}

/** What the lease says. Missing fields are empty or 0. */
export function recordOf(lease: Lease): LeaseRecord {
  const spec = lease.spec ?? {};
  return {
    holder: spec.holderIdentity ?? "",
    durationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: spec.acquireTime ?? "",
    renewTime: spec.renewTime ?? "",
    transitions: spec.leaseTransitions ?? 0,
  };
}

export function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.durationSeconds === b.durationSeconds &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime &&
    a.transitions === b.transitions
  );
}

function specOf(record: LeaseRecord) {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
}
