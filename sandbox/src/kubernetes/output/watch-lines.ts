import type { Cluster } from "../cluster.js";
import type { WatchEvent } from "../read/watch.js";
import type { ApiRequest } from "../request.js";
import type { ResourceType } from "../resources/resource-type.js";
import { bookmarkObject } from "./bookmark-object.js";
import { objectText } from "./object-text.js";
import { readInclude, table } from "./table.js";

/** Whether a client asks for Tables, as `kubectl get` does. */
export function asTable({ headers }: Pick<ApiRequest, "headers">): boolean {
  const [first = ""] = (headers.accept ?? "").split(",");
  const parameters = first.split(";").map((one) => one.trim());
  return parameters.includes("as=Table") && parameters.includes("g=meta.k8s.io") && parameters.includes("v=v1");
}

/** Writes the lines of a watch in the form that the client asked for. */
export function watchLine(cluster: Cluster, type: ResourceType, request: ApiRequest): (event: WatchEvent) => string {
  const tables = asTable(request);
  const include = readInclude(request.query);
  let first = true;
  return (event) => {
    if (event.type === "ERROR") return `${JSON.stringify({ type: "ERROR", object: event.status.body() })}\n`;
    if (event.type === "BOOKMARK")
      return `${JSON.stringify({ type: "BOOKMARK", object: bookmarkObject(type, event) })}\n`;
    if (!tables) return `{"type":"${event.type}","object":${objectText(type, event.object)}}\n`;
    const { resourceVersion = "" } = event.object.metadata;
    const whole = table(type, [event.object], { resourceVersion }, { include, now: cluster.env.now() });
    // The column definitions are sent once.
    const object = first ? whole : { ...whole, columnDefinitions: null };
    first = false;
    return `${JSON.stringify({ type: event.type, object })}\n`;
  };
}
