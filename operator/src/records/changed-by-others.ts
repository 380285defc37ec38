/** Pure: what others wrote on a name, and a change of the operator takes away; for its Event. */

import type { DnsStatus } from "cdk8s-flipop/api";
import type { RecordChangeSet } from "../providers/types.js";
import { isSameName } from "./same-name.js";

/** A restart between a change and its status looks the same, so this is no certainty. */
const CHANGED_BY_OTHERS = "they differed from status.dns: somebody else has probably changed them";

/** The set has been written as it is wanted now. */
export function undone({ before, after }: RecordChangeSet): { readonly cause?: string } {
  const same = `${[...before].sort()}` === `${[...after].sort()}`;
  return same ? {} : { cause: CHANGED_BY_OTHERS };
}

/** @param left what the operator wrote on the name for another resource. Only the first write on a name: later, `status.dns` may be older than what a failed change has written. */
export function replacing(
  { before, after }: RecordChangeSet,
  last: DnsStatus | undefined,
  written: DnsStatus,
  left: readonly string[],
): { readonly replaced?: readonly string[] } {
  if (last !== undefined && isSameName(last, written)) return {};
  const known = [...after, ...left, ...(last?.values ?? [])];
  const replaced = before.filter((value) => !known.includes(value));
  return replaced.length === 0 ? {} : { replaced };
}
