/** What the simulated account holds. Plain data only: stale reads are answered from a structured clone of it. */

export type PlanName = "free" | "pro" | "business" | "enterprise";

export const RECORD_TYPES = ["A", "AAAA", "CNAME", "NS", "TXT"] as const;
/** Only addresses and aliases can be proxied. */
export const PROXIABLE: readonly SimulatedType[] = ["A", "AAAA", "CNAME"];
/** Types that the simulator knows. */
export type SimulatedType = (typeof RECORD_TYPES)[number];

export interface AccountData {
  /** 32 hexadecimal digits, as all ids. */
  readonly id: string;
  readonly name: string;
}

export interface RecordData {
  readonly id: string;
  readonly type: SimulatedType;
  /** Full, in lower case, without the final dot. */
  readonly name: string;
  readonly content: string;
  /** Seconds; 1: automatic, which proxied records always are. */
  readonly ttl: number;
  readonly proxied: boolean;
  readonly comment: string | null;
  readonly tags: readonly string[];
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

export interface ZoneData {
  readonly id: string;
  readonly name: string;
  readonly account: AccountData;
  readonly status: "active" | "pending" | "moved";
  readonly plan: PlanName;
  readonly createdAt: number;
  /** By id, in the order of creation. */
  records: Map<string, RecordData>;
}

export interface CloudflareWorld {
  /** By id. */
  readonly zones: Map<string, ZoneData>;
}

/** What a plan allows. */
export interface PlanLimits {
  /** Changes in one batch. */
  readonly batch: number;
  /** Characters of a comment. */
  readonly comment: number;
  /** Tags of a record. */
  readonly tags: number;
  /** Seconds; the least TTL besides 1. */
  readonly ttl: number;
  /** Records in a zone. */
  readonly records: number;
}

export const PLANS: Readonly<Record<PlanName, PlanLimits>> = {
  free: { batch: 200, comment: 100, tags: 0, ttl: 60, records: 1_000 },
  pro: { batch: 3_500, comment: 500, tags: 20, ttl: 60, records: 3_500 },
  business: { batch: 3_500, comment: 500, tags: 20, ttl: 60, records: 3_500 },
  enterprise: { batch: 3_500, comment: 500, tags: 20, ttl: 30, records: 3_500 },
};
