/** A record set with a fake provider and clock. */

import { planRecordChanges } from "../../src/providers/diff.js";
import { isProviderError } from "../../src/providers/errors.js";
import type { RecordSet } from "../../src/records/cached-record-set.js";
import { RecordRegistry } from "../../src/records/dns-service.js";
import { DRIFT_READ_SHARE } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";
import { ASKER, FakeDns, providerError } from "./fake-dns.js";

export const FQDN = "www.example.com";
export const NAME = { zone: "example.com", name: "www", types: ["A"] } as const;
export const MINUTE = 60_000;

export interface Rig {
  readonly clock: FakeClock;
  readonly dns: FakeDns;
  readonly registry: RecordRegistry;
  readonly set: RecordSet;
  /** How often the registry has told resources that a missing zone is there. */
  readonly zonesFound: () => number;
  readonly read: () => Promise<void>;
  /** Changes what is known to these values. */
  readonly write: (...values: readonly string[]) => Promise<void>;
  /** As `write`, for a resource that keeps the TTL. */
  readonly writeKeeping: (...values: readonly string[]) => Promise<void>;
  /** Of what is known. */
  readonly known: () => readonly string[] | "unknown";
  /** Fails the next calls of a kind. */
  readonly fail: (call: "read" | "create" | "update", times: number) => void;
}

const DRIFT_MS = 600_000;
export const RECORDS_MAX_AGE_MS = DRIFT_MS * DRIFT_READ_SHARE;

export function rig(): Rig {
  const clock = new FakeClock();
  const dns = new FakeDns();
  let found = 0;
  const registry = new RecordRegistry(clock, DRIFT_MS, () => {
    found += 1;
  });
  const set = registry.of(dns, NAME);
  const caller = { provider: dns, context: ASKER };
  const change = (values: readonly string[], ttl: number | "keep") =>
    noted(set.apply(caller, planRecordChanges(facts(set), { values, ttl })));
  return {
    ...{ clock, dns, registry, set },
    zonesFound: () => found,
    read: () => noted(set.read(caller)),
    write: (...values) => change(values, 60),
    writeKeeping: (...values) => change(values, "keep"),
    known: () => {
      const { records } = set.view();
      return records === "unknown" ? records : records.records.map(({ value }) => value).sort();
    },
    fail: (call, times) => {
      let left = times;
      dns.fault = (seen) => {
        if (seen !== call || left === 0) return undefined;
        left -= 1;
        return { error: providerError("Unavailable") };
      };
    },
  };
}

export function facts(set: RecordSet) {
  const { records } = set.view();
  if (records === "unknown") throw new Error("the test has to read it first");
  return records;
}

/** Its failure is in the view. */
async function noted(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isProviderError(error)) throw error;
  }
}
