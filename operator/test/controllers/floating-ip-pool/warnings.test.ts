import { expect } from "chai";
import { describe, it } from "mocha";
import { warningsOf } from "../../../src/controllers/floating-ip-pool/events.js";
import type { Condition } from "../../../src/kube/patch.js";
import type { EventMessage } from "../../../src/reconcile/conditions/event-message.js";
import type { DeferredEvent } from "../../../src/reconcile/plan.js";

function condition(type: string, status: Condition["status"], reason: string, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: "2025-06-01T10:00:00Z" };
}

function degradedReason(
  reason: "ProviderUnavailable" | "QuotaExceeded" | "Invalid",
  message: string,
  ofAccount = false,
) {
  const eventMessage: EventMessage = { type: "Warning", reason: "AssignFailed", action: "Assign", note: message };
  return {
    ...eventMessage,
    failure: { kind: "Unavailable", problem: { reason, message }, ofAccount },
  } satisfies DeferredEvent;
}

function told(...input: Parameters<typeof warningsOf>): readonly string[] {
  return warningsOf(...input).map(({ reason, note }) => `${reason}: ${note}`);
}

const GONE = "the provider does not answer";
const OUTAGE = [
  condition("Ready", "False", "ProviderUnavailable", GONE),
  condition("Fulfilled", "False", "ProviderUnavailable", `1 of 2 addresses are active: ${GONE}`),
  condition("Conflict", "False", "Observed"),
  condition("ProviderReachable", "False", "ProviderUnavailable", GONE),
];

describe("the warnings of a pool", () => {
  it("tell one cause once, though it turns several conditions and fails an action", () => {
    const failed = degradedReason("ProviderUnavailable", "assign 203.0.113.7: no answer", true);
    expect(told([], OUTAGE, [failed])).to.deep.equal([`ProviderUnavailable: ${GONE}`]);
  });

  it("tell nothing again while it lasts, not even when another condition turns for it", () => {
    const before = [condition("Ready", "False", "ProviderUnavailable", GONE)];
    expect(told(before, OUTAGE, [])).to.be.empty;
    expect(told(OUTAGE, OUTAGE, [degradedReason("ProviderUnavailable", "calls rest", true)])).to.be.empty;
  });

  it("tell another cause, and the same one of the records' own provider", () => {
    const dns = condition("DNSReady", "False", "ProviderUnavailable", "cloudflare: no answer");
    const few = condition("Fulfilled", "False", "NoCandidate", "nobody matches");
    expect(told(OUTAGE, [...OUTAGE, dns], [])).to.deep.equal(["ProviderUnavailable: cloudflare: no answer"]);
    expect(told(OUTAGE, [few], [])).to.deep.equal(["NoCandidate: nobody matches"]);
  });

  it("tell of an action what no condition says", () => {
    const own = degradedReason("Invalid", "203.0.113.8: busy");
    expect(told(OUTAGE, OUTAGE, [own])).to.deep.equal(["AssignFailed: 203.0.113.8: busy"]);
    const said = condition("Ready", "False", "Invalid", "203.0.113.8: busy, and more");
    expect(told([said], [said], [own])).to.be.empty;
  });

  it("tell of what is left out of a spec that is served", () => {
    const served = condition("Ready", "True", "Invalid", "served, except for: match.tolerations[0]");
    const twice = condition("Ready", "True", "DuplicateAddress", "ips lists 203.0.113.7 twice");
    expect(told([], [served], [])).to.deep.equal([`Invalid: ${served.message}`]);
    expect(told([served], [twice], [])).to.deep.equal([`DuplicateAddress: ${twice.message}`]);
    expect(told([twice], [twice], [])).to.be.empty;
  });

  it("are silent about what ends by itself, and about what is well", () => {
    for (const reason of ["CoolingOff", "UnderWay"]) {
      const passing = condition("Fulfilled", "False", reason);
      expect(told([], [passing, condition("Ready", "True", "Observed")], []), reason).to.be.empty;
    }
    expect(told([], [condition("Conflict", "True", "ClaimedByOther", "web has it")], [])).to.have.length(1);
  });
});
