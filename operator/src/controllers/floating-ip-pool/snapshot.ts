/** All that a decision about one pool reads: values of one moment, gathered without an `await` in between. */

import type { FloatingIPPoolSpec, FloatingIPPoolStatus, IpFamily } from "cdk8s-flipop/api";
import type { AddressAccount } from "../../addresses/address-accounts.js";
import type { AddressSnapshot } from "../../addresses/address-set.js";
import type { ObjectMeta } from "../../kube/objects.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { DnsView } from "../../records/dns-service.js";

export interface Pool {
  readonly metadata: ObjectMeta;
  readonly spec: FloatingIPPoolSpec;
  readonly status: FloatingIPPoolStatus;
}

/** `set` is of the same pool. */
export interface Snapshot extends AddressSnapshot {
  readonly pool: Pool;
  /** Nodes that bear the address annotation of the pool's family with our name as owner, or with one of our addresses. */
  readonly annotated: readonly NodeFacts[];
}

/** What a turn stands on. */
export interface Gathered {
  readonly snapshot: Snapshot;
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly dns: DnsView | undefined;
}
