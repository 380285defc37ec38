import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DONE, type Outcome, skipped } from "../../src/addresses/calls/outcomes.js";
import { OWN_WRITE_MS, RIGHTS_PROBE_MS } from "../../src/bounds.js";
import type { KubeObject } from "../../src/kube/objects.js";
import type { KindController } from "../../src/reconcile/kind-controller.js";
import { type Move, type Mover, MovingKind, move, refused, sequence } from "./moving-kind.js";
import { OneObject } from "./rig.js";

const OBJECT: KubeObject = { metadata: { name: "one", namespace: "default", uid: "u", resourceVersion: "" }, spec: {} };
const A = "192.0.2.1";
const B = "192.0.2.2";

function isWide(object: KubeObject | undefined): boolean {
  return (object?.spec as { readonly wide?: boolean } | undefined)?.wide === true;
}

describe("the engine", () => {
  let world: OneObject<KubeObject>;
  let moving: MovingKind;
  let controller: KindController<Mover>;

  beforeEach(() => {
    world = new OneObject<KubeObject>();
    moving = new MovingKind(world);
  });
  afterEach(() => world.end());

  const start = async () => {
    controller = world.start(moving.kind);
    world.put(OBJECT);
    await world.clock.flush();
  };

  /** Ends when the test says so. */
  const slowly = () => {
    let end: (outcome: Outcome) => void = () => undefined;
    const ended = new Promise<Outcome>((resolve) => {
      end = resolve;
    });
    return { ended, end };
  };

  it("lets a slow call go on in the background, and writes the status meanwhile", async () => {
    const { ended, end } = slowly();
    moving.wanted = () => [sequence(move(A)), sequence(move(B))];
    moving.run = ({ ip }) => (ip === A ? ended : Promise.resolve(DONE));
    await start();
    await world.clock.advance(1_100);
    expect(world.status()["moved"]).to.deep.equal([`address ${B}`]);
    controller.enqueueAll();
    await world.clock.advance(2_000);
    expect(moving.begun, "it is not begun twice").to.deep.equal([`move ${A}`, `move ${B}`]);
    end(DONE);
    await world.clock.advance(100);
    expect(world.status()["moved"]).to.deep.equal([`address ${B}`, `address ${A}`]);
  });

  it("starts no change on a dry run, and reserves nothing for one", async () => {
    const reserved: string[] = [];
    moving.more = { reserve: (_state, _snapshot, { lockKey }) => void reserved.push(lockKey) };
    moving.wanted = () => [sequence(move(A)), sequence({ ...move(B), do: "poll" })];
    world.dryRun = true;
    await start();
    expect(moving.begun).to.deep.equal([`poll ${B}`]);
    expect(reserved).to.deep.equal([`address ${B}`]);
  });

  it("retries at once what failed for the sake of an account that has recovered", async () => {
    let recover: () => void = () => undefined;
    const account = { recovered: 0, onRecovery: (_name: string, listener: () => void) => (recover = listener) };
    moving.account = account;
    moving.wanted = () => [sequence(move(A))];
    moving.run = async () => (account.recovered === 0 ? refused({ kind: "Unauthorized", ofAccount: true }) : DONE);
    await start();
    await world.clock.advance(10_000);
    expect(moving.begun).to.have.length(1);
    account.recovered += 1;
    recover();
    await world.clock.flush();
    expect(moving.begun).to.have.length(2);
    expect(world.status()["moved"]).to.deep.equal([`address ${A}`]);
  });

  it("retries after the schedule of the lock key, whatever else happens", async () => {
    moving.wanted = () => [sequence(move(A))];
    moving.run = async () => refused({ kind: "Terminal" });
    await start();
    controller.enqueueAll();
    await world.clock.advance(59_000);
    expect(moving.begun).to.have.length(1);
    await world.clock.advance(2_000);
    expect(moving.begun).to.have.length(2);
  });

  it("tries at once what only a person could mend, when the spec is edited", async () => {
    moving.wanted = () => [sequence(move(A))];
    moving.run = async () => refused({ kind: "Terminal" });
    await start();
    world.put({ ...OBJECT, spec: { edited: true } });
    await world.clock.flush();
    expect(moving.begun).to.have.length(2);
  });

  it("tells a vanished machine from a vanished address", async () => {
    moving.wanted = () => [sequence(move(A, "cloud://7"))];
    moving.run = async () => refused({ kind: "NotFound" });
    await start();
    const now = world.clock.now();
    expect([...(moving.state?.retries.machineRetryAt(now) ?? [])].map(([machine]) => machine)).to.deep.equal([
      "cloud://7",
    ]);
    expect(moving.state?.retries.get(`address ${A}`)).to.equal(undefined);
    expect(world.events.at(-1)?.note).to.contain("the provider has no machine cloud://7");
    moving.hasAddress = false;
    controller.enqueueAll();
    await world.clock.flush();
    expect(moving.state?.retries.get(`address ${A}`)?.failures).to.equal(1);
  });

  it("reads old data anew before the move that stands on it", async () => {
    let fresh = false;
    const read = { do: "read", ip: A, why: "it is about to move" } as const;
    moving.wanted = () => [sequence(move(A), fresh ? {} : { unconfirmed: read })];
    moving.run = async (action) => {
      fresh ||= action.do === "read";
      return DONE;
    };
    await start();
    expect(moving.begun).to.deep.equal([`read ${A}`, `move ${A}`]);
  });

  it("does not move on old data that cannot be read anew", async () => {
    moving.wanted = () => [sequence(move(A), { unconfirmed: { do: "read", ip: A, why: "it is about to move" } })];
    moving.run = async () => refused({ kind: "Terminal" });
    await start();
    await world.clock.advance(30_000);
    expect(moving.begun).to.deep.equal([`read ${A}`]);
  });

  it("sees its own writes before the cache does", async () => {
    moving.wanted = (status) => (status["seen"] === "yes" ? [] : [sequence(move(A)), sequence(move(B))]);
    moving.run = async (_action, { state }) => {
      await state.write({
        patch: ({ metadata: { resourceVersion } }) => ({
          contentType: "application/merge-patch+json",
          body: { metadata: { resourceVersion }, status: { seen: "yes" } },
        }),
        subresource: "status",
      });
      return DONE;
    };
    world.source.listen(() => {
      world.lagging = true;
    });
    await start();
    expect(moving.begun).to.deep.equal([`move ${A}`, `move ${B}`]);
    controller.enqueueAll();
    await world.clock.flush();
    expect(moving.begun, "the cache still shows the old version").to.have.length(2);
  });

  it("notices within the bound that a missing right has been granted, though it has nothing to write", async () => {
    moving.more = { pendingWarnings: { forbidden: "role too old" } };
    await start();
    expect(controller.degradedReason()).to.equal(undefined);
    world.forbids = true;
    moving.wanted = () => [sequence(move(A))];
    controller.enqueueAll();
    await world.clock.advance(1);
    expect(controller.degradedReason()).to.equal("role too old");
    moving.wanted = () => [];
    if (moving.state !== undefined) moving.state.memory.moved = [];
    await world.clock.advance(2 * RIGHTS_PROBE_MS);
    expect(controller.degradedReason(), "the right is still missing").to.equal("role too old");
    world.forbids = false;
    const writes = world.patches.length;
    await world.clock.advance(RIGHTS_PROBE_MS);
    expect(controller.degradedReason()).to.equal(undefined);
    expect(world.patches.slice(writes)).to.deep.equal([{ metadata: { uid: "u" } }]);
    await world.clock.advance(2 * RIGHTS_PROBE_MS);
    expect(world.patches, "one empty patch is enough").to.have.length(writes + 1);
  });

  it("relies on the cache again when it does not catch up with an own write within the bound", async () => {
    moving.wanted = () => [sequence(move(isWide(moving.state?.object()) ? A : B))];
    moving.run = async () => {
      world.lagging = true;
      return DONE;
    };
    await start();
    expect(world.object?.metadata.resourceVersion, "the cache has not seen the status").to.equal("2");
    world.restore({ ...OBJECT, spec: { wide: true } });
    await world.clock.advance(OWN_WRITE_MS - 1_000);
    expect(moving.begun).to.deep.equal([`move ${B}`]);
    await world.clock.advance(2_000);
    expect(moving.begun).to.deep.equal([`move ${B}`, `move ${A}`]);
  });

  it("plans on what waits for the next status patch", async () => {
    const seen: unknown[] = [];
    moving.wanted = (status) => {
      seen.push(status["phase"]);
      return status["phase"] === "begun" ? [] : [sequence(move(A))];
    };
    moving.run = async (_action, { state }) => {
      state.pendingStatus.set(["phase"], "begun");
      return skipped("it goes on elsewhere");
    };
    await start();
    expect(seen[0]).to.equal(undefined);
    expect(seen.at(-1)).to.equal("begun");
  });

  it("runs the steps of a sequence in order, and skips those that rely on one that failed", async () => {
    const steps = [
      { name: "rules", actions: [move("rules")] },
      { name: "node", reliesOn: ["rules"], actions: [move("node")] },
      { name: "taint", actions: [move("taint")] },
      { name: "assign", reliesOn: ["node"], actions: [move("assign")] },
    ];
    moving.wanted = () => [{ lockKey: "update", steps: steps.map((step) => ({ ...step, retryKey: step.name })) }];
    moving.run = async ({ ip }) => (ip === "rules" ? refused() : DONE);
    await start();
    expect(moving.begun.slice(0, 2)).to.deep.equal(["move rules", "move taint"]);
    expect(moving.begun).to.not.include("move assign");
    expect(moving.state?.retries.get("rules")?.failures).to.equal(1);
    expect(moving.state?.retries.get("taint")).to.equal(undefined);
  });

  it("lets a call ask, when it may be sent, whether a plan made now still wants it", async () => {
    const answers: (string | undefined)[] = [];
    let wanted = true;
    moving.wanted = () => (wanted ? [sequence(move(A))] : []);
    moving.run = async (_action, { context }) => {
      answers.push(context.recheck?.());
      wanted = false;
      answers.push(context.recheck?.());
      return { is: "superseded", because: answers[1] ?? "" };
    };
    await start();
    expect(answers).to.deep.equal([undefined, "the plan has changed since the decision"]);
    expect(moving.state?.retries.get(`address ${A}`)).to.equal(undefined);
  });

  it("checks the facts of the decision where the kind takes them", async () => {
    let fit = true;
    const taken: string[] = [];
    const recheckOf = (_state: unknown, { ip }: Move) => {
      taken.push(ip);
      expect(moving.begun, "in the turn of the decision").to.deep.equal([]);
      return () => (fit ? undefined : "the node has changed");
    };
    moving.more = { recheckOf, priorityOf: () => "records" };
    moving.wanted = () => [sequence(move(A))];
    const seen: unknown[] = [];
    moving.run = async (_action, { context: { recheck, priority } }) => {
      fit = false;
      seen.push(recheck?.(), priority);
      return DONE;
    };
    await start();
    expect(taken).to.deep.equal([A]);
    expect(seen).to.deep.equal(["the node has changed", "records"]);
  });

  it("plans again at once after a call that was superseded, and keeps the failures before it", async () => {
    const outcomes: Outcome[] = [refused({ kind: "Conflict" }), { is: "superseded", because: "changed" }, DONE];
    moving.wanted = () => [sequence(move(A))];
    moving.run = async () => outcomes.shift() ?? DONE;
    await start();
    await world.clock.advance(1_000);
    expect(moving.begun).to.have.length(3);
    expect(world.status()["moved"]).to.deep.equal([`address ${A}`]);
  });

  it("keeps what an older CRD drops, and does not send it again and again", async () => {
    world.dropped = ["conditions", "moved"];
    moving.wanted = () => [sequence(move(A))];
    await start();
    const { length } = world.patches;
    expect(moving.state?.pendingStatus.over({})["moved"]).to.deep.equal([`address ${A}`]);
    controller.enqueueAll();
    await world.clock.flush();
    expect(world.patches).to.have.length(length);
  });

  it("runs a plan that does not come to rest with backoff", async () => {
    moving.wanted = () => [sequence(move(`${moving.begun.length}`))];
    moving.showsMoves = false;
    await start();
    await world.clock.advance(10_000);
    // 8 iterations in a run; without a bound there would be a run each ms.
    expect(moving.begun.length).to.be.within(8 * 5, 8 * 25);
  });

  it("waits with a step whose failed predecessor waits, and asks for no run before that", async () => {
    let step = 0;
    const first = { name: "first", retryKey: "first", actions: [move(A)] };
    const second = { name: "second", reliesOn: ["first"], retryKey: "second", actions: [move(B)] };
    moving.wanted = () => [{ lockKey: "both", steps: [first, second] }];
    moving.run = async () => {
      step += 1;
      return refused({ kind: "Terminal" });
    };
    await start();
    await world.clock.advance(50_000);
    expect(step).to.equal(1);
    expect(moving.results, "no run of the sequence ends without an action").to.have.length(1);
    await world.clock.advance(15_000);
    expect(step).to.equal(2);
  });

  it("does not run a resource that may not run yet", async () => {
    let may = false;
    moving.more = { mayRun: () => may };
    moving.wanted = () => [sequence(move(A))];
    await start();
    expect([moving.begun, world.patches]).to.deep.equal([[], []]);
    may = true;
    controller.enqueueAll();
    await world.clock.flush();
    expect(moving.begun).to.deep.equal([`move ${A}`]);
  });

  it("writes nothing while another process leads", async () => {
    world.leads = false;
    await start();
    expect(world.patches).to.deep.equal([]);
  });

  it("reports what failed though the API server refuses the status, and once", async () => {
    moving.wanted = () => [sequence(move(A))];
    moving.run = async () => refused({ kind: "Terminal" });
    world.forbids = true;
    await start();
    expect(world.events.map(({ note }) => note)).to.deep.equal(["no"]);
    controller.enqueueAll();
    await world.clock.advance(1_000);
    expect(world.events).to.have.length(1);
  });

  it("tells the kind how long ago it sent a status, and not how long ago it compared one", async () => {
    const since: number[] = [];
    const holdMs = (_seen: unknown, _fields: unknown, sinceLastMs: number) => {
      since.push(sinceLastMs);
      return undefined;
    };
    moving.more = { statusRules: { holdMs } };
    await start();
    for (let run = 0; run < 2; run++) {
      await world.clock.advance(5_000);
      controller.enqueueAll();
      await world.clock.flush();
    }
    expect(world.patches).to.have.length(1);
    expect(since.at(-1)).to.equal(10_000);
  });

  it("begins no run before the kind lets it", async () => {
    let may = false;
    moving.more = { mayRun: () => may };
    moving.wanted = () => [sequence(move(A))];
    await start();
    expect([moving.begun, world.patches]).to.deep.equal([[], []]);
    may = true;
    controller.enqueueAll();
    await world.clock.flush();
    expect(moving.begun).to.deep.equal([`move ${A}`]);
  });

  it("names as the reason of a degraded process what the kind alone notices", async () => {
    moving.more = { pendingWarningOf: () => "role too old: nodes" };
    await start();
    expect(controller.degradedReason()).to.equal("role too old: nodes");
  });

  it("hands the failure of a deferred Event to the kind, and no further", async () => {
    const failures: unknown[] = [];
    moving.more = {
      statusEvents: (_before, _planned, deferred) => {
        failures.push(...deferred.map(({ failure }) => failure?.kind));
        return deferred;
      },
    };
    moving.wanted = () => [sequence(move(A))];
    moving.run = async () => refused({ kind: "Terminal" });
    await start();
    expect(failures).to.deep.equal(["Terminal"]);
    expect(world.events[0]).to.have.all.keys("regarding", "type", "reason", "action", "note");
  });

  it("forgets another resource that bore the same name", async () => {
    moving.wanted = () => [sequence(move(A))];
    await start();
    expect(moving.begun).to.have.length(1);
    world.put({ ...OBJECT, metadata: { ...OBJECT.metadata, uid: "v" } });
    await world.clock.flush();
    expect(moving.begun).to.have.length(2);
    expect(moving.state?.ref.uid).to.equal("v");
  });
});
