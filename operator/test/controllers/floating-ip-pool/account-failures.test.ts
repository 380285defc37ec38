import { expect } from "chai";
import { describe, it } from "mocha";
import { outcomeOf } from "../../../src/addresses/calls/outcomes.js";
import { addressLockKey } from "../../../src/addresses/lock-key.js";
import type { ControllerContext } from "../../../src/controllers/context.js";
import { type ActionResult, failureOf } from "../../../src/controllers/floating-ip-pool/action-result.js";
import type { Action } from "../../../src/controllers/floating-ip-pool/actions.js";
import { attributeFailure, faultyNode } from "../../../src/controllers/floating-ip-pool/attribute-failure.js";
import { openMoves } from "../../../src/controllers/floating-ip-pool/open-moves.js";
import { statusChangeOf } from "../../../src/controllers/floating-ip-pool/pending-status.js";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { recordOutcome } from "../../../src/controllers/floating-ip-pool/record-outcome.js";
import { PoolState } from "../../../src/controllers/floating-ip-pool/resource-state.js";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { NodeDirectory } from "../../../src/match/node-directory.js";
import { ProviderError, type ProviderErrorKind } from "../../../src/providers/errors.js";
import { FakeClock } from "../../support/fake-clock.js";
import { ModelCloud } from "./model-cloud.js";
import { NO_MEMORY } from "./no-memory.js";

const IP = "203.0.113.7";
const MACHINE = "digitalocean://4242";
const ASSIGN: Action = { do: "assign", ip: IP, node: { name: "ghost", machine: MACHINE }, why: "" };

function refusal(kind: ProviderErrorKind) {
  return outcomeOf(new ProviderError({ kind, where: "digitalocean", seen: "no", remedy: "wait", outcome: "refused" }));
}

describe("a failure of the account", () => {
  it("leaves no wait in the status; one of the address does", () => {
    const told = (kind: ProviderErrorKind) => statusChangeOf({ action: ASSIGN, outcome: refusal(kind) }, {}, 1)?.status;
    for (const kind of ["Unauthorized", "RateLimited", "Unavailable"] as const) {
      expect(told(kind), kind).to.include({ state: "error" }).and.not.have.property("retryAt");
    }
    expect(told("QuotaExceeded")).to.have.property("retryAt");
  });

  const scene = (more: Partial<Snapshot>) => {
    const cloud = new ModelCloud();
    cloud.addNode("n1");
    cloud.addPool("p", { ips: [IP], desiredIPs: 2 });
    const told = { state: "error", reason: "ProviderUnavailable", error: "no answer" } as const;
    cloud.edit("p", { status: { ips: { [IP]: told } } });
    const snapshot = cloud.snapshot("p");
    const made = plan({ ...snapshot, ...more });
    const begun = made.sequences.flat().filter((action) => action.do === "assign" || action.do === "create-address");
    return { made, begun, now: snapshot.now, entry: made.addresses[0]?.status };
  };

  it("holds moves and creations up, is told, and is over at once when the account answers", () => {
    const { now } = scene({});
    const providerFailure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    const held = scene({ providerFailure, providerRetryAt: now + 5_000 });
    expect(held.begun).to.be.empty;
    expect(held.made.requeueAt).to.equal(now + 5_000);
    expect(held.entry).to.include({ state: "error", error: "no answer" });
    const over = scene({});
    expect(over.begun.map((action) => action.do)).to.include("assign");
    expect(over.entry).to.include({ state: "in-progress" }).and.not.have.property("error");
  });

  it("holds one address up where the account answers others", () => {
    const accountRetryAt = new Map([[addressLockKey(IP), scene({}).now + 5_000]]);
    const { begun, entry } = scene({ memory: { ...NO_MEMORY, accountRetryAt } });
    expect(begun.filter((action) => action.do === "assign")).to.be.empty;
    expect(entry).to.include({ state: "error", error: "no answer" });
  });
});

describe("what failed for the account's sake", () => {
  const resourceStateOf = () => {
    const clock = new FakeClock();
    const context = { nodes: new NodeDirectory() } as unknown as ControllerContext;
    const metadata = { name: "web", namespace: "default", uid: "u", resourceVersion: "1" };
    const props = {
      context,
      cached: () => undefined,
      onChange: () => undefined,
      onWrite: () => undefined,
      onResult: () => undefined,
    };
    const resourceState = new PoolState(props, { apiVersion: "v1", kind: "FloatingIPPool", metadata, spec: {} });
    const fails = (kind: ProviderErrorKind) => {
      const steps = [{ action: ASSIGN, outcome: refusal(kind) }];
      recordOutcome(clock, resourceState, { lockKey: addressLockKey(IP), sequence: [ASSIGN], steps });
    };
    return { resourceState, fails };
  };

  it("is tried at once when the account answers again; what failed for its own, when it is due", () => {
    for (const kind of ["Unauthorized", "RateLimited", "Unavailable"] as const) {
      const { resourceState, fails } = resourceStateOf();
      fails(kind);
      resourceState.followAccount(0);
      expect(resourceState.retries.size, `${kind}, while the account fails`).to.equal(1);
      resourceState.followAccount(1);
      expect(resourceState.retries.size, kind).to.equal(0);
    }
    const { resourceState, fails } = resourceStateOf();
    fails("QuotaExceeded");
    resourceState.followAccount(1);
    expect(resourceState.retries.size).to.equal(1);
  });
});

describe("an address that is not found", () => {
  const end: ActionResult = {
    lockKey: "",
    sequence: [ASSIGN],
    steps: [{ action: ASSIGN, outcome: refusal("NotFound") }],
  };

  it("blames the machine where the address is there, in its words", () => {
    const failure = failureOf(attributeFailure(end, () => true));
    expect(failure?.problem.reason).to.equal("NoCandidate");
    expect(failure?.problem.message).to.include("node ghost").and.include(MACHINE).and.include("correct the node's");
    expect(failure && faultyNode(end, failure)).to.equal(MACHINE);
  });

  it("blames the address where it is gone", () => {
    const failure = failureOf(attributeFailure(end, () => false));
    expect(failure?.problem.reason).to.equal("AddressNotFound");
    expect(failure && faultyNode(end, failure)).to.equal(undefined);
  });
});

describe("a move that a former process began", () => {
  it("holds its node until the address is there", () => {
    const cloud = new ModelCloud();
    cloud.addPool("p", { ips: [IP] });
    const moving = { state: "in-progress", nodeName: "n1", providerID: "digitalocean://n1" } as const;
    const held = (entry: object) => {
      cloud.edit("p", { status: { ips: { [IP]: { ...moving, ...entry } } } });
      return [...openMoves(cloud.pool("p"), cloud.snapshot("p").inventory)];
    };
    expect(held({ actionID: "7" })).to.deep.equal([[IP, "digitalocean://n1"]]);
    expect(held({}), "no action").to.be.empty;
    expect(held({ actionID: "7", state: "error" })).to.be.empty;
    cloud.addresses.set(IP, "digitalocean://n1");
    expect(held({ actionID: "7" }), "it has arrived").to.be.empty;
  });
});
