import { ApiObject, Lazy } from "cdk8s";
import type { Construct, IConstruct } from "constructs";
import { clusterObject } from "../../operator/cluster-object";
import { isClusterScoped } from "./resource-type";
import { subjectOf } from "./subject";

/** Verbs that a grant allows. */
export interface Access {
  /** Part of the ids of the Role and the RoleBinding. */
  readonly id: string;
  readonly verbs: readonly string[];
}

export const READ: Access = { id: "read", verbs: ["get", "list", "watch"] };
export const MANAGE: Access = { id: "manage", verbs: ["get", "list", "watch", "update", "patch", "delete"] };

/** The resource to which a grant gives access. */
export interface GrantedResource extends Construct {
  readonly apiGroup: string;
  readonly resourceType: string;
  readonly resourceName: string;
  readonly namespace?: string | undefined;
}

const SUBJECTS = new WeakMap<Construct, Map<string, IConstruct[]>>();
const RBAC = "rbac.authorization.k8s.io";

/** Allows subjects to access a resource. All subjects with the same access share one Role. */
export function grant(resource: GrantedResource, access: Access, subjects: readonly IConstruct[]): void {
  const granted = SUBJECTS.get(resource) ?? new Map<string, IConstruct[]>();
  SUBJECTS.set(resource, granted);
  const known = granted.get(access.id);
  if (known) {
    known.push(...subjects);
    return;
  }
  const list = [...subjects];
  granted.set(access.id, list);
  makeRole(resource, access, list);
  resource.node.addValidation({ validate: () => problemsOf(list, access) });
}

function makeRole(resource: GrantedResource, { id, verbs }: Access, subjects: readonly IConstruct[]): void {
  const { apiGroup, resourceType, resourceName, namespace } = resource;
  const prefix = isClusterScoped(resourceType) ? "Cluster" : "";
  const make = prefix === "" ? newObject : clusterObject;
  const metadata = prefix === "" && namespace !== undefined ? { metadata: { namespace } } : {};
  const role = make(resource, `${id}-role`, {
    apiVersion: `${RBAC}/v1`,
    kind: `${prefix}Role`,
    ...metadata,
    rules: [{ apiGroups: [apiGroup], resources: [resourceType], resourceNames: [resourceName], verbs }],
  });
  make(resource, `${id}-role-binding`, {
    apiVersion: `${RBAC}/v1`,
    kind: `${prefix}RoleBinding`,
    ...metadata,
    roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name: role.name },
    subjects: Lazy.any({ produce: () => subjects.map(subjectOf).flatMap((one) => ("json" in one ? one.json : [])) }),
  });
}

const newObject: typeof clusterObject = (scope, id, props) => new ApiObject(scope, id, props);

function problemsOf(subjects: readonly IConstruct[], { id }: Access): string[] {
  const method = id === MANAGE.id ? "grantManage" : "grantRead";
  if (subjects.length === 0) return [`${method}: has no subject: give a ServiceAccount, User or Group`];
  return subjects.map(subjectOf).flatMap((one) => ("problem" in one ? `${method}: ${one.problem}` : []));
}
