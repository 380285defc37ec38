import type { TenantLimits } from "../../api/access/tenant-limits";
import { isObject } from "../../api/schema/schema";

/** The value of the flag; empty: no limits. A valid document contains no `$(`, which Kubernetes would replace. */
export function limitsDocument(limits: TenantLimits = {}): string {
  const text = sortedJson(limits);
  return text === "{}" ? "" : text;
}

/** The limits of namespaces as a CEL list. All values of a CEL map have one type, so the maximum is a text in a list. */
export function limitsRules({ namespaces = [] }: TenantLimits): string {
  const rules = namespaces.map(({ maxCreatedAddresses, ...lists }) =>
    maxCreatedAddresses === undefined ? lists : { ...lists, capped: [String(maxCreatedAddresses)] },
  );
  return sortedJson(rules);
}

/** With sorted keys, as Helm writes JSON. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
