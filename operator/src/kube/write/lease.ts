/** A `coordination.k8s.io/v1` Lease as a lock: read, create, and optimistic replace. */

import type { KubeClient } from "../client.js";
import { isNotFound } from "../status-error.js";

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
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string };
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

export class LeaseLock {
  private readonly collection: string;

  constructor(
    private readonly client: KubeClient,
    readonly namespace: string,
    readonly name: string,
  ) {
    this.collection = `/apis/${API_VERSION}/namespaces/${encodeURIComponent(namespace)}/leases`;
  }

  /** The lease, or undefined where there is none. */
  async get(call: LeaseCall): Promise<Lease | undefined> {
    try {
      return await this.client.request<Lease>({ method: "GET", path: this.path, ...call });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Rejects with a 409 where another was faster. */
  create(record: LeaseRecord, call: LeaseCall): Promise<Lease> {
    const body = {
      apiVersion: API_VERSION,
      kind: "Lease",
      metadata: { name: this.name, namespace: this.namespace },
      spec: specOf(record),
    };
    return this.client.request<Lease>({ method: "POST", path: this.collection, body, ...call });
  }

  /** Replaces the lease as seen. Rejects with a 409 where it has changed since. */
  update(seen: Lease, record: LeaseRecord, call: LeaseCall): Promise<Lease> {
    if (!seen.metadata?.resourceVersion) {
      throw new Error(`lease ${this.namespace}/${this.name} carries no resourceVersion: replacing it would be blind`);
    }
    const body = { ...seen, apiVersion: API_VERSION, kind: "Lease", spec: { ...seen.spec, ...specOf(record) } };
    return this.client.request<Lease>({ method: "PUT", path: this.path, body, ...call });
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
