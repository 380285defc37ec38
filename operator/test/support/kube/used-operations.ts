/** Which operations of an API a provider uses: a list by hand that the tests hold against what really happens. */

import type { JournalEntry } from "flipop-sandbox/http";

export class UsedOperations {
  /** Those that were answered with success. */
  readonly hit = new Set<string>();

  /** @param known `METHOD /path/{as}/described`, sorted */
  constructor(readonly known: readonly string[]) {}

  /** Throws for an operation that is not in the list. */
  indexResource(entries: readonly JournalEntry[]): void {
    for (const { route, method, path, status = 0 } of entries) {
      if (route === undefined || !this.known.includes(route)) {
        throw new Error(`the provider used ${route ?? `${method} ${path}`}: add it to its list of operations`);
      }
      if (status >= 200 && status < 300) this.hit.add(route);
    }
  }

  /** Those that were never answered with success. */
  get missed(): readonly string[] {
    return this.known.filter((operation) => !this.hit.has(operation));
  }
}
