/** One ClusterRole with all that the default features may do, on a real API server. */

import { DEFAULT_FEATURES, permissionsFor } from "cdk8s-flipop/api";
import type { ControlPlane } from "flipop-testbed";

/** Binds one ClusterRole with all that the default features may do: the scopes are tested with the construct library. */
export async function grantOperator(plane: ControlPlane, user: string): Promise<void> {
  const rules = permissionsFor(DEFAULT_FEATURES).map(({ apiGroup, resources, verbs, resourceNames }) => ({
    apiGroups: [apiGroup],
    resources,
    verbs,
    ...(resourceNames ? { resourceNames } : {}),
  }));
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const client = plane.client();
  await client.must.create(`${rbac}/clusterroles`, { metadata: { name: user }, rules });
  await client.must.create(`${rbac}/clusterrolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  });
}
