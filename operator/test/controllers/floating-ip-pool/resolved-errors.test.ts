import { expect } from "chai";
import { describe, it } from "mocha";
import { addressLockKey } from "../../../src/addresses/actions.js";
import type { AddressMemory } from "../../../src/addresses/address-set.js";
import { timestamp } from "../../../src/clock.js";
import { memoryOf } from "../../../src/controllers/floating-ip-pool/memory.js";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { statusOf } from "../../../src/controllers/floating-ip-pool/status.js";
import { NOTHING_SEEN } from "../../../src/inventory/view.js";
import type { DnsSnapshot } from "../../../src/records/record-actions.js";
import { ModelCloud } from "./support/model-cloud.js";
import { NO_MEMORY } from "./support/no-memory.js";
import { poolState } from "./support/pool-state.js";

const NO_RECORDS = { ips: [], written: new Set<string>(), read: new Set<string>(), cachedUntil: undefined };

const IP = "203.0.113.7";

describe("an error of an address", () => {
  /** An assignment failed, and then the node that it was for went away: nothing is left to be retried. */
  const lookAt = (secondsAfterRetry: number, { retry = true, memory = NO_MEMORY as AddressMemory } = {}) => {
    const cloud = new ModelCloud();
    cloud.addPool("web", { ips: [IP] });
    const retryAt = timestamp(cloud.now);
    const error = { state: "error", reason: "ProviderUnavailable", error: "no answer" } as const;
    cloud.edit("web", { status: { ips: { [IP]: { ...error, ...(retry ? { retryAt } : {}) } } } });
    cloud.now += secondsAfterRetry * 1000;
    const snapshot = { ...cloud.snapshot("web"), memory };
    const made = plan(snapshot);
    const ready = made.conditions.find(({ type }) => type === "Accepted");
    return {
      made,
      ready,
      now: cloud.now,
      entry: made.addresses[0]?.status,
      error: statusOf(snapshot, made).error,
    };
  };

  it("stays in the status until its retry is due", () => {
    const { ready, entry, made, now } = lookAt(-5);
    expect(entry).to.include({ state: "error", error: "no answer", retryAt: timestamp(now + 5_000) });
    expect(ready).to.include({ status: "False", reason: "ProviderUnavailable" });
    expect(made.requeueAt).to.equal(now + 5_000);
  });

  it("leaves the status when the retry is due and nothing is left to retry, in the next process, too", () => {
    const { ready, entry, error } = lookAt(0);
    expect(entry).to.include({ state: "unassigned" }).and.not.have.any.keys("error", "reason", "retryAt");
    expect(ready).to.include({ status: "True" });
    expect(error).to.equal(undefined);
  });

  it("stays in the status while the node that refused the address is the only candidate, and goes with the node", () => {
    const cloud = new ModelCloud();
    cloud.addNode("ghost");
    cloud.addPool("web", { ips: [IP] });
    const error = { state: "error", reason: "NoCandidate", error: "node ghost: no machine" } as const;
    cloud.edit("web", { status: { ips: { [IP]: { ...error, retryAt: timestamp(cloud.now) } } } });
    const memory = { ...NO_MEMORY, nodeRetryAt: new Map([["digitalocean://ghost", cloud.now + 60_000]]) };
    const entry = () => plan({ ...cloud.snapshot("web"), memory }).addresses[0]?.status;
    expect(entry()).to.include(error);
    cloud.removeNode("ghost");
    expect(entry()).to.include({ state: "unassigned" }).and.not.have.any.keys("error", "reason");
  });

  it("says when an account is tried again that rests for a minute, and waits no longer than the account", () => {
    const of = (retrySeconds: number, reason: "Unauthorized" | "ProviderUnavailable") => {
      const cloud = new ModelCloud();
      cloud.addNode("n1");
      cloud.addPool("web", { ips: [IP] });
      cloud.edit("web", { status: { ips: { [IP]: { state: "error", reason, error: "refused" } } } });
      const providerRetryAt = cloud.now + retrySeconds * 1000;
      const failing = { providerFailure: { reason, message: "refused" }, providerRetryAt };
      const refused = plan({ ...cloud.snapshot("web"), ...failing }).addresses[0]?.status;
      cloud.edit("web", { status: { ips: { [IP]: refused ?? {} } } });
      return { refused, providerRetryAt, later: cloud.plan("web").addresses[0]?.status };
    };
    const minute = of(60, "Unauthorized");
    expect(minute.refused).to.include({ state: "error", retryAt: timestamp(minute.providerRetryAt) });
    expect(minute.later, "the account answers again").to.include({ state: "in-progress" });
    expect(of(10, "ProviderUnavailable").refused).not.to.have.property("retryAt");
  });

  it("leaves the status when the wait for the account is over", () => {
    const waits = (seconds: number) => {
      const accountRetryAt = new Map([[addressLockKey(IP), lookAt(0).now + seconds * 1000]]);
      return lookAt(0, { retry: false, memory: { ...NO_MEMORY, accountRetryAt } });
    };
    expect(waits(5).entry).to.include({ state: "error" });
    expect(waits(0).entry).to.include({ state: "unassigned" });
    expect(waits(-5).ready).to.include({ status: "True" });
  });
});

describe("a failure of a whole pool", () => {
  const MINUTE = 60_000;
  const spec = { dnsRecordSet: { zone: "example.com", recordName: "web" }, ips: [IP], desiredIPs: 2 };
  const scene = (more: Partial<Snapshot>, { paused = false, last = undefined as string | undefined } = {}) => {
    const cloud = new ModelCloud();
    cloud.addNode("n1");
    cloud.addPool("web", { ...spec, paused });
    if (last !== undefined) cloud.edit("web", { status: { retryAt: last } });
    const snapshot = { ...cloud.snapshot("web"), ...more };
    const made = plan(snapshot);
    const condition = (type: string) => made.conditions.find((each) => each.type === type);
    return { desired: statusOf(snapshot, made), condition, now: snapshot.now };
  };
  const { now } = scene({});
  const problem = { reason: "Unauthorized", message: "the token is refused" } as const;
  const failedDns = (retryAt: number): DnsSnapshot => ({
    capabilities: { ttl: (seconds) => seconds, owner: false },
    claim: { ours: true },
    records: "unknown",
    previous: { records: "unknown" },
    failure: problem,
    failureRetryAt: retryAt,
  });
  const causes: Readonly<Record<string, (retryAt: number) => Partial<Snapshot>>> = {
    "its creation": (retryAt) => ({ memory: { ...NO_MEMORY, creationFailure: { ...problem, retryAt } } }),
    "its records": (retryAt) => ({ dns: failedDns(retryAt) }),
    "one call, for the account's sake": (retryAt) => ({
      memory: { ...NO_MEMORY, accountRetryAt: new Map([[addressLockKey(IP), retryAt]]) },
    }),
    "one action, for its own sake": (retryAt) => {
      const state = poolState();
      state.retries.failed("finalizer", { kind: "Unavailable", retryAfterSeconds: (retryAt - now) / 1000 }, { now });
      const scene = {
        inventory: NOTHING_SEEN,
        verdictOf: () => undefined,
        now,
        monotonic: 0,
        recordReverts: [],
        records: NO_RECORDS,
      };
      return { memory: memoryOf(state, scene) };
    },
    "its account": (retryAt) => ({ providerFailure: problem, providerRetryAt: retryAt }),
  };

  for (const [what, failing] of Object.entries(causes)) {
    it(`says when the operator tries again that waits for a minute: ${what}`, () => {
      const retryAt = now + MINUTE;
      expect(scene(failing(retryAt)).desired.retryAt).to.equal(timestamp(retryAt));
      expect(scene(failing(now + 10_000)).desired.retryAt, "a short wait").to.equal(undefined);
      const last = timestamp(now + 10_000);
      expect(scene(failing(now + 10_000), { last }).desired.retryAt, "it stays until the try").to.equal(last);
      expect(scene({}, { last }).desired.retryAt, "the failure is over").to.equal(undefined);
    });
  }

  it("is not shown when the try is due and nothing is left to try", () => {
    const accountRetryAt = new Map([[addressLockKey(IP), now]]);
    const { desired } = scene({ memory: { ...NO_MEMORY, accountRetryAt } }, { last: timestamp(now) });
    expect(desired.retryAt).to.equal(undefined);
  });

  it("is not shown of its records while the pool is paused: no call can show that it is over", () => {
    const { desired, condition } = scene({ dns: failedDns(now + MINUTE) }, { paused: true });
    expect(condition("DNSReady")?.reason).to.equal("NoneActive");
    expect([desired.error, desired.retryAt]).to.deep.equal([undefined, undefined]);
  });
});
