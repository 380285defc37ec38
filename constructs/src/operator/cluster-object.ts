import { ApiObject, type ApiObjectProps, JsonPatch } from "cdk8s";
import type { Construct } from "constructs";

/** An object of the whole cluster. A chart stamps its namespace on these too, so it is taken off again. */
export function clusterObject(scope: Construct, id: string, props: ApiObjectProps): ApiObject {
  const object = new ApiObject(scope, id, props);
  if (object.metadata.namespace !== undefined) object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  return object;
}
