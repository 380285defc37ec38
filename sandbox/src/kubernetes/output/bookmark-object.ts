import type { JsonObject } from "../json.js";
import { apiVersionOf } from "../objects.js";
import type { WatchEvent } from "../read/watch.js";
import type { ResourceType } from "../resources/resource-type.js";

/** The object of a bookmark: a version, and whether the initial objects end here. */
export function bookmarkObject(type: ResourceType, event: Extract<WatchEvent, { type: "BOOKMARK" }>): JsonObject {
  const { resourceVersion, endOfInitialEvents } = event;
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = { resourceVersion, ...(endOfInitialEvents && { annotations }) };
  return { kind: type.kind, apiVersion: apiVersionOf(type), metadata };
}
