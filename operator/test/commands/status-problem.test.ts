import { type AnyKind, KINDS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { OwnObject } from "../../src/commands/list-objects.js";
import { problemsOf, problemText, rowOf, type StatusProblem } from "../../src/commands/render/status.js";
import type { ObjectMeta } from "../../src/kube/objects.js";

type Given = readonly [type: string, status: "True" | "False" | "Unknown", reason: string, message: string];

function problem(...conditions: readonly Given[]): string {
  return problemIn({}, conditions);
}

function problemIn(metadata: Partial<ObjectMeta>, conditions: readonly Given[], kind: AnyKind = KINDS.FloatingIPPool) {
  const { problem: shown } = rowOf(kind, objectWith(metadata, conditions));
  return shown === undefined ? "none" : textOf(shown);
}

function problems(...conditions: readonly Given[]): readonly string[] {
  return problemsOf(KINDS.FloatingIPPool, objectWith({}, conditions)).map(textOf);
}

function objectWith(metadata: Partial<ObjectMeta>, conditions: readonly Given[]): OwnObject {
  return {
    metadata: { name: "web", namespace: "shop", uid: "u", resourceVersion: "1", generation: 1, ...metadata },
    spec: { provider: "digitalocean" },
    status: {
      observedGeneration: 1,
      conditions: conditions.map(([type, status, reason, message]) => ({
        ...{ type, status, reason, message },
        lastTransitionTime: "2026-01-31T12:00:00Z",
      })),
    },
  };
}

function textOf({ condition, reason, message }: StatusProblem): string {
  return `${condition} ${reason}: ${message}`;
}

describe("the problem that flipop status and explain show", () => {
  it("is what keeps the resource from serving, not a warning beside it", () => {
    const shown = problem(
      ["Ready", "False", "WrongRegion", "203.0.113.7 is in region nyc3"],
      ["Accepted", "True", "Invalid", "a toleration is ignored"],
      ["Fulfilled", "False", "WrongRegion", "203.0.113.7 is in region nyc3"],
    );
    expect(shown).to.equal("Fulfilled WrongRegion: 203.0.113.7 is in region nyc3");
  });

  it("is also a pause or a wait, for which no Event warns", () => {
    const shown = problem(
      ["Ready", "False", "Paused", "spec.paused is true"],
      ["Accepted", "True", "Paused", "spec.paused is true"],
      ["Fulfilled", "False", "Paused", "spec.paused is true"],
    );
    expect(shown).to.equal("Fulfilled Paused: spec.paused is true");
    const grace = problem(["Ready", "False", "InGrace", "it stays"], ["Fulfilled", "True", "Observed", "1 of 1"]);
    expect(grace).to.equal("Ready InGrace: it stays");
  });

  it("stands beside what the resource serves, of which one is singular", () => {
    const serves = (published: number) => {
      const object = objectWith({}, []);
      return rowOf(KINDS.NodeDNSRecordSet, { ...object, status: { ...object.status, counts: { published } } }).serves;
    };
    expect([serves(1), serves(2)]).to.deep.equal(["1 record", "2 records"]);
  });

  it("is the pause of a resource that serves", () => {
    const paused = ["Accepted", "True", "Paused", "spec.paused is true"] as const;
    const serving = [["Ready", "True", "Paused", "spec.paused is true"], paused] as const;
    expect(problem(...serving)).to.equal("Accepted Paused: spec.paused is true");
    expect(problemIn({}, serving, KINDS.RoutedIP)).to.equal("Accepted Paused: spec.paused is true");
    expect(problem(...serving, ["Conflict", "True", "ForeignWriter", "undone"])).to.equal(
      "Conflict ForeignWriter: undone",
    );
  });

  it("is a warning if the resource serves, and none if there is none", () => {
    const warning = ["Accepted", "True", "Invalid", "a toleration is ignored"] as const;
    expect(problem(["Ready", "True", "Invalid", "a toleration is ignored"], warning)).to.match(/^Accepted Invalid/);
    expect(problem(["Ready", "True", "Observed", "fine"], ["Accepted", "True", "Observed", "fine"])).to.equal("none");
  });

  it("is that the address could not move, although it serves", () => {
    const assigned = ["Assigned", "True", "NoCandidate", "no other node"] as const;
    const shown = problemIn({}, [["Ready", "True", "Observed", "fine"], assigned], KINDS.RoutedIP);
    expect(shown).to.equal("Assigned NoCandidate: no other node");
  });

  it("is that the resource is being deleted, and what keeps it", () => {
    const metadata = { deletionTimestamp: "2026-01-31T12:00:00Z", finalizers: ["flipop.digitalocean.com/cleanup"] };
    const shown = problemIn(metadata, [["Ready", "True", "Observed", "fine"]]);
    expect(shown).to.equal(
      "Ready Deleting: its deletion began at 2026-01-31T12:00:00Z; finalizer flipop.digitalocean.com/cleanup keeps it until the operator has cleaned up at the provider, or its attempts have failed for an hour",
    );
  });

  it("is what finalizer in-use of an issuer waits for: also firewalls, when no RoutedIP uses it any more", () => {
    const metadata = { deletionTimestamp: "2026-01-31T12:00:00Z", finalizers: ["flipop.digitalocean.com/in-use"] };
    const shown = (kind: AnyKind) => problemIn(metadata, [["Ready", "False", "UnderWay", "it waits"]], kind);
    expect(shown(KINDS.RoutedIPIssuer)).to.match(
      / until no RoutedIP uses it, and the firewalls that are to go with it are gone$/,
    );
    expect(shown(KINDS.ClusterRoutedIPClass)).to.match(/ until no RoutedIP uses it$/);
  });

  it("is that the resource is being deleted, although the operator has not observed it", () => {
    const metadata = { deletionTimestamp: "2026-01-31T12:00:00Z", finalizers: ["example.com/other"] };
    expect(problemIn(metadata, [])).to.match(
      /^Ready NotObserved: .*; its deletion began at 2026-01-31T12:00:00Z; finalizer example.com\/other keeps it until the program that added it removes it; if that program no longer runs, remove the finalizer in kubectl -n \w+ edit floatingippools\.flipop\.digitalocean\.com \w+$/,
    );
  });

  it("is an edit that the operator has not observed, and the resource is then not known to be ready", () => {
    const row = (status: "True" | "False") => {
      const ready = ["Ready", status, status === "True" ? "Observed" : "Unauthorized", "answer"] as const;
      const warning = ["Fulfilled", "False", "TooFewCandidates", "1 of 2 addresses"] as const;
      return rowOf(KINDS.FloatingIPPool, objectWith({ generation: 2 }, [ready, warning]));
    };
    const { ready, problem: shown } = row("True");
    expect(ready).to.equal("Unknown");
    expect(shown).to.include({ condition: "Ready", status: ready, reason: "NotObserved" });
    expect(shown?.message).to.include("the last edit of the spec (generation 2, observed 1)");
    expect(row("False")).to.have.property("ready", "False");
    expect(row("False").problem).to.include({ condition: "Ready", status: "False", reason: "Unauthorized" });
    const deleted = { generation: 2, deletionTimestamp: "2026-01-31T12:00:00Z" };
    const deletion = rowOf(KINDS.FloatingIPPool, objectWith(deleted, [["Ready", "True", "Observed", "fine"]]));
    expect(deletion.ready).to.equal("Unknown");
    expect(deletion.problem).to.include({ status: "Unknown", reason: "Deleting" });
  });

  it("is what the deletion meets, and that the resource is being deleted", () => {
    const metadata = { deletionTimestamp: "2026-01-31T12:00:00Z", finalizers: ["flipop.digitalocean.com/cleanup"] };
    const shown = problemIn(metadata, [["Ready", "False", "Unauthorized", "answer 401"]]);
    expect(shown).to.match(/^Ready Unauthorized: answer 401; its deletion began at 2026-01-31T12:00:00Z; finalizer /);
  });
});

describe("the conditions that flipop explain shows", () => {
  it("are all that are not as they should be, what keeps the resource from serving first", () => {
    const shown = problems(
      ["Ready", "False", "TooFewCandidates", "1 of 2 addresses are active: 2 nodes are needed"],
      ["Reconciling", "True", "TooFewCandidates", "1 of 2 addresses are active: 2 nodes are needed"],
      ["Stalled", "False", "Observed", "no obstacle needs a person"],
      ["Accepted", "True", "DuplicateAddress", "ips lists 203.0.113.7 twice"],
      ["Fulfilled", "False", "TooFewCandidates", "1 of 2 addresses are active: 2 nodes are needed"],
      ["DNSReady", "False", "ZoneNotFound", "there is no zone example.com"],
      ["Published", "Unknown", "NotObserved", "spec has no publishTo"],
      ["Conflict", "True", "ForeignWriter", "something undoes it"],
      ["ProviderReachable", "True", "Observed", "the provider answers"],
      ["ProbesDoubted", "False", "Observed", "the operator probes no node"],
    );
    expect(shown).to.deep.equal([
      "Fulfilled TooFewCandidates: 1 of 2 addresses are active: 2 nodes are needed",
      "Accepted DuplicateAddress: ips lists 203.0.113.7 twice",
      "DNSReady ZoneNotFound: there is no zone example.com",
      "Conflict ForeignWriter: something undoes it",
    ]);
  });

  it("have the remedies to which Ready refers", () => {
    const [fix, nodes, zone] = ["repair node-3, ".repeat(8), "0 of 3 nodes match", "there is no zone example.com"];
    const fulfilled = ["Fulfilled", "False", "NoCandidate", `${nodes}; fix: ${fix}`] as const;
    const dns = ["DNSReady", "False", "ZoneNotFound", `${zone}; fix: ${fix}`] as const;
    const one = ["Ready", "False", "NoCandidate", `${nodes}; condition Fulfilled has the remedy`] as const;
    expect(problems(one, fulfilled)).to.deep.equal([`Fulfilled NoCandidate: ${fulfilled[3]}`]);
    const both = `${nodes}; besides, condition DNSReady is False: ${zone}; conditions Fulfilled and DNSReady have the remedies`;
    expect(problems(["Ready", "False", "NoCandidate", both], fulfilled, dns)).to.deep.equal([
      `Ready NoCandidate: ${both}`,
      `Fulfilled NoCandidate: ${fulfilled[3]}`,
      `DNSReady ZoneNotFound: ${dns[3]}`,
    ]);
  });

  it("are not repeated where another condition adds nothing", () => {
    const shown = problems(
      ["Ready", "False", "NoCandidate", "203.0.113.7: no machine"],
      ["Accepted", "False", "NoCandidate", "203.0.113.7: no machine"],
      ["Fulfilled", "False", "NoCandidate", "0 of 1 addresses are active: 203.0.113.7: no machine"],
    );
    expect(shown).to.deep.equal(["Accepted NoCandidate: 203.0.113.7: no machine"]);
  });

  it("are none if all is well", () => {
    expect(problems(["Ready", "True", "Observed", "fine"], ["Conflict", "False", "Observed", "none"])).to.deep.equal(
      [],
    );
  });

  it("names each condition of one reason, so that explain shows the one that another message refers to", () => {
    const why = ["False", "WouldIsolateNode", "node-1 is in no firewall"] as const;
    const seen = ["DNSReady", "False", "NoneActive", "no address is active; fix: see condition Assigned"] as const;
    const object = objectWith({}, [["Ready", ...why], ["Accepted", ...why], ["Assigned", ...why], seen]);
    expect(problemsOf(KINDS.RoutedIP, object).map(problemText)).to.deep.equal([
      "Accepted=False, Assigned=False WouldIsolateNode: node-1 is in no firewall",
      "DNSReady=False NoneActive: no address is active; fix: see condition Assigned",
    ]);
  });

  it("does not name a condition that is good beside one of the same reason that is not", () => {
    const why = ["Stopped", "the operator is stopped"] as const;
    const published = ["Published", "False", ...why] as const;
    const object = objectWith({}, [["Ready", "False", ...why], ["Accepted", "True", ...why], published]);
    const texts = problemsOf(KINDS.RoutedIP, object).map(problemText);
    expect(texts.join()).to.include("Published=False").and.not.include("Accepted");
  });
});
