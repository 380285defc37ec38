import type { IConstruct } from "constructs";
import type { TenantLimits } from "../../api/access/tenant-limits";
import type { FeatureName } from "../../api/config";
import type { NeedyResource } from "./needs";

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

/** A field with something that a resource may not have, and its refusal. */
export interface TenantGap {
  readonly path: string;
  readonly text: string;
}

/** An operator of the app. */
export interface OperatorConstruct extends IConstruct {
  readonly _claims: readonly string[];
  readonly _reach: OperatorReach;
  /** What `tenantLimits` do not allow. The operator has the check, so that an app without one does not load it. */
  _tenantGaps(resource: NeedyResource): readonly TenantGap[];
  /** Whether only the operator's Deployment is known, which has flags instead of props. */
  readonly _isManifest?: true;
}
