/** What plans ask for where a record set is concerned. See the actions of each kind for how chains of them run. */

import type { DnsStatus } from "cdk8s-flipop/api";
import type { RecordChangeSet } from "../providers/types.js";

export interface Reasoned {
  /** For people; completes "... because". */
  readonly why: string;
}

/** `previous`: the one that `status.dns` names, where it is not, or not wholly, the one that the spec names. */
export type WhichRecords = "current" | "previous";

export type DnsAction =
  /** The set has to be read, then plan again. */
  | (Reasoned & { readonly do: "read-records"; readonly which: WhichRecords })
  | (Reasoned & {
      readonly do: "apply-records";
      readonly which: WhichRecords;
      readonly provider: string;
      readonly changes: RecordChangeSet;
    });

/** `status.dns`; `undefined` removes it. */
export type RecordDns = Reasoned & { readonly do: "record-dns"; readonly written: DnsStatus | undefined };

/** One after the other. */
export type RecordSequence = readonly (DnsAction | RecordDns)[];
