/** A whole kind, to be read from top to bottom: `Sign` shows its text on a board that lives in a cloud. */

import type { Condition } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DONE } from "../../src/addresses/call-outcomes.js";
import type { KubeObject, ObjectMeta } from "../../src/kube/objects.js";
import { finalizerPatch } from "../../src/kube/write/patch.js";
import { type PlannedCondition, unknown, yes } from "../../src/reconcile/conditions.js";
import type { Kind } from "../../src/reconcile/kind.js";
import { type Action, inOrder, type Plan } from "../../src/reconcile/plan.js";
import { OneObject } from "./rig.js";

// The cloud: one board, and its slow API.
const board = { text: "", calls: 0 };
const readBoard = async () => board.text;
const writeBoard = async (text: string) => {
  board.calls += 1;
  board.text = text;
};

// The kind: its types ...
interface SignObject extends KubeObject {
  readonly spec: { readonly text: string };
}
interface Snapshot {
  readonly metadata: ObjectMeta;
  readonly wanted: string;
  readonly shown: string | "unknown";
}
type SignAction =
  | (Action & { readonly do: "write"; readonly text: string })
  | (Action & { readonly do: "add-finalizer" | "remove-finalizer" });
interface Sign {
  readonly object: SignObject;
  readonly resource: SignObject;
  readonly snapshot: Snapshot;
  readonly action: SignAction;
  readonly plan: Plan<SignAction>;
  readonly memory: { shown: string | "unknown" };
}

// ... its decision, which is pure ...
function plan({ metadata, wanted, shown }: Snapshot): Plan<SignAction> {
  const text = metadata.deletionTimestamp === undefined ? wanted : "";
  const fine = { reason: "Observed", message: `shows "${text}"` } as const;
  const accepted: PlannedCondition = shown === text ? yes("Accepted", fine) : unknown("Accepted");
  const actions: SignAction[] = shown === "unknown" ? [] : [...actionsFor(metadata, shown, text)];
  return { sequences: inOrder("board", actions), conditions: [accepted], explanation: actions[0]?.why ?? "" };
}

function* actionsFor({ finalizers = [], deletionTimestamp }: ObjectMeta, shown: string, text: string) {
  const deleting = deletionTimestamp !== undefined;
  const has = finalizers.includes("sign");
  if (!deleting && !has) yield { do: "add-finalizer", why: "the board has to be cleared at the end" } as const;
  if (shown !== text) yield { do: "write", text, why: `the board shows "${shown}"` } as const;
  if (deleting && has) yield { do: "remove-finalizer", why: "the board is clear" } as const;
}

// ... and the value that the engine runs.
function signKind({ source }: OneObject<SignObject>): Kind<Sign> {
  const setFinalizer = (present: boolean) => (object: SignObject) => finalizerPatch(object, "sign", present);
  return {
    names: { kind: "Sign", plural: "signs", controller: "sign", finalizer: "sign" },
    readyWhen: ["Accepted"],
    source,
    read: (object) => object,
    remember: () => ({ shown: "unknown" }),
    prepare: async ({ memory }) => {
      memory.shown = await readBoard();
    },
    gather: ({ memory: { shown } }, { metadata, spec }) => ({ metadata, wanted: spec.text, shown }),
    plan,
    actions: {
      write: async ({ state }, { text }) => {
        await writeBoard(text);
        state.memory.shown = text;
        return DONE;
      },
      "add-finalizer": ({ state }) => state.write({ patch: setFinalizer(true) }).then(() => DONE),
      "remove-finalizer": ({ state }) => state.write({ patch: setFinalizer(false) }).then(() => DONE),
    },
    status: ({ shown }) => ({ shown }),
    events: (_snapshot, _plan, { results }) => ({
      now: results.flatMap(({ action: { do: verb, why } }) => {
        return verb === "write" ? { type: "Normal", reason: "Written", action: "Write", note: why } : [];
      }),
    }),
  };
}

describe("a toy kind", () => {
  const metadata = { name: "one", namespace: "default", uid: "u", resourceVersion: "" };
  let world: OneObject<SignObject>;

  beforeEach(async () => {
    Object.assign(board, { text: "", calls: 0 });
    world = new OneObject<SignObject>();
    world.start(signKind(world));
    world.put({ metadata, spec: { text: "hello" } });
    await world.clock.flush();
  });
  afterEach(() => world.end());

  it("does what its plan says, and says so in status and Event", () => {
    expect(board).to.deep.equal({ text: "hello", calls: 1 });
    expect(world.status()["shown"]).to.equal("hello");
    expect(world.condition("Ready")).to.equal("True/Observed");
    expect(world.events.map(({ reason, note }) => `${reason}: ${note}`)).to.deep.equal(['Written: the board shows ""']);
  });

  it("cleans up when it is deleted", async () => {
    const finalizers = world.object?.metadata.finalizers ?? [];
    world.put({ metadata: { ...metadata, finalizers, deletionTimestamp: "2025-01-01" }, spec: { text: "hello" } });
    await world.clock.flush();
    expect(board.text).to.equal("");
    expect(world.object).to.equal(undefined);
  });

  it("names the finalizers of other programs that keep it after the cleanup", async () => {
    const finalizers = [...(world.object?.metadata.finalizers ?? []), "example.com/gitops"];
    world.put({ metadata: { ...metadata, finalizers, deletionTimestamp: "2025-01-01" }, spec: { text: "hello" } });
    await world.clock.flush();
    expect(world.object?.metadata.finalizers).to.deep.equal(["example.com/gitops"]);
    expect([world.condition("Ready"), world.condition("Reconciling")]).to.deep.equal([
      "False/UnderWay",
      "True/UnderWay",
    ]);
    const { conditions = [] } = world.status() as { readonly conditions?: readonly Condition[] };
    const patch = JSON.stringify([
      { op: "test", path: "/metadata/finalizers/0", value: "example.com/gitops" },
      { op: "remove", path: "/metadata/finalizers/0" },
    ]);
    expect(conditions.find((each) => each.type === "Ready")?.message)
      .to.include("nothing left to clean up; finalizer example.com/gitops of another program keeps it")
      .and.to.include(`kubectl -n default patch signs.flipop.digitalocean.com one --type=json -p '${patch}'`);
  });
});
