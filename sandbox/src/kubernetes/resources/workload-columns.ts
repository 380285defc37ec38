import { at, type JsonObject, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import type { Column } from "../output/column.js";
import { column, wide } from "./define-built-in.js";

/** The wide columns of everything that runs pods. */
export const workloadColumns: readonly Column[] = [
  wide(column("Containers", (object) => containers(object, "name"))),
  wide(column("Images", (object) => containers(object, "image"))),
  wide(column("Selector", selectorCell)),
];

function containers(object: ApiObject, field: "name" | "image"): string {
  const all = listOf(at(object, "spec", "template", "spec", "containers"));
  return all.map((container) => textOf(at(container, field))).join(",");
}

function selectorCell(object: ApiObject): string {
  return pairsText(objectOf(at(object, "spec", "selector", "matchLabels")));
}

export function pairsText(labels: JsonObject): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${textOf(value)}`);
  return pairs.join(",") || "<none>";
}
