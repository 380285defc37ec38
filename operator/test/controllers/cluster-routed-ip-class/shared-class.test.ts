import { expect } from "chai";
import { describe, it } from "mocha";
import { type ClassTools, gather, type Snapshot } from "../../../src/controllers/cluster-routed-ip-class/gather.js";
import { isReportedByOthers, plan } from "../../../src/controllers/cluster-routed-ip-class/plan.js";
import { inUseFinalizersOf } from "../../../src/routing/in-use.js";
import { JANITOR_RETRY_MS, JOB_DRY_RUN_RETRY_MS } from "../../../src/timings.js";
import { meta } from "../../claims/resources.js";

const [OURS, OTHERS] = ["flipop.digitalocean.com/in-use.a", "flipop.digitalocean.com/in-use.b"];
const NOW = Date.parse("2025-06-01T10:00:00Z");
const DELETED = { deletionTimestamp: "2025-06-01T09:59:50Z" };
const READY = [
  { type: "Ready", status: "True", reason: "Observed", message: "", lastTransitionTime: "2025-06-01T08:00:00Z" },
] as const;

function seen(metadata: Partial<Snapshot["metadata"]>, more: Partial<Snapshot> = {}): Snapshot {
  return {
    now: NOW,
    metadata: { ...meta("class"), ...metadata },
    spec: { issuerRef: { name: "do", namespace: "shared" } },
    issuer: "accepted",
    finalizers: inUseFinalizersOf({ namespace: "a", watchNamespaces: ["web"] }),
    cachesComplete: true,
    users: [],
    leaving: [],
    jobs: { enabled: false, namespaces: [], dryRun: "accepted", accounts: new Map(), due: false },
    ...more,
  };
}

describe("a class that several installations use", () => {
  it("has a status of one of them", () => {
    expect(isReportedByOthers(seen({ finalizers: [OURS, OTHERS] }))).to.equal(false);
    expect(isReportedByOthers(seen({ finalizers: [OTHERS] }))).to.equal(true);
    const unseen = { reportedUnseen: true };
    expect(isReportedByOthers(seen({}, unseen)), "it does not see the issuer").to.equal(true);
    expect(isReportedByOthers(seen({}, { ...unseen, users: ["web/a"] })), "its RoutedIPs wait").to.equal(false);
    expect(isReportedByOthers(seen({}, { reportedUnseen: false }))).to.equal(false);
  });

  it("has a status of any of them once it is deleted and the one that should write it is gone", () => {
    const left = { ...DELETED, finalizers: [OTHERS] };
    const late = { conditions: READY, now: Date.parse(DELETED.deletionTimestamp) + JANITOR_RETRY_MS };
    expect(isReportedByOthers(seen(left, { ...late, now: late.now - 1 }))).to.equal(true);
    expect(isReportedByOthers(seen(left, late))).to.equal(false);
  });

  it("says what its deletion waits for, and looks again soon where another one should say it", () => {
    const left = plan(seen({ ...DELETED, finalizers: [OTHERS] }));
    expect(left.unserved?.message).to.contain(`finalizer ${OTHERS} of another installation`);
    expect(left.requeueAt).to.equal(NOW + JANITOR_RETRY_MS);
    expect(plan(seen({ ...DELETED, finalizers: [OURS] }))).not.to.have.any.keys("unserved", "requeueAt");
    for (const metadata of [{ finalizers: [OTHERS] }, { ...DELETED, finalizers: [OURS, OTHERS] }])
      expect(plan(seen(metadata))).not.to.have.property("requeueAt");
    expect(plan(seen({ finalizers: [OTHERS] }))).not.to.have.property("unserved");
  });

  it("asks again about Jobs that cannot run, deleted or not", () => {
    const jobs = { enabled: true, namespaces: [], dryRun: "accepted", accounts: new Map(), due: false } as const;
    for (const metadata of [{}, DELETED]) {
      const made = plan(seen(metadata, { spec: { updateRoutedIP: {}, updateFirewall: {} }, jobs }));
      expect(made.requeueAt).to.equal(NOW + JOB_DRY_RUN_RETRY_MS);
    }
  });
});

describe("what a class takes from statuses", () => {
  const condition = (type: string, status: string, observedGeneration: number) => ({
    ...{ type, status, observedGeneration, reason: "InUse", message: `${type} is ${status}` },
    lastTransitionTime: "2025-06-01T08:00:00Z",
  });
  const ACCEPTED = [condition("Ready", "False", 3), condition("Accepted", "True", 3)];

  /** @param ofIssuer, ofClass conditions of generation 3. */
  function seenBy(issuerNamespaces: readonly string[], ofIssuer: readonly object[], ofClass: readonly object[] = []) {
    const metadata = { ...meta("class"), generation: 3 };
    const spec = { issuerRef: { name: "do", namespace: "shared" } };
    const issuer = { metadata: { ...meta("do"), generation: 3 }, spec: {}, status: { conditions: ofIssuer } };
    const routing = {
      ...{ lookUp: { issuer: () => issuer }, classFor: () => "class", usersOfClass: () => [], newerOf: () => [] },
      ...{ context: { clock: { now: () => NOW }, leads: () => true }, synced: true, settings: { jobNamespaces: [] } },
      seesIssuersIn: (namespace: string) => issuerNamespaces.includes(namespace),
    };
    const read = { metadata, spec, status: { conditions: ofClass } };
    return gather({ routing } as unknown as ClassTools, read as unknown as Parameters<typeof gather>[1]);
  }

  it("is whether its issuer is accepted, as the issuer is now, ready or not", () => {
    expect(seenBy(["shared"], ACCEPTED).issuer).to.equal("accepted");
    expect(seenBy(["shared"], [condition("Accepted", "True", 2)]).issuer).to.equal("unobserved");
    expect(seenBy(["shared"], [condition("Ready", "True", 3)]).issuer).to.equal("unobserved");
    const refused = [condition("Ready", "True", 3), condition("Accepted", "False", 3)];
    expect(seenBy(["shared"], refused).issuer).to.deep.equal({
      problem: { reason: "InUse", message: "Accepted is False" },
    });
  });

  it("is whether an installation that sees its issuer has reported on it as it is now", () => {
    const reported = (namespaces: readonly string[], ofClass: readonly object[]) =>
      seenBy(namespaces, [], ofClass).reportedUnseen;
    expect(reported([], ACCEPTED)).to.equal(true);
    expect(reported(["shared"], ACCEPTED), "it sees the issuer itself").to.equal(false);
    expect(reported([], [condition("Accepted", "True", 2)]), "of an earlier spec").to.equal(false);
    expect(reported([], [condition("Ready", "True", 3)])).to.equal(false);
  });
});
