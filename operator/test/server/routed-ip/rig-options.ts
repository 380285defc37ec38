import { AggregatedUserRoles, type FlipopOperatorProps, OperatorFeature, type TenantLimits } from "cdk8s-flipop";

export interface RigNames {
  /** Of the RoutedIPs and issuers. */
  readonly team: string;
  /** Served as well; its Secrets are not for the operator, unless the rig is full. */
  readonly other: string;
  readonly jobs: string;
}

export interface RigOptions {
  /** All namespaces, by rights in the cluster, that no namespace takes with it. @default only those of the rig */
  readonly everywhere?: boolean;
  /** Pools and record sets as well, by a token of the operator's own, and issuers in both namespaces. @default false */
  readonly full?: boolean;
  /** @default users with the built-in role edit may write RoutedIPs and issuers */
  readonly userRoles?: AggregatedUserRoles;
  /** @default none */
  readonly tenantLimits?: TenantLimits;
  /** The operator reaches the API server through `rig.proxy`, which breaks things. @default false */
  readonly proxied?: boolean;
}

/** The install of a rig. */
export function propsOf(
  { team, other, jobs }: RigNames,
  { everywhere = false, full = false, userRoles = AggregatedUserRoles.EDIT, tenantLimits }: RigOptions,
): FlipopOperatorProps {
  return {
    features: [
      ...(full ? [OperatorFeature.POOLS, OperatorFeature.DNS] : []),
      OperatorFeature.ROUTED_IP,
      OperatorFeature.JOBS,
    ],
    ...(everywhere ? {} : { watchNamespaces: [team, other] }),
    ...{ issuerNamespaces: full ? [team, other] : [team], jobNamespaces: [jobs] },
    ...{ admissionPolicy: true, aggregateUserRoles: userRoles, ...(tenantLimits && { tenantLimits }) },
  };
}
