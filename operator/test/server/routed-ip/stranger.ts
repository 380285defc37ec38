/** A user who has nothing but the built-in role "edit" in one namespace, as a ServiceAccount of that namespace. */

import { Agent } from "node:https";
import { Client, type ControlPlane } from "flipop-testbed";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const NAME = "stranger";

export interface Stranger {
  readonly client: Client;
  /** Grants a ClusterRole in the namespace. */
  bind(clusterRole: string): Promise<void>;
  close(): void;
}

export async function strangerIn(plane: ControlPlane, namespace: string): Promise<Stranger> {
  const admin = plane.client();
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await admin.must.create(accounts, { metadata: { name: NAME } });
  const { status } = await admin.must.create<{ readonly status: { readonly token: string } }>(
    `${accounts}/${NAME}/token`,
    { spec: {} },
  );
  const agent = new Agent({ keepAlive: true });
  const bind = async (clusterRole: string) => {
    await admin.must.create(`${RBAC}/namespaces/${namespace}/rolebindings`, {
      metadata: { name: clusterRole },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: clusterRole },
      subjects: [{ kind: "ServiceAccount", name: NAME, namespace }],
    });
  };
  await bind("edit");
  const client = new Client({ url: plane.url, ca: plane.caData, token: status.token, agent });
  return { client, bind, close: () => agent.destroy() };
}
