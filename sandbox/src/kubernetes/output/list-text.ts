import { defined } from "../json.js";
import { apiVersionOf } from "../objects.js";
import type { ListResult } from "../read/list.js";
import type { ResourceType } from "../resources/resource-type.js";
import { itemText } from "./object-text.js";

/** The metadata of a list or Table. */
export function listMetadata({ resourceVersion, continueToken, remaining }: ListResult) {
  return defined({ resourceVersion, continue: continueToken, remainingItemCount: remaining });
}

/** The JSON of a list. Joined from the texts of its items, which are made once. */
export function listText(type: ResourceType, result: ListResult): string {
  const head = JSON.stringify({ kind: type.listKind, apiVersion: apiVersionOf(type), metadata: listMetadata(result) });
  const items = result.objects.map((object) => itemText(type, object)).join(",");
  return `${head.slice(0, -1)},"items":[${items}]}`;
}
