/** Whether two looks at a record set show the same. */

import type { RecordFacts, RecordSetFacts } from "../providers/types.js";

/** By type and address. Not by TTL: a provider may level those of a name, of which another resource has the other type. */
export function sameRecords(a: RecordSetFacts, b: RecordSetFacts): boolean {
  return a.zone === b.zone && a.fqdn === b.fqdn && textOf(a.records) === textOf(b.records);
}

function textOf(records: readonly RecordFacts[]): string {
  return records
    .map(({ type, value }) => `${type} ${value}`)
    .sort()
    .join("\n");
}
