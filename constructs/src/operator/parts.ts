/** What makes and checks the objects of an operator. `FlipopOperator` loads it with the first operator of a process. */

export { tenantGaps } from "../private/app/beyond-tenant-limits";
export { admission } from "./admission/admission";
export { earlyProps } from "./checks/late-props";
export { OPERATOR_SHAPES } from "./checks/operator-shapes";
export { deployment } from "./deployment";
export { disruptionBudget } from "./disruption-budget";
export { metricsService } from "./monitoring/metrics-service";
export { monitoring } from "./monitoring/monitoring";
export { jobNamespaces, operatorNamespace } from "./namespaces";
export { networkPolicy } from "./network-policy";
export { leaseClaim, operatorProblems } from "./problems";
export { operatorSettings } from "./props-with-defaults";
export { clusterRole, namespacedRoles } from "./roles";
export { addNeed, reachOf, servedProblems, tokenVariables } from "./served-needs";
export { serviceAccount } from "./service-account";
export { userRoles } from "./user-roles";
