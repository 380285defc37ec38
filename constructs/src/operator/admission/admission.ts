import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { OperatorSettings } from "../props-with-defaults";
import { cleanupClusterRole } from "../roles";
import { finalizerPolicy, finalizerPolicyBinding } from "./finalizer-policy";
import { admissionPolicy, admissionPolicyBinding } from "./node-policy";
import { publicationPolicy, publicationPolicyBinding } from "./publication-policy";
import { tenantPolicy, tenantPolicyBinding } from "./tenant-policy";
import { cleanupPolicy, cleanupPolicyBinding } from "./watched-namespaces-policy";

/** The objects that limit the operator's writes, and those of tenants. */
export interface Admission {
  readonly admissionPolicy?: ApiObject;
  readonly admissionPolicyBinding?: ApiObject;
  readonly publicationPolicy?: ApiObject;
  readonly publicationPolicyBinding?: ApiObject;
  readonly finalizerPolicy?: ApiObject;
  readonly finalizerPolicyBinding?: ApiObject;
  readonly tenantPolicy?: ApiObject;
  readonly tenantPolicyBinding?: ApiObject;
  readonly cleanupPolicy?: ApiObject;
  readonly cleanupPolicyBinding?: ApiObject;
  readonly cleanupClusterRole?: ApiObject;
  readonly cleanupClusterRoleBinding?: ApiObject;
}

/** Creates the policies, and with watched namespaces also the permissions that only these policies make safe. */
export function admission(scope: Construct, settings: OperatorSettings, enabled = true): Admission {
  if (!enabled) return {};
  const policies = {
    admissionPolicy: admissionPolicy(scope, settings),
    admissionPolicyBinding: admissionPolicyBinding(scope, settings),
    publicationPolicy: publicationPolicy(scope, settings),
    publicationPolicyBinding: publicationPolicyBinding(scope, settings),
    finalizerPolicy: finalizerPolicy(scope, settings),
    finalizerPolicyBinding: finalizerPolicyBinding(scope, settings),
    ...tenantPolicies(scope, settings),
  };
  if (settings.watchNamespaces.length === 0) return policies;
  const cleanup = {
    cleanupPolicy: cleanupPolicy(scope, settings),
    cleanupPolicyBinding: cleanupPolicyBinding(scope, settings),
  };
  const { role, binding } = cleanupClusterRole(scope, settings);
  return { ...policies, ...cleanup, cleanupClusterRole: role, cleanupClusterRoleBinding: binding };
}

function tenantPolicies(scope: Construct, settings: OperatorSettings): Admission {
  const { namespaces = [] } = settings.tenantLimits;
  if (namespaces.length === 0) return {};
  return { tenantPolicy: tenantPolicy(scope, settings), tenantPolicyBinding: tenantPolicyBinding(scope, settings) };
}
