import { ApiObject, type ApiObjectProps, JsonPatch } from "cdk8s";
import type { Construct } from "constructs";

/** A cluster-scoped object. A chart sets its namespace on these objects too, so this removes it. */
export function clusterObject(scope: Construct, id: string, props: ApiObjectProps): ApiObject {
  const object = new ApiObject(scope, id, props);
  if (object.metadata.namespace !== undefined) object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  return object;
}
