/** Lists in pages, read whole or not at all. */

import { CLOUD_LIST_ATTEMPTS, CLOUD_LIST_MAX_PAGES } from "../../bounds.js";
import type { Answer } from "../answer.js";
import { ProviderError } from "../errors.js";

export interface Page<T> {
  readonly items: readonly Item<T>[];
  /** Items on all pages, where the API says so. */
  readonly total: number | undefined;
}

/** An item, and its identity. */
export interface Item<T> {
  readonly id: string;
  readonly value: T;
}

/** `{result: [{id, ...}], result_info: {total_count}}`. Throws MalformedAnswer. */
export function readPage<T>(answer: Answer, read: (item: Answer) => T): Page<T> {
  const info = answer.at("result_info");
  const total = info.empty ? info : info.at("total_count");
  const items = answer.at("result").items();
  return {
    items: items.map((item) => ({ id: item.at("id").string(), value: read(item) })),
    total: total.empty ? undefined : total.natural(),
  };
}

/**
 * All items. A list that changes meanwhile is read again: an item that moves between pages would be missed.
 * @param where for the error, `cloudflare: read records of www.example.com`.
 */
export async function readAllPages<T>(
  where: string,
  read: (number: number) => Promise<Page<T>>,
): Promise<readonly T[]> {
  for (let attempt = 1; attempt <= CLOUD_LIST_ATTEMPTS; attempt++) {
    const items = await onePass(read);
    if (items !== undefined) return items;
  }
  throw new ProviderError({
    kind: "Unavailable",
    where,
    seen: `the list changed while it was read, ${CLOUD_LIST_ATTEMPTS} times`,
    remedy: "it is tried again; look for another program that changes records at a high rate if this lasts",
    outcome: "refused",
  });
}

/** Until there are as many items as promised; without a promise, until a page is empty. `undefined`: it changed. */
async function onePass<T>(read: (number: number) => Promise<Page<T>>): Promise<readonly T[] | undefined> {
  const found = new Map<string, T>();
  let promised: number | undefined;
  for (let number = 1; number <= CLOUD_LIST_MAX_PAGES; number++) {
    const { items, total } = await read(number);
    if (number > 1 && total !== promised) return undefined;
    promised = total;
    const before = found.size;
    for (const { id, value } of items) found.set(id, value);
    if (found.size === promised || (items.length === 0 && promised === undefined)) return [...found.values()];
    // A page without anything new leads nowhere.
    if (found.size === before) return undefined;
  }
  return undefined;
}
