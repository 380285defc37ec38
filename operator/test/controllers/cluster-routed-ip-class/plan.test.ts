import { Finalizer, Label } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  type ClassSnapshot,
  isByJobs,
  unreachableLimit,
} from "../../../src/controllers/cluster-routed-ip-class/gather.js";
import { planClass } from "../../../src/controllers/cluster-routed-ip-class/plan.js";
import { accountProblem } from "../../../src/jobs/job.js";
import type { LeavingUser } from "../../../src/messages/deletion/kept-resource.js";
import { inUseFinalizersOf } from "../../../src/routing/in-use.js";
import { meta } from "../../claims/resources.js";

describe("the plan of a class", () => {
  const NOW = Date.parse("2025-06-01T10:00:00Z");
  const JOBS = { updateRoutedIP: {}, updateFirewall: {} };

  function snapshot(more: Partial<ClassSnapshot>, jobs: Partial<ClassSnapshot["jobs"]> = {}): ClassSnapshot {
    return {
      now: NOW,
      metadata: meta("class"),
      spec: JOBS,
      finalizers: inUseFinalizersOf({ namespace: "flipop", watchNamespaces: [] }),
      cachesComplete: true,
      users: [],
      leaving: [],
      jobs: {
        enabled: true,
        namespaces: ["flipop-jobs"],
        dryRun: "accepted",
        accounts: new Map(),
        due: false,
        ...jobs,
      },
      ...more,
    };
  }

  function ready(made: ClassSnapshot): string {
    const [condition] = planClass(made).conditions;
    return `${condition?.status}/${condition?.reason}`;
  }

  it("says when the operator asks the server again for Jobs that it refuses", () => {
    const refused = { dryRun: { refused: "unknown field" }, dueAt: NOW + 60_000 } as const;
    const retryAt = "2025-06-01T10:01:00.000Z";
    expect(planClass(snapshot({}, refused)).retryAt).to.equal(retryAt);
    const between = snapshot({ now: NOW + 30_000, retryAt }, refused);
    expect(planClass(between).retryAt, "until the try").to.equal(retryAt);
    expect(planClass(snapshot({ retryAt })).retryAt, "accepted").to.equal(undefined);
    expect(planClass(snapshot({}, { ...refused, enabled: false })).retryAt, "it asks no more").to.equal(undefined);
  });

  it("says whether it can work", () => {
    const issuerRef = { name: "do", namespace: "flipop" };
    const foreign = new Map([["admin", { labels: {} }]]);
    const refused = { reason: "Unauthorized", message: "answer 401" } as const;
    const rows: readonly (readonly [ClassSnapshot, string])[] = [
      [snapshot({}), "True/Observed"],
      [snapshot({}, { enabled: false }), "False/JobsDisabled"],
      [snapshot({ spec: { ...JOBS, jobNamespace: "kube-system" } }), "False/NamespaceNotAllowed"],
      [snapshot({}, { dryRun: { refused: "unknown field" } }), "False/JobRefused"],
      [snapshot({}, { accounts: foreign }), "False/JobRefused"],
      [snapshot({}, { dryRun: "untried" }), "Unknown/NotObserved"],
      [snapshot({ spec: { issuerRef }, issuer: "accepted" }), "True/Observed"],
      [snapshot({ spec: { issuerRef }, issuer: "unobserved" }), "Unknown/NotObserved"],
      [snapshot({ spec: { issuerRef }, issuer: "missing" }), "False/IssuerNotFound"],
      [snapshot({ spec: { issuerRef }, issuer: { problem: refused } }), "False/Unauthorized"],
      [snapshot({ problem: { reason: "Invalid", message: "both" } }), "False/Invalid"],
    ];
    for (const [made, expected] of rows) expect(ready(made)).to.equal(expected);
  });

  it("says that its limit is above that of the provider, as the RoutedIPs do", () => {
    const spec = { issuerRef: { name: "do", namespace: "flipop" }, perNodeIPLimit: 5 };
    const exceeded = unreachableLimit(spec, "digitalocean");
    const { conditions } = planClass(snapshot({ spec, issuer: "accepted", ...(exceeded && { exceeded }) }));
    expect(conditions[0]).to.deep.include({ status: "True", reason: "LimitUnsupported" });
    expect(conditions[0]?.message).to.contain("perNodeIPLimit is 5, but digitalocean allows 1");
    expect(unreachableLimit({ perNodeIPLimit: 1 }, "digitalocean")).to.equal(undefined);
    expect(unreachableLimit(spec, undefined), "the issuer is unknown").to.equal(undefined);
  });

  it("names the RoutedIPs for which its deletion waits", () => {
    const going = { metadata: { ...snapshot({}).metadata, deletionTimestamp: "2025-06-01T09:00:00Z" } };
    const users = ["web/a", "web/b", "web/c", "web/d", "web/e", "web/f"];
    const waiting = planClass(snapshot({ ...going, users })).unserved;
    expect(waiting?.reason).to.equal("InUse");
    expect(waiting?.message).to.contain("6 RoutedIPs use it (web/a, web/b, web/c, web/d, web/e and 1 more)");
    expect(planClass(snapshot({ ...going, users: [] })).unserved, "not used").to.equal(undefined);
    expect(planClass(snapshot({ users })).unserved, "not deleted").to.equal(undefined);
  });

  it("names the RoutedIPs that are newer than its deletion, which may never end for them", () => {
    const going = { metadata: { ...snapshot({}).metadata, deletionTimestamp: "2025-06-01T09:00:00Z" } };
    const { message } = planClass(snapshot({ ...going, users: ["web/a", "web/b"], newer: ["web/b"] })).unserved ?? {};
    expect(message)
      .to.include(
        "2 RoutedIPs use it (web/a, web/b) and stay as they are; 1 of them is newer than the deletion (web/b)",
      )
      .and.include("; fix: let new RoutedIPs use another class; to replace them, ");
  });

  it("names what keeps the RoutedIPs that are being deleted already, apart from those that serve", () => {
    const going = { metadata: { ...snapshot({}).metadata, deletionTimestamp: "2025-06-01T09:00:00Z" } };
    const waiting = (users: readonly string[], ...leaving: readonly LeavingUser[]) =>
      planClass(snapshot({ ...going, users, leaving })).unserved?.message;
    const old = { user: "shop/old", finalizers: ["example.com/gitops"] };
    const cleaned = { user: "shop/new", finalizers: ["example.com/gitops", Finalizer.cleanup] };
    const alone = waiting(["shop/old"], old);
    expect(alone)
      .to.include(
        "RoutedIP shop/old uses it and is being deleted already, and finalizer example.com/gitops keeps it; fix:",
      )
      .and.to.include("kubectl -n shop patch routedips.flipop.digitalocean.com old --type=json");
    expect(alone).not.to.match(/goe?s? on serving|Retain/);
    const both = waiting(["shop/a", "shop/old"], old);
    expect(both).to.match(
      /shop\/old uses it and is being deleted already.*; 1 RoutedIP uses it \(shop\/a\) and stays as it is/,
    );
    expect(both).to.include("kubectl -n shop patch routedips.flipop.digitalocean.com old");
    const cleaning = { user: "shop/c", finalizers: [Finalizer.cleanup] };
    expect(waiting(["shop/c"], cleaning)).to.include("deleted already, and the operator cleans up after it; fix: wait");
    expect(waiting(["shop/new"], cleaned)).to.include("cleans up after it, and finalizer example.com/gitops keeps it");
    const many = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ ...old, user: `shop/${number}` }));
    expect(
      waiting(
        many.map(({ user }) => user),
        ...many,
      ),
    ).to.match(/RoutedIP shop\/1 uses .* and \d more; fix: have the program that added a finalizer remove it; /);
  });

  it("asks the server once, and again when what it refused may be mended", () => {
    const asks = (jobs: Partial<ClassSnapshot["jobs"]>, more: Partial<ClassSnapshot> = {}) =>
      planClass(snapshot(more, jobs)).dryRunIn;
    expect(asks({ dryRun: "untried", due: true })).to.equal("flipop-jobs");
    expect(asks({ dryRun: { refused: "no" }, due: true })).to.equal("flipop-jobs");
    expect(asks({ dryRun: { refused: "no" } })).to.equal(undefined);
    expect(asks({ due: true }, { spec: { ...JOBS, jobNamespace: "kube-system" } })).to.equal(undefined);
    expect(asks({ due: true }, { spec: { issuerRef: { name: "do", namespace: "flipop" } } })).to.equal(undefined);
    expect(asks({ due: true, enabled: false })).to.equal(undefined);
    expect(asks({ due: true }, { problem: { reason: "Invalid", message: "one Job only" } })).to.equal(undefined);
  });

  it("runs Jobs only as accounts that are labelled for it", () => {
    expect(accountProblem("", "jobs", undefined)).to.equal(undefined);
    expect(accountProblem("worker", "jobs", { labels: { [Label.job]: "" } })).to.equal(undefined);
    expect(accountProblem("worker", "jobs", undefined)?.reason).to.equal("JobRefused");
  });

  it("works by Jobs with either of them: the class itself reports which one is missing", () => {
    expect([isByJobs({ updateRoutedIP: {} }), isByJobs({ updateFirewall: {} }), isByJobs({})]).to.deep.equal([
      ...[true, true, false],
    ]);
  });

  it("is kept as long as a RoutedIP names it", () => {
    expect(planClass(snapshot({})).action, "no RoutedIP names it").to.equal(undefined);
    const late = { ...meta("class"), deletionTimestamp: "2025-06-01T10:00:00Z" };
    expect(planClass(snapshot({ users: ["default/a"], metadata: late })).action, "too late").to.equal(undefined);
    const finalizers = [Finalizer.inUse];
    expect(planClass(snapshot({ users: ["default/a"] })).action?.do).to.equal("add-finalizer");
    expect(planClass(snapshot({ metadata: { ...meta("class"), finalizers } })).action?.do).to.equal("remove-finalizer");
    const going = { ...meta("class"), finalizers, deletionTimestamp: "2001-01-01T00:00:00Z" };
    expect(planClass(snapshot({ metadata: going, users: ["default/a"] })).action, "no deadline").to.equal(undefined);
    expect(planClass(snapshot({ metadata: { ...meta("class"), finalizers }, cachesComplete: false })).action).to.equal(
      undefined,
    );
  });
});
