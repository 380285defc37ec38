import { expect } from "chai";
import { describe, it } from "mocha";
import { addressLockKey, type PlannedAction } from "../../../src/addresses/actions.js";
import { failureOf, type Outcome, outcomeOf, outcomeOfAction } from "../../../src/addresses/call-outcomes.js";
import { accountOf } from "../../../src/controllers/floating-ip-pool/action-table.js";
import { openMoves } from "../../../src/controllers/floating-ip-pool/move-reservations.js";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { targetOf } from "../../../src/controllers/floating-ip-pool/record-outcome.js";
import type { PoolTypes } from "../../../src/controllers/floating-ip-pool/resource.js";
import type { Gathered, Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { statusChangeOf } from "../../../src/controllers/floating-ip-pool/status.js";
import { OCCUPIED_NODE, REMEDIES, startMachine } from "../../../src/messages/failed-calls.js";
import { ProviderError, type ProviderErrorKind, withProps } from "../../../src/providers/errors.js";
import type { Kind } from "../../../src/reconcile/kind.js";
import { actionsOf } from "../../../src/reconcile/plan.js";
import { attributeFailure, faultyMachine, recordOutcome } from "../../../src/reconcile/run-actions.js";
import { ModelCloud } from "./support/model-cloud.js";
import { NO_MEMORY } from "./support/no-memory.js";
import { poolState } from "./support/pool-state.js";

const IP = "203.0.113.7";
const MACHINE = "digitalocean://4242";
const ASSIGN: PlannedAction = { do: "assign", ip: IP, node: { name: "ghost", machine: MACHINE }, why: "" };

function refusedCall(kind: ProviderErrorKind) {
  return new ProviderError({ kind, where: "digitalocean", seen: "no", remedy: "wait", outcome: "refused" });
}

function refusal(kind: ProviderErrorKind) {
  return outcomeOf(refusedCall(kind));
}

describe("a failure of the account", () => {
  it("leaves no wait in the status; one of the address does", () => {
    const statusAfter = (kind: ProviderErrorKind) =>
      statusChangeOf({ action: ASSIGN, outcome: refusal(kind) }, {}, 1)?.status;
    for (const kind of ["Unauthorized", "RateLimited", "Unavailable"] as const) {
      expect(statusAfter(kind), kind).to.include({ state: "error" }).and.not.have.property("retryAt");
    }
    expect(statusAfter("QuotaExceeded")).to.have.property("retryAt");
  });

  const scene = (more: Partial<Snapshot>) => {
    const cloud = new ModelCloud();
    cloud.addNode("n1");
    cloud.addPool("p", { ips: [IP], desiredIPs: 2 });
    const entry = { state: "error", reason: "ProviderUnavailable", error: "no answer" } as const;
    cloud.edit("p", { status: { ips: { [IP]: entry } } });
    const snapshot = cloud.snapshot("p");
    const made = plan({ ...snapshot, ...more });
    const begun = made.sequences
      .flatMap(actionsOf)
      .filter((action) => action.do === "assign" || action.do === "create-address");
    return { made, begun, now: snapshot.now, entry: made.addresses[0]?.status };
  };

  it("is why an address stays on a failed holder while other nodes are free", () => {
    const cloud = new ModelCloud();
    for (const node of ["n1", "n2"]) cloud.addNode(node);
    cloud.addPool("p", { ips: [IP] });
    for (let round = 0; round < 10; round++) cloud.run("p");
    const { inventory, candidates: all } = cloud.snapshot("p");
    const candidates = all.filter(({ machine }) => machine !== inventory.get(IP)?.holder);
    expect(candidates).to.have.length(1);
    const providerFailure = { reason: "Unauthorized", message: "the token is of another account" } as const;
    const entryOf = (more: Partial<Snapshot>) =>
      plan({ ...cloud.snapshot("p"), verdictOf: () => undefined, ...more }).addresses[0]?.status;
    const wait = { providerFailure, candidates, providerRetryAt: cloud.now + 5_000 };
    expect(entryOf(wait)).to.include({ state: "no-match", reason: "Unauthorized", error: providerFailure.message });
    expect(entryOf({ ...wait, candidates: [] })).to.include({ reason: "NoCandidate" });
  });

  it("holds moves and creations up, is reported, and is over at once when the account answers", () => {
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
  const failing = (kind: ProviderErrorKind) => {
    const account = { recovered: 0 };
    const state = poolState();
    const sequence = { lockKey: addressLockKey(IP), steps: [{ actions: [ASSIGN] }] };
    const result = { sequence, results: [{ action: ASSIGN, outcome: refusal(kind) }] };
    const start = { sequence, recheckOf: () => undefined };
    const pools = { targetOf, accountOf: () => account } as Partial<Kind<PoolTypes>> as Kind<PoolTypes>;
    recordOutcome(pools, state, { snapshot: {} as Gathered, start, result, now: 0 });
    return { account, state, retry: () => state.retries.get(addressLockKey(IP)) };
  };

  it("is tried at once when the account answers again; what failed for its own, when it is due", () => {
    for (const kind of ["Unauthorized", "RateLimited", "Unavailable"] as const) {
      const { account, retry } = failing(kind);
      expect(retry(), `${kind}, while the account fails`).to.include({ failures: 1 });
      account.recovered += 1;
      expect(retry(), kind).to.equal(undefined);
    }
    const { account, retry } = failing("Terminal");
    account.recovered += 1;
    expect(retry()).to.include({ failures: 1 });
  });

  it("is also a limit of the account: tried when there is room, when the spec changes, and when it is due", () => {
    const { account, retry, state } = failing("QuotaExceeded");
    expect([...state.retries.accountRetryAt()], "the account answers others").to.be.empty;
    account.recovered += 1;
    expect(retry()).to.equal(undefined);
    const other = failing("QuotaExceeded");
    other.state.retries.retryFixed();
    expect(other.retry()).to.equal(undefined);
  });

  it("is the account of its addresses, or that of its records", () => {
    const [account, current] = [{ recovered: 1 }, {}];
    const recovery = { recovered: 2 };
    const context = { records: { accounts: { of: (of: object) => (of === current ? recovery : undefined) } } };
    const gathered = { account, dns: { sets: { current } } } as unknown as Gathered;
    const of = (action: PlannedAction) => accountOf(context as never, gathered, action);
    expect(of(ASSIGN)).to.equal(account);
    expect(of({ do: "read-records", which: "current", why: "" })).to.equal(recovery);
  });
});

describe("an address that is not found", () => {
  const end = { action: ASSIGN, outcome: refusal("NotFound") };
  const attributed = (exists: boolean) => {
    const pools = { targetOf, hasAddress: () => exists } as Partial<Kind<PoolTypes>> as Kind<PoolTypes>;
    const failure = failureOf(attributeFailure(pools, {} as Gathered, end).outcome);
    return { failure, machine: failure && faultyMachine(failure, targetOf(ASSIGN)) };
  };

  it("blames the machine where the address is there, in its words", () => {
    const { failure, machine } = attributed(true);
    expect(failure?.problem.reason).to.equal("NoCandidate");
    expect(failure?.problem.message).to.include("node ghost").and.include(MACHINE).and.include("correct the node's");
    expect(machine).to.equal(MACHINE);
  });

  it("blames the address where it is gone", () => {
    const { failure, machine } = attributed(false);
    expect(failure?.problem.reason).to.equal("AddressNotFound");
    expect(machine).to.equal(undefined);
  });
});

describe("a failure of a machine", () => {
  const pools = { targetOf } as Partial<Kind<PoolTypes>> as Kind<PoolTypes>;
  const messageOf = (outcome: Outcome) =>
    failureOf(attributeFailure(pools, {} as Gathered, { action: ASSIGN, outcome }).outcome)?.problem.message;

  it("names the node, and who can start its machine", () => {
    const off = outcomeOfAction({ ip: IP, state: "errored", id: "1", message: "the droplet is off" });
    expect(messageOf(off)).to.match(/^node ghost: .*the droplet is off; .*have the owner of the account/);
    const stopped = withProps(refusedCall("Conflict"), { reason: "NodeUnfit", remedy: startMachine(MACHINE, "off") });
    expect(messageOf(outcomeOf(stopped))).to.match(/^node ghost: .*"off"; fix: have the owner of the account start it/);
  });

  it("is no failure of the provider where the machine has an address already: the node takes none", () => {
    const occupied = outcomeOf(withProps(refusedCall("Conflict"), { reason: "NodeOccupied", remedy: OCCUPIED_NODE }));
    const { outcome } = attributeFailure(pools, {} as Gathered, { action: ASSIGN, outcome: occupied });
    const failure = failureOf(outcome);
    expect(failure?.problem.reason).to.equal("NoCandidate");
    expect(failure?.problem.message).to.match(/^node ghost: .*chooses another node; fix: if no other node is free, /);
    expect(failure && faultyMachine(failure, { machine: MACHINE, ip: IP }), "it waits, not the address").to.equal(
      MACHINE,
    );
  });

  it("is none if the account fails", () => {
    expect(messageOf(outcomeOf(refusedCall("Unauthorized")))).not.to.include("ghost");
  });
});

describe("a failure that concerns a node by its machine alone", () => {
  const node = "node-3";
  const nodeOf = (_of: Gathered, machine: string) => (machine === MACHINE ? node : undefined);
  const pools = { targetOf, nodeOf } as Partial<Kind<PoolTypes>> as Kind<PoolTypes>;
  const messageOf = (action: PlannedAction, outcome: Outcome) =>
    failureOf(attributeFailure(pools, {} as Gathered, { action, outcome }).outcome)?.problem.message;
  const desired = { family: "IPv4", node: MACHINE } as const;
  const create: PlannedAction = { do: "create-address", desired, startedAt: "2026-01-01T00:00:00Z", why: "" };

  it("says for which node the account's quota allows no address, what makes room, and who can raise it", () => {
    const text =
      /^an address for node node-3: .*; fix: release addresses that a pool has disabled .*have the owner of the account ask the provider for a higher limit/;
    const quota = withProps(refusedCall("QuotaExceeded"), { remedy: REMEDIES.QuotaExceeded });
    expect(messageOf(create, outcomeOf(quota))).to.match(text);
  });

  it("names the node that an address does not get to because of a quota", () => {
    expect(messageOf(ASSIGN, refusal("QuotaExceeded"))).to.match(/^an address for node ghost: /);
    expect(messageOf(ASSIGN, refusal("Unauthorized")), "it concerns no node").to.match(/^digitalocean: /);
  });

  it("names no node where the operator creates by region", () => {
    const byRegion = { ...create, desired: { family: "IPv4", region: "nyc3" } } as const;
    expect(messageOf(byRegion, refusal("QuotaExceeded"))).to.match(/^digitalocean: /);
  });

  it("names no node for a failure of the account that has nothing to do with the creation", () => {
    expect(messageOf(create, refusal("Unauthorized"))).to.match(/^digitalocean: /);
  });

  it("names the node of a machine that is unfit for a new address", () => {
    const unfit = outcomeOf(withProps(refusedCall("Conflict"), { reason: "NodeUnfit" }));
    expect(messageOf(create, unfit)).to.match(/^node node-3: /);
  });

  it("names the node of an action that failed after it had begun", () => {
    const poll: PlannedAction = { do: "poll", ip: IP, id: "1", expected: MACHINE, why: "" };
    const off = outcomeOfAction({ ip: IP, state: "errored", id: "1", message: "the droplet is off" });
    expect(messageOf(poll, off)).to.match(/^node node-3: .*the droplet is off/);
  });

  it("names the node whose machine a running action did not find", () => {
    const withAddress = { ...pools, hasAddress: () => true };
    const poll: PlannedAction = { do: "poll", ip: IP, id: "1", expected: MACHINE, why: "" };
    const result = { action: poll, outcome: refusal("NotFound") };
    const failure = failureOf(attributeFailure(withAddress, {} as Gathered, result).outcome);
    expect(failure?.problem.message).to.match(/^node node-3: the provider has no machine/);
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
