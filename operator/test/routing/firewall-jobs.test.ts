import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../src/clock.js";
import { buildJob, firewallOrders, firewallVariables } from "../../src/jobs/job.js";
import { FirewallJobs } from "../../src/routing/firewall-jobs.js";
import { portAccessOf } from "../../src/routing/port-access.js";
import type { RoutedIP } from "../../src/routing/read-resources.js";
import { meta } from "../claims/resources.js";
import { JOB_CLASS } from "../controllers/routed-ip/jobs/job-class.js";

const NOW = Date.parse("2025-06-01T10:00:00Z");
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
    expect(jobs.decide("rack", members, { resolvedClass: JOB_CLASS, now: NOW })).to.include({ do: "create" });
    jobs.started("rack", {});
    jobs.failed("rack", failure);
    const state = jobs.of("rack", members, JOB_CLASS);
    expect(state).to.have.nested.property("failure.message").that.contains("one firewall Job for all of its RoutedIPs");
    expect(state).to.have.nested.property("failure.message").that.contains("quota");
  });

  it("open only ports that the class allows now, whatever a status says", () => {
    const members = [member("a", 443), member("b", 22), member("c", 8443)];
    const portAccess = portAccessOf([{ of: "class", limits: { allowedPorts: ["443"] } }]);
    const made = new FirewallJobs().decide("rack", members, { resolvedClass: { ...JOB_CLASS, portAccess }, now: NOW });
    const rules = made.do === "create" ? (made.variables["FIREWALL_RULES"] ?? "") : "";
    expect((JSON.parse(rules) as readonly { readonly port: number }[]).map(({ port }) => port)).to.deep.equal([443]);
  });

  it("run again for what is left when the member whose rules failed is deleted", () => {
    const jobs = new FirewallJobs();
    const first = jobs.decide("rack", [member("a", 443)], { resolvedClass: JOB_CLASS, now: NOW });
    expect(first.do).to.equal("create");
    jobs.started("rack", {});
    jobs.succeeded("rack", first.do === "create" ? first.variables : {});
    expect(jobs.of("rack", [member("a", 443)], JOB_CLASS)).to.equal("done");
    const both = [member("a", 443), member("b", 80)];
    jobs.decide("rack", both, { resolvedClass: JOB_CLASS, now: NOW });
    jobs.started("rack", {});
    jobs.failed("rack", failure);
    const left = [member("a", 443), member("b", 80, { deletionTimestamp: timestamp(NOW) })];
    expect(jobs.of("rack", left, JOB_CLASS), "it is not known how far the Job came").to.have.property("failure");
    const again = jobs.decide("rack", left, { resolvedClass: JOB_CLASS, now: NOW });
    expect(again.do).to.equal("create");
    jobs.started("rack", {});
    jobs.succeeded("rack", again.do === "create" ? again.variables : {});
    expect(jobs.of("rack", left, JOB_CLASS)).to.equal("done");
  });

  const started = (jobs: FirewallJobs, members: readonly RoutedIP[]): string => {
    const decision = jobs.decide("rack", members, { resolvedClass: JOB_CLASS, now: NOW });
    jobs.started("rack", {});
    return decision.do === "create" ? (decision.variables["FIREWALL_RULES"] ?? "") : decision.do;
  };
  const ready = (one: RoutedIP): RoutedIP => {
    const condition = { type: "FirewallReady", status: "True", reason: "Observed", message: "" } as const;
    return { ...one, status: { ...one.status, conditions: [{ ...condition, lastTransitionTime: timestamp(NOW) }] } };
  };

  it("are not done before one has ended well, and done only for the rules that this one got", () => {
    const jobs = new FirewallJobs();
    const [one, both] = [[member("a", 443)], [member("a", 443), member("b", 80)]];
    expect(jobs.of("rack", one, JOB_CLASS)).to.equal("pending");
    const rules = started(jobs, one);
    expect(jobs.of("rack", one, JOB_CLASS)).to.equal("pending");
    expect(jobs.of("rack", both, JOB_CLASS)).to.equal("pending");
    jobs.succeeded("rack", { FIREWALL_RULES: rules });
    expect(jobs.of("rack", both, JOB_CLASS), "it was given one").to.equal("pending");
    expect(jobs.of("rack", one, JOB_CLASS)).to.equal("done");
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
    const state = (...members: readonly RoutedIP[]) => new FirewallJobs().of("rack", members, JOB_CLASS);
    const unplaced = { ...member("c", 80), status: {} };
    expect(state(ready(member("a", 443)), unplaced)).to.equal("done");
    expect(state(ready(member("a", 443)), member("b", 80))).to.equal("pending");
    expect(state(ready(member("a", 443, { deletionTimestamp: timestamp(NOW) })))).to.equal("pending");
  });

  it("of a class that goes and comes again begin anew, and a member that was not ready is not done", () => {
    const jobs = new FirewallJobs();
    const members = [member("a", 443)];
    jobs.succeeded("rack", { FIREWALL_RULES: started(jobs, members) });
    expect(jobs.of("rack", members, JOB_CLASS)).to.equal("done");
    jobs.drop("rack");
    expect(jobs.of("rack", members, JOB_CLASS)).to.equal("pending");
    const [{ status, ...rest }] = [ready(member("a", 443))];
    const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, status: "False" as const }));
    expect(new FirewallJobs().of("rack", [{ ...rest, status: { ...status, conditions } }], JOB_CLASS)).to.equal(
      "pending",
    );
  });

  it("forget a failure with success, and keep the back-off of one while another one has no pod", () => {
    const jobs = new FirewallJobs();
    const members = [member("a", 443)];
    started(jobs, members);
    jobs.failed("rack", failure, { schedule: "fast", failures: 1, retryAt: NOW + 5000 });
    jobs.failed("rack", { reason: "JobRefused", message: "no pod" });
    const waiting = jobs.decide("rack", members, { resolvedClass: JOB_CLASS, now: NOW });
    expect(waiting).to.deep.equal({ do: "wait", until: NOW + 5000 });
    const rules = firewallVariables(
      firewallOrders([{ ports: [PORT], nodes: [{ name: "n1", providerID: "cloud://n1" }] }]),
    );
    jobs.succeeded("rack", rules);
    expect(jobs.of("rack", members, JOB_CLASS)).to.equal("done");
    expect(jobs.of("rack", [member("a", 80)], JOB_CLASS), "no failure of what is wanted now").to.equal("pending");
    expect(jobs.decide("rack", [member("a", 80)], { resolvedClass: JOB_CLASS, now: NOW })).to.deep.include({
      do: "create",
      attempt: 0,
    });
  });

  describe("open", () => {
    const N2 = { name: "n2", providerID: "cloud://n2" };
    const [a, b] = [member("a", 443), member("b", 80)];
    const rulesOf = (...machines: readonly string[]) =>
      firewallVariables(
        firewallOrders([{ ports: [PORT], nodes: machines.map((name) => ({ name, providerID: `cloud://${name}` })) }]),
      );
    const opened = (jobs: FirewallJobs) =>
      ["n1", "n2"].filter((name) => jobs.opens("rack", [a], JOB_CLASS, a)(`cloud://${name}`)).join();

    it("where an address goes beside where it is, and where a Job may have moved it; not with firewallPostAllow", () => {
      const attempted = { ...a, status: { ...a.status, attemptedNodes: [{ name: "n3", providerID: "cloud://n3" }] } };
      const made = (postAllow: boolean) =>
        new FirewallJobs(() => [N2]).decide("rack", [attempted], {
          resolvedClass: { ...JOB_CLASS, postAllow },
          now: NOW,
        });
      const rules = (decision: ReturnType<typeof made>) =>
        decision.do === "create" ? (decision.variables["FIREWALL_RULES"] ?? "") : "";
      for (const name of ["n1", "n2", "n3"]) expect(rules(made(false))).to.contain(`cloud://${name}`);
      for (const name of ["n2", "n3"]) expect(rules(made(true))).not.to.contain(`cloud://${name}`);
    });

    it("for certain only what every Job has opened since the last one that succeeded", () => {
      const jobs = new FirewallJobs();
      expect(opened(jobs), "not known").to.equal("");
      jobs.started("rack", rulesOf("n1", "n2"));
      expect(opened(jobs), "it runs").to.equal("");
      jobs.succeeded("rack", rulesOf("n1", "n2"));
      expect(opened(jobs)).to.equal("n1,n2");
      jobs.started("rack", rulesOf("n2"));
      expect(opened(jobs), "it may have closed n1 by now").to.equal("n2");
      jobs.failed("rack", failure);
      expect(opened(jobs)).to.equal("n2");
    });

    it("after a restart what statuses say was opened, not what is wanted now", () => {
      const [before] = [ready(a)];
      const own = { ...before, status: { ...before.status, ports: [PORT, { ...PORT, port: 8443 }] } };
      const jobs = new FirewallJobs(() => [N2]);
      expect(jobs.of("rack", [before], JOB_CLASS, own)).to.equal("pending");
      expect(jobs.opens("rack", [before], JOB_CLASS, own)("cloud://n1"), "8443 is not").to.equal(false);
      expect(jobs.opens("rack", [before], JOB_CLASS, before)("cloud://n1")).to.equal(true);
      expect(jobs.opens("rack", [before], JOB_CLASS, before)("cloud://n2")).to.equal(false);
    });

    it("what a Job of an earlier process leaves open", () => {
      const jobs = new FirewallJobs();
      const members = [ready(a), ready(b)];
      expect(jobs.opens("rack", members, JOB_CLASS, a)("cloud://n1")).to.equal(true);
      const built = buildJob({
        ...{ purpose: "firewall", uid: "u", owner: { name: "rack", uid: "u" }, namespace: "jobs", spec: {} },
        ...{ variables: rulesOf("n2"), secrets: [], attempt: 0 },
      });
      const { annotations } = built.metadata as { readonly annotations: Record<string, string> };
      const object = { metadata: { ...meta("job"), annotations } };
      jobs.decide("rack", members, {
        ...{ resolvedClass: JOB_CLASS, now: NOW },
        job: { object, state: { is: "running", requeueAt: NOW } },
      });
      expect(jobs.opens("rack", members, JOB_CLASS, a)("cloud://n1")).to.equal(false);
    });
  });
});
