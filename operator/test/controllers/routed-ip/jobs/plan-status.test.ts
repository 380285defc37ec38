import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../../src/clock.js";
import type { JobSnapshot } from "../../../../src/controllers/routed-ip/jobs/snapshot.js";
import { JOB_CLASS } from "./job-class.js";
import {
  ARMED,
  type Changes,
  CLAIMED,
  CLAIMED_BY_US,
  HELD,
  IP,
  jobFor,
  N1,
  N2,
  NOW,
  ON_N1,
  OTHER,
  PENDING,
  PORT,
  plan,
  RUNNING,
  to,
} from "./job-plan.js";

describe("the status of a RoutedIP whose class works by Jobs", () => {
  it("calls nothing in progress while the Job that has done it goes, so that no second one follows", () => {
    const job = jobFor(to("n1"), { is: "ending" });
    expect(plan({ status: ON_N1, metadata: ARMED, job }).status.state).to.equal("active");
    const running = jobFor(to("n2"), { is: "running", requeueAt: NOW + 1 });
    expect(plan({ status: ON_N1, metadata: ARMED, job: running }).status.state).to.equal("in-progress");
  });

  it("looks again when the grace period ends, and keeps what it knows of ports and times", () => {
    const since = timestamp(NOW - 5000);
    const status = { ...ON_N1, since, ports: [PORT] };
    const graced = { ...status, graceSince: timestamp(NOW - 1000) };
    expect(plan({ status: graced, spec: { gracePeriodSeconds: 60 }, candidates: [N2] }).requeueAt).to.equal(
      NOW + 59_000,
    );
    const kept = plan({ status, ports: { ports: [], sourceRanges: [], sourceAnnotations: [] } }).status;
    expect([kept.ports, kept.since]).to.deep.equal([[PORT], since]);
  });

  it("stays where it is while the firewall fails, and says why", () => {
    const firewall = { failure: { reason: "JobFailed", message: "no such firewall" } } as const;
    const made = plan({ status: ON_N1, candidates: [N2], metadata: ARMED, opens: () => false, firewall });
    expect(made.status).to.include({ state: "no-match", reason: "JobFailed", error: "no such firewall" });
    const shown = made.conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);
    expect(shown).to.include.members([
      "Accepted=False/JobFailed",
      "Assigned=False/JobFailed",
      "FirewallReady=False/JobFailed",
    ]);
    const failed = plan({ status: { ...ON_N1, state: "error" }, metadata: ARMED, opens: () => false });
    expect(failed.status.state, "it is not known where the address is").to.equal("error");
  });

  it("says that the firewall is ready where the class has no Job for it", () => {
    const made = plan({ resolvedClass: { ...JOB_CLASS, hasFirewallJob: false } });
    expect(made.conditions.find(({ type }) => type === "FirewallReady")?.message).to.contain("no updateFirewall");
  });

  it("says what stays behind: the address always, rules where the firewall is not done", () => {
    const left = (firewall: JobSnapshot["firewall"]) => {
      const overdue = { ...ARMED, deletionTimestamp: timestamp(NOW - 3_600_000) };
      const cleanup = { attempts: 10, since: NOW - 600_000 };
      const [action] = plan({ status: ON_N1, metadata: overdue, cleanup, firewall }).chain;
      return action?.do === "remove-finalizer" ? [action.kept, action.abandonedItems] : [];
    };
    const kept = [`address ${IP}, which a class with Jobs never releases`];
    expect(left("done")).to.deep.equal([kept, []]);
    expect(left("pending")).to.deep.equal([kept, ["its rules in the firewall of the class"]]);
  });

  it("says of the record set what is wrong with it also while its node serves, and waits only for an address to come", () => {
    const WWW = { provider: "digitalocean", zone: "example.com", recordName: "www" };
    const records = (changes: Changes) => {
      const dns = {
        capabilities: { ttl: (seconds: number) => seconds, owner: false },
        records: "unknown",
        previous: { records: "unknown" },
      } as const;
      const { conditions } = plan({ dns, ...changes, spec: { dnsRecordSet: WWW, ...changes.spec } });
      const { status, reason } = conditions.find(({ type }) => type === "DNSReady") ?? {};
      return `${status}/${reason}`;
    };
    const failure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    expect(records({ status: ON_N1, dns: { failure } as never })).to.equal("False/ProviderUnavailable");
    expect(records({}), "a Job is to assign the address").to.equal("Unknown/NotObserved");
    expect(records({ candidates: [] }), "no node is there for it").to.equal("False/NoneActive");
  });

  it("shows a failure until a Job ends well, and when the next one comes", () => {
    const failure = { reason: "JobFailed", message: "quota" } as const;
    const retry = { schedule: "fast", failures: 1, retryAt: NOW + 1000 } as const;
    const shown = (changes: Changes) => {
      const { state, reason, error, retryAt } = plan({ failure, retry, ...changes }).status;
      return [state, reason, error, retryAt];
    };
    const reported = ["JobFailed", "quota"];
    const between = ["error", ...reported, timestamp(NOW + 1000)];
    expect(shown({})).to.deep.equal(between);
    expect(shown({ job: jobFor(to("n1"), { is: "ending" }) })).to.deep.equal(between);
    expect(shown({ job: RUNNING })).to.deep.equal(["in-progress", ...reported, undefined]);
    expect(shown({ status: ON_N1 }), "nothing is wanted any more").to.deep.equal([
      "active",
      ...[1, 2, 3].map(() => undefined),
    ]);
    expect(plan({ failure, status: ON_N1 }).settled).to.equal(true);
    const waiting: readonly Changes[] = [{}, { candidates: [] }, { spec: { paused: true } }, { cachesComplete: false }];
    for (const more of waiting)
      expect(plan({ failure, retry, ...more }).settled, "the retry still waits").to.equal(false);
  });

  it("says what is wrong", () => {
    const reason = (changes: Changes, type: string) => {
      const found = plan(changes).conditions.find((condition) => condition.type === type);
      return `${found?.status}/${found?.reason}`;
    };
    const failure = { reason: "JobFailed", message: "no" } as const;
    const CLOSED = { reason: "ServiceUnsuitable", message: "no node opens port 80/TCP" } as const;
    const table: readonly (readonly [Changes, string, string])[] = [
      [{ status: ON_N1 }, "Accepted", "True/Observed"],
      [{ status: ON_N1 }, "Assigned", "True/Observed"],
      [{ candidates: [] }, "Assigned", "False/NoCandidate"],
      [{ status: ON_N1, servesAt: () => false }, "Assigned", "Unknown/NotObserved"],
      [{ firewall: "done" }, "FirewallReady", "Unknown/NotObserved"],
      [{ status: ON_N1, cachesComplete: false }, "Accepted", "Unknown/NotObserved"],
      [{ status: { pendingCreation: PENDING } }, "Accepted", "False/AddressUnknown"],
      [{ status: { pendingCreation: PENDING }, cachesComplete: false }, "Accepted", "Unknown/NotObserved"],
      [{ crdTooOld: true }, "Assigned", "False/CRDTooOld"],
      [{ crdTooOld: true, status: ON_N1 }, "Assigned", "True/Observed"],
      [{ spec: { paused: true } }, "Accepted", "True/Paused"],
      [{ spec: { routedIP: OTHER }, claims: CLAIMED }, "Conflict", "True/ClaimedByOther"],
      [{ spec: { routedIP: OTHER }, claims: CLAIMED_BY_US }, "Conflict", "False/Observed"],
      [{ status: ON_N1, firewall: { failure } }, "FirewallReady", "False/JobFailed"],
      [{ status: ON_N1, firewall: "pending" }, "FirewallReady", "Unknown/NotObserved"],
      [
        { status: ON_N1, ports: { ports: [], sourceRanges: [], sourceAnnotations: [], problem: CLOSED } },
        "FirewallReady",
        "False/ServiceUnsuitable",
      ],
      [{ job: jobFor(to("n1"), { is: "failed", words: "no" }) }, "Accepted", "False/JobFailed"],
      [{ job: jobFor(to("n1"), { is: "succeeded", words: "" }) }, "Accepted", "False/AddressUnknown"],
      [
        {
          job: jobFor(to("n1"), { is: "stuck", requeueAt: NOW, problem: { reason: "JobRefused", message: "no pod" } }),
        },
        "Accepted",
        "False/JobRefused",
      ],
      [
        {
          job: jobFor(to("n1"), { is: "stuck", requeueAt: NOW, problem: { reason: "JobRefused", message: "no pod" } }),
        },
        "Assigned",
        "False/JobRefused",
      ],
      [{ failure, retry: { schedule: "fast", failures: 1, retryAt: NOW + 1 } }, "Accepted", "False/JobFailed"],
      [{ failure, job: RUNNING }, "Assigned", "False/JobFailed"],
      [{ failure, status: ON_N1 }, "Accepted", "True/Observed"],
    ];
    for (const [changes, type, expected] of table) expect(reason(changes, type), type).to.equal(expected);
  });
});

describe("what keeps a RoutedIP of a class with Jobs from its node", () => {
  const assigned = (changes: Changes) => {
    const { status, reason, message = "" } = plan(changes).conditions.find(({ type }) => type === "Assigned") ?? {};
    return { is: `${status}/${reason}`, message };
  };

  it("is the resource whose address is on the node that serves", () => {
    const { is, message } = assigned({ heldOn: () => [HELD], candidates: [N1] });
    expect(is).to.equal("False/NoCandidate");
    expect(message).to.include("n1 already holds 192.0.2.9 of RoutedIP game/lobby");
  });

  it("is the pause", () => {
    expect(assigned({ spec: { paused: true } }).is).to.equal("False/Paused");
    const { is, message } = assigned({ spec: { paused: true }, status: ON_N1, candidates: [] });
    expect(is, "though no node could take the address").to.equal("False/Paused");
    expect(message).to.equal(
      `${ON_N1.routedIP} stays on n1 (NoMatchingPod), which does not match, because spec.paused is true; fix: set spec.paused to false`,
    );
  });
});
