import type { AnySchema } from "../schema/schema";
import { clusterRoutedIPClassKind } from "./cluster-routed-ip-class";
import { floatingIPPoolKind } from "./floating-ip-pool";
import { nodeDNSRecordSetKind } from "./node-dns-record-set";
import type { ChangeRule, KindFacts } from "./resource-kind";
import { routedIPKind } from "./routed-ip";
import { routedIPIssuerKind } from "./routed-ip-issuer";

/** A kind without its spec and status types, for code that handles all kinds. */
export interface AnyKind extends KindFacts {
  readonly spec: AnySchema;
  readonly status: AnySchema;
  readonly changeRules?: readonly ChangeRule[];
}

/** The five kinds by name. */
export const KINDS = {
  FloatingIPPool: floatingIPPoolKind,
  NodeDNSRecordSet: nodeDNSRecordSetKind,
  RoutedIP: routedIPKind,
  RoutedIPIssuer: routedIPIssuerKind,
  ClusterRoutedIPClass: clusterRoutedIPClassKind,
} as const;

/** Name of one of the five kinds. */
export type KindName = keyof typeof KINDS;

/** The five kinds in the order of the docs. */
export const ALL_KINDS: readonly AnyKind[] = Object.values(KINDS);
