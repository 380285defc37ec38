/** How many addresses are active, which a pool does not need, and which it serves although `ips` does not list them. */

import type { DeletionPolicy } from "cdk8s-flipop/api";
import { listed } from "../../values.js";

export interface Count {
  readonly active: number;
  readonly desired: number;
}

export const countText = ({ active, desired }: Count) => `${active} of ${desired} addresses are active`;

export interface Fulfilled extends Count {
  /** Addresses that `ips` lists and the pool does not need. */
  readonly disabled: readonly string[];
  /** Created addresses that somebody removed from `ips`. @default none */
  readonly unlisted?: Unlisted | undefined;
}

interface Unlisted {
  /** Those that serve. */
  readonly ips: readonly string[];
  readonly reclaimPolicy: DeletionPolicy;
  /** The operator only concluded that it created them, so it releases none. */
  readonly inferred: boolean;
}

export function fulfilledText({ disabled, unlisted, ...count }: Fulfilled): string {
  const kept = unlisted === undefined ? "" : `; ${unlistedText(unlisted, count.desired)}`;
  return `${countText(count)}${disabledText(disabled, count.desired)}${kept}`;
}

/** Its removal from `ips` has no effect alone: who expects one reads why. */
export function unlistedText({ ips, reclaimPolicy, inferred }: Unlisted, desired: number): string {
  const [they, serve, it] = ips.length === 1 ? ["it", "serves", "it"] : ["they", "serve", "them"];
  const left = desired - ips.length;
  // The API server refuses a pool without addresses.
  const change = left > 0 ? `also set desiredIPs to ${left}` : "delete the pool";
  const policy = inferred && reclaimPolicy === "Delete" ? "" : ` (reclaimPolicy is ${reclaimPolicy})`;
  const keeps = inferred || reclaimPolicy !== "Delete";
  const then = keeps
    ? `the pool then stops using ${it}, and the account keeps ${it} until somebody releases ${it}`
    : `the operator then releases ${it}`;
  return `ips does not list ${listed(ips)}, which the operator created: ${they} ${serve}, because desiredIPs is ${desired}; to give ${it} up, ${change}: ${then}${policy}`;
}

function disabledText(disabled: readonly string[], desired: number): string {
  const [is, counts, it] = disabled.length === 1 ? ["is", "counts", "it"] : ["are", "count", "them"];
  if (disabled.length === 0) return "";
  return `; ${listed(disabled)} ${is} disabled, because desiredIPs is ${desired}, and still ${counts} against the account's limit: raise desiredIPs to use ${it}, too`;
}
