import { expect } from "chai";
import { describe, it } from "mocha";
import { DryRunError } from "../../../src/providers/errors.js";
import type { FirewallChange, FirewallProvider } from "../../../src/providers/firewall-types.js";
import {
  type AuditRecord,
  aroundFirewalls,
  type Mutation,
  withAudit,
} from "../../../src/providers/layers/mutations.js";
import type { ActionFacts, CreateOutcome } from "../../../src/providers/types.js";
import { NotLeaderError } from "../../../src/runtime/fence.js";
import { omitUndefined } from "../../../src/values.js";
import { partial } from "../../support/kube/partial.js";
import { ASKER } from "../conformance/benches.js";
import { failure } from "../support.js";

const MUTATION: Mutation = {
  provider: "cloud",
  kind: "assign-address",
  target: "203.0.113.7",
  before: "",
  after: "cloud://1",
  context: ASKER,
};

/** What is put on record of a mutation that ends like this. */
async function recordOf(run: () => Promise<unknown>): Promise<Partial<AuditRecord>> {
  const records: AuditRecord[] = [];
  await withAudit((record) => records.push(record))(MUTATION, run).catch(() => undefined);
  expect(records).to.have.length(1);
  const { outcome, error, withheldBecause, requestId } = records[0] ?? {};
  return omitUndefined({ outcome, error, withheldBecause, requestId });
}

describe("the audit record", () => {
  const action = (facts: Partial<ActionFacts>) => (): Promise<ActionFacts> =>
    Promise.resolve({ id: "1", ip: "203.0.113.7", state: "completed", ...facts });

  it("distinguishes an action that has begun from one that is over, and from one that failed", async () => {
    expect(await recordOf(action({}))).to.deep.equal({ outcome: "done" });
    expect(await recordOf(action({ state: "in-progress" }))).to.deep.equal({ outcome: "started" });
    expect(await recordOf(action({ state: "errored" }))).to.deep.equal({ outcome: "failed" });
    const said = action({ state: "errored", message: "the node is off" });
    expect(await recordOf(said)).to.deep.equal({ outcome: "failed", error: "the node is off" });
  });

  it("has the error and the request's id of a creation whose answer was lost", async () => {
    const error = failure({ outcome: "unknown", requestId: "req-7" });
    const lost: CreateOutcome = { kind: "unknown", error };

    expect(await recordOf(() => Promise.resolve(lost))).to.deep.equal({
      outcome: "unknown",
      error: error.message,
      requestId: "req-7",
    });
  });

  for (const outcome of ["refused", "not-sent", "unknown"] as const) {
    it(`says ${outcome} of a call that ended so`, async () => {
      const error = failure({ outcome });
      expect(await recordOf(() => Promise.reject(error))).to.deep.equal({ outcome, error: error.message });
    });
  }

  for (const error of [new NotLeaderError("no lease"), new DryRunError("dry run"), failure({ reason: "Superseded" })]) {
    it(`says withheld of a write that ended with ${error.name} (${error.message}), and why, but no error`, async () => {
      const withheld = { outcome: "withheld", withheldBecause: error.message };
      expect(await recordOf(() => Promise.reject(error))).to.deep.equal(withheld);
    });
  }
});

describe("a firewall's change without parts", () => {
  it("is neither sent nor put on record", async () => {
    const sent: FirewallChange[] = [];
    const records: AuditRecord[] = [];
    const inner = partial<FirewallProvider>({ name: "cloud", apply: async (_, change) => void sent.push(change) });
    const audited = aroundFirewalls(
      inner,
      withAudit((record) => records.push(record)),
    );
    const nothing: FirewallChange = {
      ...{ id: "1", name: "ours", addRules: [], addNodes: [], removeRules: [], removeNodes: [] },
    };

    await audited.apply(ASKER, nothing);
    expect([sent, records]).to.deep.equal([[], []]);

    await audited.apply(ASKER, { ...nothing, addNodes: ["cloud://1"] });
    expect([sent.length, records.length]).to.deep.equal([1, 1]);
  });
});
