import { expect } from "chai";
import { describe, it } from "mocha";
import { hasFailed, type Outcome } from "../../../src/addresses/calls/outcomes.js";
import { settle } from "../../../src/addresses/creation/creation-recovery.js";
import type { CreationResult } from "../../../src/addresses/creation/creation-result.js";
import { ListObservations } from "../../../src/addresses/creation/list-observations.js";
import type { Action } from "../../../src/controllers/routed-ip/actions.js";
import { addressSetOf } from "../../../src/controllers/routed-ip/address-set.js";
import { execute } from "../../../src/controllers/routed-ip/execute.js";
import { memoryOf } from "../../../src/controllers/routed-ip/memory.js";
import type { Plan } from "../../../src/controllers/routed-ip/plan.js";
import type { Tools } from "../../../src/controllers/routed-ip/tools.js";
import { silentLogger } from "../../../src/logging.js";
import { timestamp } from "../../../src/times.js";
import { FakeClock } from "../../support/fake-clock.js";
import { ModelWorld } from "./model-world.js";

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
    const resourceState = {
      addressRetry: undefined,
      creationFailure: undefined,
      creationResult: undefined,
      cleanup: { attempts: 0 },
      nodeRetries: new Map(),
      reverts: [],
    };
    const made = new ModelWorld();
    made.addRouted("a");
    const base = made.snapshot("a");
    const scene = { ...base, now: clock.now(), monotonic: clock.monotonic() };
    const memory = memoryOf({ ...resourceState, placement: undefined, listObservations, read: () => undefined }, scene);
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
  const carryOut = async (action: object): Promise<Outcome | undefined> => {
    said.length = 0;
    const { signal } = new AbortController();
    const write = () => Promise.reject(new Error("the server is down"));
    const ref = { kind: "RoutedIP", namespace: "default", name: "a", uid: "a" };
    const base = { ref, key: "default/a", signal, writer: { write }, onResult: () => undefined, read: () => undefined };
    const resourceState = { ...base, creationResult: undefined as CreationResult | undefined };
    const tools = {
      signal,
      resourceState,
      gathered: { account },
      routing: { context: { clock: new FakeClock(), logger: silentLogger, claims: {} } },
    } as unknown as Tools;
    const plan = { steps: [], sequences: [[action as Action]], postAllow: false } as unknown as Plan;
    const outcome = (await execute(tools, plan))[0]?.outcome;
    known = resourceState.creationResult;
    return outcome;
  };
  let known: CreationResult | undefined;

  it("that has created one is done though the status can't say so: it is remembered, and not created again", async () => {
    const startedAt = timestamp(0);
    const outcome = await carryOut({ do: "create-address", desired: { region: "nyc3" }, startedAt, why: "" });
    expect(outcome).to.deep.equal({ is: "done", ip: IP });
    expect(known).to.deep.include({ startedAt });
    expect(known?.created).to.deep.include({ ip: IP, status: { state: "unassigned" } });
  });

  it("says of the account what came of it: a look without an answer is none", async () => {
    const outcome = await carryOut({ do: "poll", ip: IP, id: "1", expected: undefined, why: "" });
    expect(outcome).to.deep.equal({ is: "skipped", because: "no answer", unanswered: true });
    expect(outcome && hasFailed(outcome), "in the log, too").to.equal(true);
    expect(said).to.deep.equal(["no answer"]);
  });
});
