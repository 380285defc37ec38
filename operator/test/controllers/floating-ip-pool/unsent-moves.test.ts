import type { AddressStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type Action, addressLockKey } from "../../../src/addresses/actions.js";
import { type Outcome, outcomeOf, skipped } from "../../../src/addresses/call-outcomes.js";
import { mayBeAccepted, recordOutcome } from "../../../src/controllers/floating-ip-pool/record-outcome.js";
import { ProviderError } from "../../../src/providers/errors.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { poolState } from "./support/pool-state.js";

const IP = "203.0.113.7";
const ASSIGN: Action = { do: "assign", ip: IP, node: { name: "n2", machine: "digitalocean://2" }, why: "" };
const RECORD: Action = { do: "record-assignment", at: "2025-01-01T00:00:00Z", why: "" };
const BEFORE: AddressStatus = { state: "active", nodeName: "n1", providerID: "digitalocean://1" };
const SHOWN: AddressStatus = { state: "in-progress", nodeName: "n2", providerID: "digitalocean://2" };

/** What the next plan reads of the address, once a move that the status was about to show has ended. */
function entryAfter(steps: readonly (readonly [Action, Outcome])[], before: AddressStatus | "none" = BEFORE) {
  const state = poolState();
  state.pendingStatus.set(["ips", IP], SHOWN);
  if (before !== "none") state.memory.beforeMoves.set(IP, before);
  const results = steps.map(([action, outcome]) => ({ action, outcome }));
  const sequence = { lockKey: addressLockKey(IP), steps: [{ actions: [RECORD, ASSIGN] }] };
  recordOutcome(new FakeClock(), state, { sequence, results });
  return state.pendingStatus.get(["ips", IP]);
}

function cancelled(outcome: "not-sent" | "unknown"): Outcome {
  const props = {
    kind: "Unavailable",
    where: "digitalocean",
    seen: "stop",
    remedy: "none",
    reason: "Cancelled",
  } as const;
  return outcomeOf(new ProviderError({ ...props, outcome }));
}

const DONE: Outcome = { is: "done" };

describe("a move whose call was not sent", () => {
  const failed = outcomeOf(new Error("the API server is down"));
  for (const [what, steps] of [
    [
      "the process stops before the call",
      [
        [RECORD, DONE],
        [ASSIGN, skipped("asked to stop")],
      ],
    ],
    [
      "the call waits when the process stops",
      [
        [RECORD, DONE],
        [ASSIGN, cancelled("not-sent")],
      ],
    ],
    [
      "the decision no longer holds",
      [
        [RECORD, DONE],
        [ASSIGN, { is: "superseded", because: "" }],
      ],
    ],
    ["the status cannot be written before it", [[RECORD, failed]]],
    ["another process writes the status before it", [[RECORD, skipped("the object has changed meanwhile")]]],
  ] as const) {
    it(`leaves the entry as it was before: ${what}`, () => {
      expect(entryAfter(steps)).to.deep.equal(BEFORE);
      expect(entryAfter(steps, "none") ?? {}).to.deep.equal({});
    });
  }

  it("is none where the answer was lost because the process stops: the entry names the target", () => {
    const outcome = cancelled("unknown");
    expect(
      entryAfter([
        [RECORD, DONE],
        [ASSIGN, outcome],
      ]),
    ).to.deep.equal(SHOWN);
    expect(mayBeAccepted(outcome), "the cool-off counts it").to.equal(true);
  });
});
