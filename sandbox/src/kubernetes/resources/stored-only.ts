import { at, listOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { builtin, column, nameColumn, textColumn } from "./define-built-in.js";

/** Resources that are stored and nothing more, so that whole manifests apply and `kubectl get all` works. */
const RBAC = "rbac.authorization.k8s.io";

const createdColumns = [
  nameColumn,
  { ...column("Created At", ({ metadata }) => metadata.creationTimestamp), type: "date" as const },
];

function roleCell(binding: ApiObject): string {
  return `${textOf(at(binding, "roleRef", "kind"))}/${textOf(at(binding, "roleRef", "name"))}`;
}

export const storedOnly = [
  builtin({ group: "policy", plural: "poddisruptionbudgets", kind: "PodDisruptionBudget", shortNames: ["pdb"] }),
  builtin({ group: "networking.k8s.io", plural: "networkpolicies", kind: "NetworkPolicy", shortNames: ["netpol"] }),
  builtin({ group: RBAC, plural: "roles", kind: "Role", allColumns: createdColumns }),
  builtin({ group: RBAC, plural: "rolebindings", kind: "RoleBinding", columns: [column("Role", roleCell)] }),
  builtin({ group: RBAC, plural: "clusterroles", kind: "ClusterRole", namespaced: false, allColumns: createdColumns }),
  builtin({
    group: RBAC,
    plural: "clusterrolebindings",
    kind: "ClusterRoleBinding",
    namespaced: false,
    columns: [column("Role", roleCell)],
  }),
  builtin({
    group: "admissionregistration.k8s.io",
    plural: "validatingadmissionpolicies",
    kind: "ValidatingAdmissionPolicy",
    namespaced: false,
    columns: [column("Validations", (policy) => listOf(at(policy, "spec", "validations")).length)],
  }),
  builtin({
    group: "admissionregistration.k8s.io",
    plural: "validatingadmissionpolicybindings",
    kind: "ValidatingAdmissionPolicyBinding",
    namespaced: false,
    columns: [textColumn("PolicyName", ["spec", "policyName"])],
  }),
];
