import type { IConstruct } from "constructs";
import type { TenantLimits } from "../../api/access/tenant-limits";
import type { FeatureName } from "../../api/config";

/** What an operator serves. An empty list of watched or pod namespaces means all. */
export interface OperatorReach {
  readonly namespace: string;
  readonly features: readonly FeatureName[];
  readonly watchNamespaces: readonly string[];
  readonly podNamespaces: readonly string[];
  readonly issuerNamespaces: readonly string[];
  readonly jobNamespaces: readonly string[];
  /** Empty: none. */
  readonly tenantLimits: TenantLimits;
  /** Names of the environment variables with a token, or with a file of a token, that the props set. */
  readonly tokenVariables: readonly string[];
}

/** The lists that limit an operator, by the names of its props. */
export type OperatorList = keyof Pick<
  OperatorReach,
  "features" | "watchNamespaces" | "podNamespaces" | "issuerNamespaces" | "jobNamespaces"
>;

/** An operator of the app. */
export interface OperatorConstruct extends IConstruct {
  readonly _claims: readonly string[];
  readonly _reach: OperatorReach;
  /** Whether only the operator's Deployment is known, which has flags instead of props. */
  readonly _isManifest?: true;
}
