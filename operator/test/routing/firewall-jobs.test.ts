import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { firewallOrders, firewallVariables } from "../../src/jobs/variables.js";
import { FirewallJobs } from "../../src/routing/firewall-jobs.js";
import type { ResolvedJobClass } from "../../src/routing/resolved-class.js";
import type { RoutedIP } from "../../src/routing/resource.js";
import { timestamp } from "../../src/times.js";
import { meta } from "../claims/resources.js";
import { TAINT } from "../controllers/routed-ip/model-cluster.js";

const NOW = Date.parse("2025-06-01T10:00:00Z");
const TERMS: ResolvedJobClass = {
  ...{ by: "jobs", className: "rack", perNodeIPLimit: 1, nodePortRange: "30000-32767", postAllow: false, taint: TAINT },
};
const PORT = { name: "https", port: 443, protocol: "TCP", origin: "HostPort" } as const;
const ON_N1: RoutedIPStatus = { routedIP: "192.0.2.1", assignedNode: "n1", providerID: "cloud://n1", state: "active" };

describe("the firewall Jobs of a class", () => {
  const member = (name: string, port: number, more: Partial<RoutedIP["metadata"]> = {}): RoutedIP => ({
    metadata: { ...meta(name), ...more },
    spec: { className: "rack", serviceRef: { serviceName: "web" } },
    status: { ...ON_N1, ports: [{ ...PORT, port }] },
  });
  const failure = { reason: "JobFailed", message: "quota" } as const;

  it("fail for all members at once, and say that there is one Job for them all", () => {
    const jobs = new FirewallJobs();
    const members = [member("a", 443), member("b", 80)];
    expect(jobs.decide("rack", members, { resolvedClass: TERMS, now: NOW })).to.include({ do: "create" });
    jobs.started("rack");
    jobs.failed("rack", failure);
    const state = jobs.of("rack", members, TERMS);
    expect(state).to.have.nested.property("failure.message").that.contains("one firewall Job for all of its RoutedIPs");
    expect(state).to.have.nested.property("failure.message").that.contains("quota");
  });

  it("run again for what is left when the member whose rules failed is deleted", () => {
    const jobs = new FirewallJobs();
    const first = jobs.decide("rack", [member("a", 443)], { resolvedClass: TERMS, now: NOW });
    expect(first.do).to.equal("create");
    jobs.started("rack");
    jobs.succeeded("rack", first.do === "create" ? first.variables : {});
    expect(jobs.of("rack", [member("a", 443)], TERMS)).to.equal("done");
    const both = [member("a", 443), member("b", 80)];
    jobs.decide("rack", both, { resolvedClass: TERMS, now: NOW });
    jobs.started("rack");
    jobs.failed("rack", failure);
    const left = [member("a", 443), member("b", 80, { deletionTimestamp: timestamp(NOW) })];
    expect(jobs.of("rack", left, TERMS), "nobody knows how far the Job came").to.have.property("failure");
    const again = jobs.decide("rack", left, { resolvedClass: TERMS, now: NOW });
    expect(again.do).to.equal("create");
    jobs.started("rack");
    jobs.succeeded("rack", again.do === "create" ? again.variables : {});
    expect(jobs.of("rack", left, TERMS)).to.equal("done");
  });

  const started = (jobs: FirewallJobs, members: readonly RoutedIP[]): string => {
    const decision = jobs.decide("rack", members, { resolvedClass: TERMS, now: NOW });
    jobs.started("rack");
    return decision.do === "create" ? (decision.variables["FIREWALL_RULES"] ?? "") : decision.do;
  };
  const ready = (one: RoutedIP): RoutedIP => {
    const condition = { type: "FirewallReady", status: "True", reason: "Observed", message: "" } as const;
    return { ...one, status: { ...one.status, conditions: [{ ...condition, lastTransitionTime: timestamp(NOW) }] } };
  };

  it("are not done before one has ended well, and done for what it was told only", () => {
    const jobs = new FirewallJobs();
    const [one, both] = [[member("a", 443)], [member("a", 443), member("b", 80)]];
    expect(jobs.of("rack", one, TERMS)).to.equal("pending");
    const rules = started(jobs, one);
    expect(jobs.of("rack", one, TERMS)).to.equal("pending");
    expect(jobs.of("rack", both, TERMS)).to.equal("pending");
    jobs.succeeded("rack", { FIREWALL_RULES: rules });
    expect(jobs.of("rack", both, TERMS), "it was told of one").to.equal("pending");
    expect(jobs.of("rack", one, TERMS)).to.equal("done");
    expect(started(jobs, one), "nothing is left to do").to.equal("nothing");
  });

  it("have no rule for ports in the NodePort range, and none for one that goes", () => {
    const range = [30_000, 32_767].map((port) => member(`p${port}`, port));
    expect(started(new FirewallJobs(), range)).to.equal("[]");
    const outside = [29_999, 32_768].map((port) => member(`p${port}`, port));
    expect(started(new FirewallJobs(), outside)).to.contain("29999").and.to.contain("32768");
    const gone = member("b", 80, { deletionTimestamp: timestamp(NOW) });
    expect(started(new FirewallJobs(), [member("a", 443), gone])).not.to.contain(":80,");
  });

  it("of a new process are done where all members say so, and unknown where one does not or goes", () => {
    const state = (...members: readonly RoutedIP[]) => new FirewallJobs().of("rack", members, TERMS);
    const unplaced = { ...member("c", 80), status: {} };
    expect(state(ready(member("a", 443)), unplaced)).to.equal("done");
    expect(state(ready(member("a", 443)), member("b", 80))).to.equal("pending");
    expect(state(ready(member("a", 443, { deletionTimestamp: timestamp(NOW) })))).to.equal("pending");
  });

  it("of a class that goes and comes again begin anew, and a member that was not ready is not done", () => {
    const jobs = new FirewallJobs();
    const members = [member("a", 443)];
    jobs.succeeded("rack", { FIREWALL_RULES: started(jobs, members) });
    expect(jobs.of("rack", members, TERMS)).to.equal("done");
    jobs.drop("rack");
    expect(jobs.of("rack", members, TERMS)).to.equal("pending");
    const [{ status, ...rest }] = [ready(member("a", 443))];
    const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, status: "False" as const }));
    expect(new FirewallJobs().of("rack", [{ ...rest, status: { ...status, conditions } }], TERMS)).to.equal("pending");
  });

  it("forget a failure with success, and keep the back-off of one while another one has no pod", () => {
    const jobs = new FirewallJobs();
    const members = [member("a", 443)];
    started(jobs, members);
    jobs.failed("rack", failure, { schedule: "fast", failures: 1, retryAt: NOW + 5000 });
    jobs.failed("rack", { reason: "JobRefused", message: "no pod" });
    const waiting = jobs.decide("rack", members, { resolvedClass: TERMS, now: NOW });
    expect(waiting).to.deep.equal({ do: "wait", until: NOW + 5000 });
    const rules = firewallVariables(
      firewallOrders([{ ports: [PORT], nodes: [{ name: "n1", providerID: "cloud://n1" }] }]),
    );
    jobs.succeeded("rack", rules);
    expect(jobs.of("rack", members, TERMS)).to.equal("done");
    expect(jobs.of("rack", [member("a", 80)], TERMS), "no failure of what is wanted now").to.equal("pending");
    expect(jobs.decide("rack", [member("a", 80)], { resolvedClass: TERMS, now: NOW })).to.deep.include({
      do: "create",
      attempt: 0,
    });
  });
});
