/** Pages of a list. A page behind the last is empty, not an error: clients read until they meet it. */

import type { JsonValue } from "../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../http/message.js";
import { success } from "./envelope.js";
import { REFUSALS } from "./errors.js";

export interface PageSize {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
}

/** One page of the items, with `result_info`. Only the page's items are rendered. */
export function page<Item>(
  { query }: Pick<SimulatorRequest, "query">,
  items: readonly Item[],
  size: PageSize,
  render: (item: Item) => JsonValue,
): SimulatorAnswer {
  const perPage = numberOf(query, "per_page", { least: size.least, most: size.most }) ?? size.standard;
  const number = numberOf(query, "page", { least: 1, most: Number.MAX_SAFE_INTEGER }) ?? 1;
  const shown = items.slice((number - 1) * perPage, number * perPage);
  const info = {
    page: number,
    per_page: perPage,
    count: shown.length,
    total_count: items.length,
    total_pages: Math.ceil(items.length / perPage),
  };
  return success(shown.map(render), { result_info: info });
}

function numberOf(query: URLSearchParams, name: string, range: { least: number; most: number }): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.least && value <= range.most) return value;
  throw REFUSALS.badParameter(`${name} must be a number from ${range.least} to ${range.most}`);
}
