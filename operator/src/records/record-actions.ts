/** What a plan of a record set reads, what it may ask for, and whether a newer one still asks for it. */

import type { DnsRecordSet, DnsStatus } from "cdk8s-flipop/api";
import type { Claim } from "../claims/claims.js";
import type { Problem } from "../messages/message.js";
import type { LimitWait } from "../providers/layers/limiter.js";
import type { DnsCapabilities, RecordChangeSet, RecordType } from "../providers/types.js";
import type { Records } from "./cached-record-set.js";
import type { NameRemarks } from "./name-remarks.js";
import type { OwnChange } from "./own-record-writes.js";

export interface Reasoned {
  /** For people; completes "... because". */
  readonly why: string;
}

/**
 * `previous`: the one that `status.dns` names, where it is not, or not wholly, the one that the spec names.
 * `begun`: the next of `status.begunRecords` that the spec does not name.
 */
export type WhichRecords = "current" | "previous" | "begun";

export type DnsAction =
  /** The set has to be read, then plan again. */
  | (Reasoned & { readonly do: "read-records"; readonly which: WhichRecords })
  | (Reasoned & {
      readonly do: "apply-records";
      readonly which: WhichRecords;
      readonly provider: string;
      readonly changes: RecordChangeSet;
      /** Who made the change necessary, if not the resource; for its Event. */
      readonly cause?: string;
      /** Values before a change that ended half-way, which this one completes; for its Event. */
      readonly since?: readonly string[];
      /** Values that it replaces, and that the status does not show as written by the operator. */
      readonly replaced?: readonly string[];
    });

/** `unseen`: its provider does not show its zone, so the records may be gone with it. `foreign`: the operator did not write them. */
export type LeftRecords = DnsStatus & { readonly unseen?: true; readonly foreign?: true };

/** `status.dns`; `undefined` removes it. */
export type RecordDns = Reasoned & {
  readonly do: "record-dns";
  readonly written: DnsStatus | undefined;
  /** `status.begunRecords`; absent: it stays as it is. */
  readonly begun?: readonly DnsStatus[];
  /** Resolvers may have records that have just been ended for so long, seconds. Absent: none were. */
  readonly cachedSeconds?: number;
  /** What stays at the provider of a record set that the resource no longer follows; for an Event. */
  readonly left?: LeftRecords;
  /** A change that ended half-way; for an Event. */
  readonly changed?: Pick<RecordChangeSet, "fqdn" | "before" | "after">;
};

/** See `Chain` in reconcile/plan.ts. */
export type RecordChain = readonly (DnsAction | RecordDns)[];

/** The operator has no such provider, or the provider shows no such zone. `zone for long`: the operator ceases to try. */
export type LostPlace = "provider" | "zone" | "zone for long";

/** `isOurs` and `halfDone` are of the set that the spec names. */
export interface DnsSnapshot extends OwnChange {
  /** Of the provider that the spec names; absent: it is unknown or has no DNS. */
  readonly capabilities?: DnsCapabilities;
  /** The full name that the spec names. Absent: it names none. */
  readonly fqdn?: string;
  /** On the name that the spec names. Absent: there is none, or it is undecided. */
  readonly claim?: Claim;
  /** The set that the spec names. */
  readonly records: Records;
  /** What `status.dns` names and the spec does not (any more). */
  readonly previous: {
    readonly records: Records;
    readonly claim?: Claim;
    /** See `begun`. */
    readonly lost?: LostPlace;
    /** See `begun`. */
    readonly emptyUntil?: number;
    /** ms since the epoch: its last call failed. */
    readonly retryAt?: number;
    /** See `OwnChange`. */
    readonly wrote?: readonly string[];
  };
  /** See `WhichRecords`. Absent: there is none. */
  readonly begun?: {
    readonly records: Records;
    readonly claim?: Claim;
    /** It cannot be read any more. */
    readonly lost?: LostPlace;
    /** ms since the epoch: a read has shown no records, and from then on a second one says whether that is so. */
    readonly emptyUntil?: number;
    /** See `OwnChange`. */
    readonly wrote?: readonly string[];
  };
  /** Why the resource may not have the name: nothing is written there. */
  readonly refused?: Problem;
  /** The limits do not allow the name any more, but the operator has written it for the resource. */
  readonly kept?: Problem;
  /** `false`: records that were not written for the resource stay. @default true */
  readonly adopts?: boolean;
  /** What the operator wrote on the name for RoutedIPs of the namespace that are gone. @default nothing */
  readonly retained?: readonly string[];
  /** The class or issuer that does not let the operator replace them, by kind and name. */
  readonly adopter?: string;
  /** The last call to the DNS provider failed. */
  readonly failure?: Problem;
  /** ms since the epoch: when the operator tries again what `failure` is of. */
  readonly failureRetryAt?: number;
  /** ms since the epoch: no call before. */
  readonly retryAt?: number;
  /** Calls to the DNS provider wait long for its limits. */
  readonly longWait?: LimitWait;
  /** Of the set that the spec names. Absent: there is none. */
  readonly remarks?: NameRemarks;
  /** ms since the epoch: when `records` were read. */
  readonly readAt?: number;
  /** ms since the epoch: when `records` becomes unknown, or what blocks the name may be gone: it has to be read again. */
  readonly readAgainAt?: number;
}

export interface DesiredRecords {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly dns: DnsSnapshot;
  /** See `RecordSetView.reverts`. */
  readonly reverts: readonly number[] | undefined;
  readonly wanted: DnsRecordSet;
  /** Provider of the records. */
  readonly provider: string;
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
  /** `status.begunRecords`. @default none */
  readonly begun?: readonly DnsStatus[] | undefined;
  /** Types that the spec asks for, and those of them that no other resource has. */
  readonly types: { readonly asked: readonly RecordType[]; readonly ours: readonly RecordType[] };
  /** Canonical addresses, sorted. None: the set is left as it is. */
  readonly values: readonly string[];
  /** No address is left, and the resource asks for an empty set then. */
  readonly empty?: boolean;
  /** Seconds, as the provider takes it; `keep`: that of existing records stays. */
  readonly ttl: number | "keep";
  /** Written beside each record where the provider can. */
  readonly owner: string;
}

/** `wanted` may be gone, or not be readable: what was written is known all the same. */
export interface RecordRemoval extends Pick<DesiredRecords, "now" | "dns" | "provider" | "last" | "begun" | "types"> {
  readonly wanted: DnsRecordSet | undefined;
}

type Change = Extract<DnsAction, { readonly do: "apply-records" }>;

/** @param planned the actions of a plan made now; `undefined`: the resource is gone. */
export function supersededRecords(planned: readonly unknown[] | undefined, action: DnsAction): string | undefined {
  if (action.do !== "apply-records") return undefined;
  const wanted = goalOf(action);
  const same = planned?.some((other) => isChange(other) && goalOf(other) === wanted);
  return same === true ? undefined : "the records that should exist have changed since the decision";
}

function isChange(action: unknown): action is Change {
  return typeof action === "object" && action !== null && "do" in action && action.do === "apply-records";
}

/** What the record set holds in the end; the steps that lead there depend on the steps that are done already. */
function goalOf({ which, changes: { zone, fqdn, after } }: Change): string {
  return JSON.stringify([which, zone, fqdn, after]);
}
