/** What the plan of a record set may ask for. */

import type { DnsAction, Reasoned, RecordDns } from "../../records/actions.js";

/** What the API server keeps. Confirmed before the next action of the chain. */
export type RecordAction =
  | RecordDns
  | (Reasoned & { readonly do: "add-finalizer" })
  /** `abandonedItems`: what was not cleaned up in time; goes to the log and an Event. */
  | (Reasoned & { readonly do: "remove-finalizer"; readonly abandonedItems: readonly string[] });

export type Action = DnsAction | RecordAction;

export type ActionSequence = readonly Action[];
