import { type ApiStatus, expired, tooLarge } from "../api-status.js";
import { type Cluster, collectionOf } from "../cluster.js";
import type { ApiObject } from "../objects.js";
import type { ResourceType } from "../resources/resource-type.js";
import { keyOf } from "../store/collection.js";
import { type PageStart, readToken, writeToken } from "./continue-token.js";
import { type ListOptions, readListOptions } from "./list-options.js";
import { readSelector } from "./selectors.js";

/** A list, or a page of one, as stored objects. */
export interface ListResult {
  readonly resourceVersion: string;
  readonly objects: readonly ApiObject[];
  /** Absent: this was the last page. */
  readonly continueToken?: string;
  /** How many objects follow; known where nothing is selected. */
  readonly remaining?: number;
}

/** Lists a resource; throws what the API server answers. */
export function list(
  cluster: Cluster,
  type: ResourceType,
  namespace: string | undefined,
  query: URLSearchParams,
): ListResult {
  const options = readListOptions(query);
  const { selects, everything } = readSelector(type, query, namespace);
  const start = options.continueToken === "" ? undefined : readToken(options.continueToken);
  const revision = revisionOf(cluster, options, start);
  const state = stateAt(cluster, type, revision, start);
  const relative = (object: ApiObject) => (namespace === undefined ? keyOf(object) : object.metadata.name);
  const selected = state.filter((object) => selects(object) && (!start || relative(object) > start.after));
  // Any state will do: it comes whole, from memory.
  const limit = options.resourceVersion === 0 ? 0 : options.limit;
  const resourceVersion = String(revision);
  if (limit === 0 || selected.length <= limit) return { resourceVersion, objects: selected };
  const objects = selected.slice(0, limit);
  const last = objects.at(-1);
  const continueToken = writeToken({ revision, after: last ? relative(last) : "" });
  const remaining = selected.length - limit;
  return { resourceVersion, objects, continueToken, ...(everything && { remaining }) };
}

/** The revision that the list shows. */
function revisionOf(
  { store }: Cluster,
  { resourceVersion = 0, match }: ListOptions,
  start: PageStart | undefined,
): number {
  if (start) return start.revision < 0 ? store.revision : start.revision;
  if (resourceVersion > store.revision) throw tooLarge(resourceVersion, store.revision);
  return match === "Exact" ? resourceVersion : store.revision;
}

function stateAt(
  cluster: Cluster,
  type: ResourceType,
  revision: number,
  start: PageStart | undefined,
): readonly ApiObject[] {
  const collection = collectionOf(cluster, type);
  const { revision: current } = cluster.store;
  if (revision === current) return collection.list();
  const state = collection.listAt(revision);
  if (state) return state;
  throw start ? inconsistent(start) : expired("The resourceVersion for the provided list is too old.");
}

/** 410, with a token that goes on at the newest state. */
function inconsistent({ after }: PageStart): ApiStatus {
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return expired(message, writeToken({ revision: -1, after }));
}
