/** A list that a cloud gives in pages: read whole, read again if it changed meanwhile, and refused if it is too long. */

import { type ListFault, unusableAnswers } from "../messages/calls/unusable-answers.js";
import type { FailureText } from "../messages/failed-calls.js";
import { CLOUD_LIST_ATTEMPTS, CLOUD_LIST_MOST } from "../timings.js";
import { ProviderError, type ProviderErrorReason } from "./errors.js";

export interface ListPage<T> {
  /** `id`: an item that appears on two pages counts once. */
  readonly items: readonly { readonly id: string; readonly value: T }[];
  /** Items on all pages, where the API says so. */
  readonly total: number | undefined;
  /** Whether this is the last page, where the API says so. */
  readonly end: boolean | undefined;
}

export interface PagedList<T> {
  /** For the error, such as `cloudflare: read records of www.example.com`. */
  readonly where: string;
  /** For the error: what another program does that changes the list. */
  readonly changes: string;
  /** @param number from 1 on */
  readonly read: (number: number) => Promise<ListPage<T>>;
}

/** All items. A list that changes meanwhile is read again: an item that moves between pages would be missed. */
export async function readAllPages<T>(list: PagedList<T>): Promise<readonly T[]> {
  const faults: ListFault[] = [];
  while (faults.length < CLOUD_LIST_ATTEMPTS) {
    const result = await new Pass(list).run();
    if (!("is" in result)) return result;
    faults.push(result);
  }
  throw unusable(list, faultText(list, faults));
}

/** A list that changes shows something else in each reading; one that shows the same is wrong itself. */
function faultText({ changes }: PagedList<unknown>, faults: readonly ListFault[]): FailureText {
  const [first = { is: "changed" }] = faults;
  const isSame = faults.every((fault) => JSON.stringify(fault) === JSON.stringify(first));
  if (first.is === "changed" || !isSame) return unusableAnswers.listChanged(faults.length, changes);
  return unusableAnswers.listContradictory(faults.length, first);
}

/** One reading, from the first page on. */
class Pass<T> {
  private readonly found = new Map<string, T>();
  private characters = 0;
  private total: number | undefined;

  constructor(private readonly list: PagedList<T>) {}

  async run(): Promise<readonly T[] | ListFault> {
    for (let number = 1; number <= CLOUD_LIST_MOST.pages; number++) {
      const page = await this.list.read(number);
      if (number > 1 && page.total !== this.total) return { is: "changed" };
      this.total = page.total;
      const before = this.found.size;
      this.add(page);
      if (this.ends(page)) return this.whole();
      // A page without anything new leads nowhere.
      if (this.found.size === before) return { is: "repeats", page: number };
    }
    throw tooLong(this.list, "pages", CLOUD_LIST_MOST.pages + 1);
  }

  /** Throws as soon as the list is too long, so that the rest of it gets no memory. */
  private add({ items, total = 0 }: ListPage<T>): void {
    if (total > CLOUD_LIST_MOST.items) throw tooLong(this.list, "items", total);
    for (const { id, value } of items) {
      this.found.set(id, value);
      this.characters += JSON.stringify([id, value]).length;
    }
    if (this.found.size > CLOUD_LIST_MOST.items) throw tooLong(this.list, "items", this.found.size);
    if (this.characters > CLOUD_LIST_MOST.characters) throw tooLong(this.list, "characters", this.characters);
  }

  /** Where the API does not say it: there are as many items as it counts, or a page is empty. */
  private ends({ items, end }: ListPage<T>): boolean {
    if (end !== undefined) return end;
    return this.total === undefined ? items.length === 0 : this.complete();
  }

  private whole(): readonly T[] | ListFault {
    const { total = 0, found } = this;
    return this.complete() ? [...found.values()] : { is: "miscounted", items: found.size, total };
  }

  private complete(): boolean {
    return this.total === undefined || this.found.size === this.total;
  }
}

function tooLong(list: PagedList<unknown>, unit: keyof typeof CLOUD_LIST_MOST, count: number): ProviderError {
  return unusable(list, unusableAnswers.listTooLong(unit, count, CLOUD_LIST_MOST[unit]), "ListTooLong");
}

/** Nothing was changed, and another reading may succeed. */
function unusable(list: PagedList<unknown>, text: FailureText, reason?: ProviderErrorReason): ProviderError {
  const what = { kind: "Unavailable", where: list.where, ...text, outcome: "refused" } as const;
  return new ProviderError(reason === undefined ? what : { ...what, reason });
}
