/** Pages of a list with the API's links. */

import type { JsonObject, JsonValue } from "../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../http/message.js";
import { unprocessable } from "./errors.js";

const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 200;

/**
 * One page: `{[key]: [...], links, meta: {total}}`. Only the page's items are rendered. `links.pages` has `first` and
 * `prev` on all pages but the first, `next` and `last` on all but the last; a list of one page has no links.
 */
export function page<Item>(
  request: SimulatorRequest,
  key: string,
  items: readonly Item[],
  render: (item: Item) => JsonValue,
): SimulatorAnswer {
  const size = Math.min(positive(request, "per_page", DEFAULT_PER_PAGE), MAX_PER_PAGE);
  const number = positive(request, "page", 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((number - 1) * size, number * size).map(render);
  return { status: 200, body: { [key]: shown, links: links(request, number, last), meta: { total: items.length } } };
}

function links(request: SimulatorRequest, number: number, last: number): JsonObject {
  if (last === 1) return {};
  const to = (target: number) => {
    const query = new URLSearchParams(request.query);
    query.set("page", String(target));
    return `${request.baseUrl}${request.path}?${query.toString()}`;
  };
  const back = number > 1 ? { first: to(1), prev: to(Math.min(number, last + 1) - 1) } : {};
  const forth = number < last ? { next: to(number + 1), last: to(last) } : {};
  return { pages: { ...back, ...forth } };
}

function positive(request: SimulatorRequest, name: string, otherwise: number): number {
  const text = request.query.get(name);
  if (text === null || text === "") return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw unprocessable(request, `${name} must be a positive integer.`);
  return Number(text);
}
