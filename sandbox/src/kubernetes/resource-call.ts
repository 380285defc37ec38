import type { Cluster } from "./cluster.js";
import { objectText } from "./output/object-text.js";
import { type Reply, textReply } from "./reply.js";
import type { ApiRequest, ResourceRequest } from "./request.js";
import type { ResourceType } from "./resources/resource-type.js";
import type { WriteResult } from "./write/create.js";

/** A request for a resource that is there. */
export interface ResourceCall {
  readonly cluster: Cluster;
  readonly type: ResourceType;
  readonly target: ResourceRequest;
  readonly request: ApiRequest;
}

/** The namespace of a request for a namespaced resource. */
export function scopeOf(type: ResourceType, { namespace }: ResourceRequest): string | undefined {
  return type.namespaced ? namespace : undefined;
}

/** The answer to a write that succeeded. */
export function writeReply(type: ResourceType, { code, object, warnings }: WriteResult): Reply {
  return textReply(objectText(type, object), { code, warnings });
}
