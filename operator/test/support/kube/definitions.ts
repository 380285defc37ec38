/** Our CustomResourceDefinitions on a real API server. */

import { customResourceDefinitions } from "cdk8s-flipop/api";
import { type ControlPlane, eventually } from "flipop-testbed";

/** Installs those that are missing, and waits until all are served. */
export async function installDefinitions(plane: ControlPlane): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const definition of customResourceDefinitions()) await plane.client().create(path, definition);
  for (const { metadata } of customResourceDefinitions()) {
    await eventually(
      async () => {
        const { body } = await plane.client().get<{
          status?: { conditions?: readonly { type: string; status: string }[] };
        }>(`${path}/${metadata.name}`);
        return body.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
      },
      { what: `definition ${metadata.name}` },
    );
  }
}
