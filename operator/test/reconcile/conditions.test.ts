import { expect } from "chai";
import { describe, it } from "mocha";
import { addressMessages } from "../../src/messages/addresses.js";
import { candidateMessages } from "../../src/messages/nodes/candidates.js";
import { recordMessages } from "../../src/messages/records.js";
import { flipopMetrics } from "../../src/metrics/definitions.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import type { LimitWait } from "../../src/providers/layers/limiter.js";
import {
  conditionSamples,
  limitLookMs,
  no,
  type PlannedCondition,
  pauseEvents,
  turnedBad,
  unknown,
  yes,
} from "../../src/reconcile/conditions.js";

describe("the Events of conditions", () => {
  it("tell of one obstacle once, however many conditions name it", () => {
    const cause = { reason: "AddressNotAllowed", message: "the class does not allow it" } as const;
    const planned = [no("Accepted", cause), no("Assigned", cause), no("FirewallReady", { ...cause, message: "other" })];
    expect(turnedBad([], planned).map(({ type }) => type)).to.deep.equal(["Accepted", "FirewallReady"]);
  });

  it("are silent about the record set while the address moves", () => {
    const records = no("DNSReady", recordMessages.nothingYet({ name: "www.example.com", condition: "Assigned" }));
    const types = (assigned: PlannedCondition) => turnedBad([], [assigned, records]).map(({ type }) => type);
    expect(types(unknown("Assigned", addressMessages.onItsWay({ ip: "203.0.113.7", node: "node-2" })))).to.deep.equal(
      [],
    );
    expect(types(unknown("Assigned", addressMessages.beingDeleted()))).to.deep.equal([]);
    expect(types(yes("Assigned", addressMessages.inOrder({ kind: "RoutedIP" })))).to.deep.equal(["DNSReady"]);
    expect(turnedBad([], [records]).map(({ type }) => type)).to.deep.equal(["DNSReady"]);
  });
});

describe("a condition that shows a wait for the limits of an account", () => {
  const count = { active: 1, desired: 2 };
  const fulfilled = (wait: LimitWait) => unknown("Fulfilled", candidateMessages.waitForLimit({ ...count, ...wait }));

  it("names the time until which the calls wait, and is made again then", () => {
    const condition = fulfilled({ calls: 2, until: 60_000 });
    expect(condition.message).to.match(/; 2 calls wait for .* allows the next call at 1970-01-01T00:01:00Z$/);
    expect(limitLookMs([condition], 50_000)).to.equal(10_000);
    const paused = fulfilled({ calls: 2, until: 60_000, paused: true });
    expect(limitLookMs([paused, condition], 50_000)).to.equal(10_000);
  });

  it("names no time while the calls wait for the answer to one call, and is made again soon", () => {
    const condition = fulfilled({ calls: 1 });
    expect(condition.message).to.match(/; 1 call waits for the answer to the call that tests whether .* is over$/);
    expect(limitLookMs([condition], 50_000)).to.equal(2_000);
    expect(limitLookMs([fulfilled({ calls: 2, until: 40_000 })], 50_000), "it has passed").to.equal(2_000);
  });

  it("is the only one that time alone changes", () => {
    expect(limitLookMs([unknown("Assigned"), no("Accepted", addressMessages.beingDeleted())], 50_000)).to.equal(
      undefined,
    );
  });
});

describe("the Event of a pause", () => {
  const paused = addressMessages.paused();
  const lost = no("Assigned", addressMessages.pausedOn({ ip: "203.0.113.7", holder: "node-3 (NodeNotReady)" }));
  const serves = [yes("Accepted", paused), yes("Assigned", addressMessages.onNode({ ip: "203.0.113.7", node: "n1" }))];
  const events = (before: readonly PlannedCondition[], planned: readonly PlannedCondition[]) =>
    pauseEvents(before, planned).map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

  it("is one when the pause begins, and a warning when a holder is lost meanwhile", () => {
    const before = [yes("Accepted", addressMessages.inOrder({ kind: "RoutedIP" }))];
    expect(events(before, serves)).to.deep.equal([`Normal Paused: ${paused.message}`]);
    expect(events(serves, serves)).to.deep.equal([]);
    const after = [yes("Accepted", paused), lost];
    expect(events(serves, [no("Ready", lost), yes("Stalled", lost), ...after])).to.deep.equal([
      `Warning Paused: ${lost.message}`,
    ]);
    expect(events(after, after)).to.deep.equal([]);
    expect(events(before, after), "both at once").to.deep.equal([`Warning Paused: ${lost.message}`]);
  });
});

describe("the metrics of conditions", () => {
  const metrics = flipopMetrics(new MetricsRegistry());
  const object = { kind: "RoutedIP", namespace: "shop", name: "web" };

  it("are 1, 0 or -1, and a bad condition also has a 1 with its reason", () => {
    const type = "Assigned" as const;
    const samples = (status: "True" | "False" | "Unknown") =>
      conditionSamples(metrics, object, [{ type, status, reason: "AddressNotAllowed" }]).map(
        ({ gauge, labels, value }) => [gauge === metrics.problem ? "problem" : "condition", labels, value],
      );
    expect(samples("True")).to.deep.equal([["condition", { ...object, type }, 1]]);
    expect(samples("False")).to.deep.equal([
      ["condition", { ...object, type }, 0],
      ["problem", { ...object, type, reason: "AddressNotAllowed" }, 1],
    ]);
    expect(samples("Unknown")[0]).to.deep.equal(["condition", { ...object, type }, -1]);
  });
});
