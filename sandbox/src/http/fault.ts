/** What can go wrong between a client and an API. */

/** `before`: the request has no effect. `after`: it is processed, and then its answer is damaged or lost. */
export type Moment = "before" | "after";

export type Fault =
  /** An error of the API: 429 (with or without retry-after), 500, 502, 503, 504, ... @default when: before */
  | {
      readonly kind: "status";
      readonly status: number;
      /** Seconds, sent as the header; absent: no header. */
      readonly retryAfterSeconds?: number;
      /** Of the simulator's clock. @default 0 */
      readonly afterMs?: number;
      readonly when?: Moment;
    }
  /** Never answered; the connection stays open until the client gives up. @default when: before */
  | { readonly kind: "timeout"; readonly when?: Moment }
  /** RST; `during-body` comes after half of the answer. @default when: before */
  | { readonly kind: "reset"; readonly when?: Moment | "during-body" }
  /** Processed; the answer is well framed but its JSON stops half-way. An answer without a body is left as it is. */
  | { readonly kind: "truncate" }
  /** The page of a proxy in front of the API. @default status: 502, when: before */
  | { readonly kind: "html"; readonly status?: number; readonly when?: Moment }
  /** Processed; the body drips in `chunks` pieces over `ms` of the simulator's clock. @default chunks: 4 */
  | { readonly kind: "slow-body"; readonly ms: number; readonly chunks?: number }
  /** Processed at once, answered after `ms` of the simulator's clock. */
  | { readonly kind: "delay"; readonly ms: number }
  /** For `ms` from now all reads show the world as it was before this request; this request itself works. */
  | { readonly kind: "stale-reads"; readonly ms: number }
  /** Processed twice, as a proxy does that sends a request again. @default answer: second */
  | { readonly kind: "duplicate"; readonly answer?: "first" | "second" }
  /** From this request on its token is refused. */
  | { readonly kind: "revoke-token" }
  /** Processed; the answer is JSON of at least `bytes`. @default bytes: 10 MiB */
  | { readonly kind: "huge"; readonly bytes?: number };

export type FaultKind = Fault["kind"];

/** Whether the request must not reach the API. */
export function isBeforeProcessing(fault: Fault): boolean {
  switch (fault.kind) {
    case "status":
    case "timeout":
    case "reset":
    case "html":
      return (fault.when ?? "before") === "before";
    default:
      return false;
  }
}

/**
 * One of each, by name: for tests that go through every fault at every call. Times are of the simulator's clock.
 * `slow-body` and `delay` need a clock that moves; `timeout` needs a client that gives up.
 */
export const EVERY_FAULT: Readonly<Record<string, Fault>> = {
  "429 with retry-after": { kind: "status", status: 429, retryAfterSeconds: 2 },
  "429 without retry-after": { kind: "status", status: 429 },
  "500": { kind: "status", status: 500 },
  "500 after commit": { kind: "status", status: 500, when: "after" },
  "502": { kind: "status", status: 502 },
  "503": { kind: "status", status: 503 },
  "504 after commit": { kind: "status", status: 504, when: "after" },
  timeout: { kind: "timeout" },
  "timeout after commit": { kind: "timeout", when: "after" },
  "reset before processing": { kind: "reset" },
  "reset after commit": { kind: "reset", when: "after" },
  "reset during the body": { kind: "reset", when: "during-body" },
  "truncated JSON": { kind: "truncate" },
  "HTML error body": { kind: "html" },
  "HTML with status 200": { kind: "html", status: 200 },
  "HTML after commit": { kind: "html", when: "after" },
  "slow body": { kind: "slow-body", ms: 2_000 },
  delay: { kind: "delay", ms: 1_000 },
  "stale reads": { kind: "stale-reads", ms: 3_000 },
  "duplicate delivery": { kind: "duplicate" },
  "token revoked": { kind: "revoke-token" },
  "10 MB answer": { kind: "huge" },
};
