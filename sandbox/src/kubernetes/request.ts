/** A request as it arrived. */
export interface ApiRequest {
  /** In capitals. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What a request's path and method say about resources. */
export interface ResourceRequest {
  /** get, list, watch, create, update, patch, delete or deletecollection. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Reads a path under /api/VERSION or /apis/GROUP/VERSION; undefined when it names no resource. */
export function resourceRequest({
  method,
  path,
  query,
}: Pick<ApiRequest, "method" | "path" | "query">): ResourceRequest | undefined {
  const [root, ...segments] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  if (root !== "api" && root !== "apis") return undefined;
  const group = root === "api" ? "" : (segments.shift() ?? "");
  const [version, ...rest] = segments;
  const place = placeOf(rest);
  if (version === undefined || place === undefined) return undefined;
  const watching = ["true", "1"].includes(query.get("watch") ?? "");
  return { verb: verbOf(method, place.name, watching), group, version, ...place };
}

type Place = Pick<ResourceRequest, "plural" | "namespace" | "name" | "subresource">;

function placeOf(parts: readonly string[]): Place | undefined {
  const [first, second, third, fourth, fifth] = parts;
  // A namespace is a resource itself, and so is its status.
  const inside =
    first === "namespaces" && third !== undefined && !(["status", "finalize"].includes(third) && fourth === undefined);
  if (inside) return { namespace: second, plural: third, name: fourth, subresource: fifth };
  if (first === undefined) return undefined;
  // Permissions for a namespace itself count in it.
  const namespace = first === "namespaces" ? second : undefined;
  return { namespace, plural: first, name: second, subresource: third };
}

function verbOf(method: string, name: string | undefined, watching: boolean): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (name !== undefined) return "get";
      return watching ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}
