import { expect } from "chai";
import { describe, it } from "mocha";
import { hasFailed, type Outcome } from "../../../../src/addresses/call-outcomes.js";
import { settle } from "../../../../src/addresses/creation/creation-recovery.js";
import { ListObservations } from "../../../../src/addresses/creation/creation-registry.js";
import type { CreationResult } from "../../../../src/addresses/creation/creation-result.js";
import { TakenAddresses } from "../../../../src/addresses/undone-writes.js";
import { timestamp } from "../../../../src/clock.js";
import { actions } from "../../../../src/controllers/routed-ip/action-table.js";
import { addressSetOf } from "../../../../src/controllers/routed-ip/address/address-set.js";
import type { GatherTools } from "../../../../src/controllers/routed-ip/gather.js";
import { memoryOf, type RoutedKind } from "../../../../src/controllers/routed-ip/memory.js";
import { silentLogger } from "../../../../src/logging.js";
import type { ActionCall, RunAction } from "../../../../src/reconcile/kind.js";
import { Retries } from "../../../../src/reconcile/retries.js";
import { FakeClock } from "../../../support/time/fake-clock.js";
import { ModelWorld } from "../model-world.js";

const IP = "192.0.2.1";
const HOUR_MS = 3_600_000;

describe("a creation for a RoutedIP whose answer was lost", () => {
  /** Settled after lists at these seconds since it was met; the clock is set by `skewMs` before the list of that index. */
  const settled = async (skewMs: number, before: number) => {
    const clock = new FakeClock();
    const listObservations = new ListObservations();
    const intent = { startedAt: timestamp(clock.now()), provider: "digitalocean", family: "IPv4" } as const;
    listObservations.meet(intent, clock.monotonic());
    for (const [index, seconds] of [5, 60, 15].entries()) {
      await clock.advance(seconds * 1000);
      if (index === before) clock.skew(skewMs);
      listObservations.note({ complete: true, ageSeconds: 0, addresses: new Map() }, clock.monotonic());
    }
    const remembered = {
      creationFailure: undefined,
      creationResult: undefined,
      reverts: undefined,
      placement: undefined,
    };
    const made = new ModelWorld();
    made.addRouted("a");
    const base = made.snapshot("a");
    const scene = { ...base, now: clock.now(), monotonic: clock.monotonic() };
    const state = {
      cleanup: { attempts: 0 },
      retries: new Retries(),
      memory: { ...remembered, listObservations, taken: new TakenAddresses(), released: new Set<string>() },
    };
    const memory = memoryOf(state, scene);
    const routed = { ...base.routed, status: { pendingCreation: intent } };
    return settle({ ...base, set: addressSetOf({ ...base, routed }), now: clock.now(), memory }, intent);
  };

  it("counts from when this process met it, once the clock has been set back", async () => {
    expect(await settled(-HOUR_MS, 0)).to.deep.equal({ is: "nothing" });
  });

  it("is looked for in all lists since, though the clock was set back between them", async () => {
    expect(await settled(-HOUR_MS, 2)).to.deep.equal({ is: "nothing" });
  });
});

describe("a call about the address of a RoutedIP", () => {
  const said: string[] = [];
  const account = {
    provider: {},
    answered: () => said.push("answered"),
    note: (error: Error) => said.push(error.message),
    inventory: {
      view: () => undefined,
      create: async () => ({ kind: "created", address: { ip: IP } }),
      poll: () => Promise.reject(new Error("no answer")),
    },
  };
  const carryOut = async (action: RoutedKind["action"]): Promise<Outcome | undefined> => {
    said.length = 0;
    const { signal } = new AbortController();
    const write = () => Promise.reject(new Error("the server is down"));
    const ref = { kind: "RoutedIP", namespace: "default", name: "a", uid: "a" };
    const memory = {
      onCreationResult: () => undefined,
      creationResult: undefined as CreationResult | undefined,
      poll: undefined,
    };
    const state = { ref, key: "default/a", signal, write, memory, object: () => undefined };
    const routing = { context: { clock: new FakeClock(), logger: silentLogger, claims: {} } };
    const snapshot = { by: "issuer", account };
    const call = { state, snapshot, signal, context: {} } as unknown as ActionCall<RoutedKind>;
    const table: Readonly<Record<string, RunAction<RoutedKind, never>>> = actions({
      routing,
    } as unknown as GatherTools);
    const outcome = await table[action.do]?.(call, action as never);
    known = memory.creationResult;
    return outcome;
  };
  let known: CreationResult | undefined;

  it("that has created one is done though the status can't say so: it is remembered, and not created again", async () => {
    const startedAt = timestamp(0);
    const outcome = await carryOut({
      do: "create-address",
      desired: { family: "IPv4", region: "nyc3" },
      startedAt,
      why: "",
    });
    expect(outcome).to.deep.equal({ is: "done", ip: IP });
    expect(known).to.deep.include({ startedAt });
    const { createdTime: since } = known?.created ?? {};
    expect(known?.created).to.deep.include({ ip: IP, status: { state: "unassigned", since } });
  });

  it("says of the account what came of it: a look without an answer is none", async () => {
    const outcome = await carryOut({ do: "poll", ip: IP, id: "1", expected: undefined, why: "" });
    expect(outcome).to.deep.equal({
      is: "skipped",
      because: "no answer; the operator tries the call to the Kubernetes API again",
      unanswered: true,
    });
    expect(outcome && hasFailed(outcome), "in the log, too").to.equal(true);
    expect(said).to.deep.equal(["no answer"]);
  });
});
