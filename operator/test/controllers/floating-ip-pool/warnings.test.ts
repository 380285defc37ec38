import type { ConditionType } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { warningsOf } from "../../../src/controllers/floating-ip-pool/events.js";
import type { Condition } from "../../../src/kube/write/patch.js";
import { addressMessages } from "../../../src/messages/addresses.js";
import { claimMessages } from "../../../src/messages/claims.js";
import { creationMessages } from "../../../src/messages/creation.js";
import { failedEvent } from "../../../src/messages/events.js";
import type { Problem } from "../../../src/messages/message.js";
import { candidateMessages } from "../../../src/messages/nodes/candidates.js";
import { providerMessages } from "../../../src/messages/provider.js";
import { publishingMessages } from "../../../src/messages/publishing.js";
import { recordMessages } from "../../../src/messages/records.js";
import type { PlannedCondition } from "../../../src/reconcile/conditions.js";
import type { DeferredEvent } from "../../../src/reconcile/plan.js";

function condition(type: ConditionType, status: Condition["status"], said: Problem): Condition & PlannedCondition {
  const { reason, message } = said;
  return { type, status, reason, message, lastTransitionTime: "2025-06-01T10:00:00Z", said };
}

function degradedReason(problem: Problem, more: { readonly ofAccount?: true; readonly ip?: string } = {}) {
  const { ofAccount = false, ...ip } = more;
  const failure = { kind: "Unavailable", problem, ofAccount } as const;
  return { ...failedEvent(["AssignFailed", "Assign"], problem), do: "assign", failure, ...ip } satisfies DeferredEvent;
}

function warnings(...input: Parameters<typeof warningsOf>): readonly string[] {
  return warningsOf(...input).map(({ reason, note }) => `${reason}: ${note}`);
}

const A = "203.0.113.7";
const GONE = providerMessages.unavailable({ text: "the provider does not answer" });
const REFUSED = { text: "no node matches", remedy: "add a node" };
const NO_CANDIDATE = candidateMessages.none({ refusals: REFUSED });
const OUTAGE = [
  condition("Accepted", "False", GONE),
  condition("Fulfilled", "False", candidateMessages.tooFewActive({ active: 1, desired: 2, cause: GONE })),
  condition("Conflict", "False", claimMessages.none()),
  condition("ProviderReachable", "False", GONE),
];

describe("the warnings of a pool", () => {
  it("tell one cause once, though it turns several conditions and fails an action", () => {
    const failed = degradedReason(providerMessages.unavailable({ text: "no answer" }), { ofAccount: true });
    expect(warnings([], OUTAGE, [failed])).to.deep.equal([`ProviderUnavailable: ${GONE.message}`]);
  });

  it("tell nothing again while it lasts, not even when another condition turns for it", () => {
    const before = [condition("Accepted", "False", GONE)];
    const resting = degradedReason(providerMessages.unavailable({ text: "calls rest" }), { ofAccount: true });
    expect(warnings(before, OUTAGE, [])).to.be.empty;
    expect(warnings(OUTAGE, OUTAGE, [resting])).to.be.empty;
  });

  it("tell another cause, and the same one of the records' own provider", () => {
    const dns = condition("DNSReady", "False", providerMessages.unavailable({ text: "cloudflare: no answer" }));
    const few = condition("Fulfilled", "False", NO_CANDIDATE);
    expect(warnings(OUTAGE, [...OUTAGE, dns], [])).to.deep.equal(["ProviderUnavailable: cloudflare: no answer"]);
    expect(warnings(OUTAGE, [...OUTAGE, condition("DNSReady", "False", GONE)], []), "one provider").to.be.empty;
    expect(warnings(OUTAGE, [few], [])).to.deep.equal([
      `NoCandidate: ${candidateMessages.none({ refusals: REFUSED }).message}`,
    ]);
  });

  it("tell of an action what no condition says", () => {
    const own = degradedReason(providerMessages.refused({ text: "busy" }));
    expect(warnings(OUTAGE, OUTAGE, [own])).to.deep.equal(["AssignFailed: busy"]);
    const said = condition("Accepted", "False", providerMessages.refused({ text: "busy" }));
    const nested = candidateMessages.tooFewActive({
      active: 1,
      desired: 2,
      cause: providerMessages.refused({ text: "busy" }),
    });
    for (const each of [said, condition("Fulfilled", "False", nested)])
      expect(warnings([each], [each], [own])).to.be.empty;
  });

  it("tell of an action what only a condition says that is no Warning: the pool is being deleted", () => {
    const deleting = candidateMessages.tooFewActive({ active: 0, desired: 1, cause: GONE });
    const unknown = condition("Fulfilled", "Unknown", deleting);
    expect(warnings([unknown], [unknown], [degradedReason(GONE)])).to.deep.equal([`AssignFailed: ${GONE.message}`]);
  });

  it("tell of an action what a condition with the same text says of something else", () => {
    const own = degradedReason(providerMessages.refused({ text: "busy" }));
    const other = condition("Accepted", "False", addressMessages.partlyServed({ ignored: ["busy"] }));
    expect(warnings([other], [other], [own])).to.deep.equal(["AssignFailed: busy"]);
  });

  it("tell of an action at an address while a condition names no address", () => {
    const own = degradedReason(providerMessages.refused({ text: "busy" }), { ip: A });
    const other = condition("Fulfilled", "False", NO_CANDIDATE);
    expect(warnings([other], [other], [own])).to.deep.equal(["AssignFailed: busy"]);
  });

  it("do not repeat a failure that the status of its address shows, whatever its text became there", () => {
    const own = degradedReason(providerMessages.refused({ text: "busy" }), { ip: A });
    const shown = (ip: string) => {
      const said = addressMessages.lastActionFailed({ ip, reason: "Invalid", error: "bu..." });
      return condition("Accepted", "False", said);
    };
    expect(warnings([shown(A)], [shown(A)], [own])).to.be.empty;
    expect(warnings([shown("203.0.113.8")], [shown("203.0.113.8")], [own])).to.deep.equal(["AssignFailed: busy"]);
  });

  it("tell of what is left out of a spec that is served", () => {
    const served = condition("Accepted", "True", addressMessages.partlyServed({ ignored: ["match.tolerations[0]"] }));
    const twice = condition("Accepted", "True", addressMessages.listedTwice({ ips: [A] }));
    expect(warnings([], [served], [])).to.deep.equal([`Invalid: ${served.message}`]);
    expect(warnings([served], [twice], [])).to.deep.equal([`DuplicateAddress: ${twice.message}`]);
    expect(warnings([twice], [twice], [])).to.be.empty;
  });

  it("are silent about the record set and the targets while the only address moves, or the pool is deleted", () => {
    const none = [
      condition("DNSReady", "False", recordMessages.noneActive({ name: "www", values: [A], condition: "Fulfilled" })),
      condition("Published", "False", publishingMessages.noneActive({ targets: ["Service web/shop"] })),
    ];
    const count = { active: 0, desired: 1 };
    const deleting = candidateMessages.tooFewActive({ ...count, cause: addressMessages.beingDeleted() });
    const fulfilled = (status: Condition["status"], said: Problem) => condition("Fulfilled", status, said);
    expect(warnings([], [fulfilled("Unknown", candidateMessages.onTheirWay(count)), ...none], [])).to.be.empty;
    expect(warnings([], [fulfilled("Unknown", deleting), ...none], [])).to.be.empty;
    expect(warnings([], [fulfilled("False", creationMessages.running()), ...none], [])).to.be.empty;
    const unwanted = fulfilled("True", candidateMessages.fulfilled({ active: 0, desired: 0, disabled: [] }));
    expect(warnings([], [unwanted, ...none], [])).to.have.length(2);
  });

  it("are silent about what ends by itself, and about what is well", () => {
    for (const said of [candidateMessages.coolingOff({ until: 0 }), creationMessages.running()]) {
      const passing = condition("Fulfilled", "False", said);
      expect(
        warnings([], [passing, condition("Accepted", "True", addressMessages.inOrder({ kind: "FloatingIPPool" }))], []),
        said.reason,
      ).to.be.empty;
    }
    const owner = { kind: "FloatingIPPool", namespace: "default", name: "web", uid: "u" };
    const lost = claimMessages.address({ ip: A, owner, basis: "uses" });
    expect(warnings([], [condition("Conflict", "True", lost)], [])).to.have.length(1);
  });
});
