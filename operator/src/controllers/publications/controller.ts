/**
 * The objects whose status shows addresses: Services of the operator's class, and Gateways that allow it. Resources say which
 * addresses are active.
 */

import { DONE, type Outcome, skipped } from "../../addresses/call-outcomes.js";
import { fieldConflicts, isConflict, isInvalid } from "../../kube/client.js";
import { sendPatch } from "../../kube/write/patch.js";
import { publishingMessages } from "../../messages/publishing.js";
import { mostAddresses, type Publications } from "../../publishing/publications.js";
import type { ActionCall, ActionTable, Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { ObjectWriters } from "../../reconcile/object-writer.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import type { ResourceSource } from "../../reconcile/resource-source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { omitUndefined } from "../../values.js";
import type { ControllerContext, ControllerFactory } from "../context.js";
import { followReading, gatewayTargets, readGateways, watchGateways } from "./gateway-watches.js";
import { GATEWAY } from "./gateways.js";
import { lagEndsInMs, type Memory, NOTHING_SENT, observed, shownNow, withoutOldConflict, wrote } from "./memory.js";
import { type Action, type Plan, plan, type Snapshot } from "./plan.js";
import { serviceTargets } from "./services.js";
import type { TargetKind, TargetObject } from "./target-kind.js";

/** The types of this kind, for the engine. */
interface PublicationTypes {
  readonly object: TargetObject;
  readonly resource: TargetObject;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: { value: Memory };
}

type State = ResourceState<PublicationTypes>;

interface Tools {
  readonly context: ControllerContext;
  readonly publications: Publications;
  readonly targets: TargetKind;
}

export const createPublicationsController: ControllerFactory = (context) => {
  const { publications, services, watches, clock, settings } = context;
  if (publications === undefined) throw new Error("feature publish is not enabled");
  const gateways = watchGateways(watches, settings.watchNamespaces);
  const reading = readGateways(gateways, clock);
  const kinds = [serviceTargets(services), gatewayTargets(gateways, reading)];
  const served = kinds.map((targets) => serve({ context, publications, targets }));
  const gatewayKind = followReading(reading, clock, () => publications.allSeen(GATEWAY));
  const close = async () => {
    await Promise.all([...served.map((each) => each.close()), ...gateways.map((cache) => cache.stop())]);
  };
  // Without the caches of Gateways: no other kind waits for one that the cluster may lack.
  const controllers = [...served.map(({ controller }) => controller), gatewayKind];
  return { controllers, caches: services.parts, checks: new Map(), close };
};

function serve(tools: Tools) {
  const { context, publications, targets } = tools;
  const { kind } = targets;
  const controller = new KindController(context, kindOf(tools));
  publications.serve(kind, {
    look: (key) => targets.look(key),
    enqueue: (key) => controller.enqueue(key),
    enqueueAll: () => controller.enqueueAll(),
  });
  const end = targets.listen(({ key }) => publications.seen(kind, key));
  const close = () => {
    end();
    return controller.close();
  };
  return { controller, close };
}

function kindOf(tools: Tools): Kind<PublicationTypes> {
  const { publications, targets } = tools;
  const { kind, plural, controller } = targets;
  return {
    names: { kind, plural, controller },
    source: sourceOf(tools),
    read: (object) => object,
    remember: () => ({ value: NOTHING_SENT }),
    mayRun: () => publications.areKnown,
    gather: (state) => gather(tools, state),
    plan,
    actions: actions(tools),
    register: ({ key, memory }, _snapshot, { problem, sequences }) => {
      // A write that failed, and is not needed any more, keeps no address from the object.
      publications.report(kind, key, problem ?? (sequences.length > 0 ? memory.value.failure : undefined));
    },
    recordOutcome: (state, snapshot, result) => recordOutcome(state, snapshot, result),
  };
}

function gather({ context: { clock }, publications, targets }: Tools, { key, memory }: State): Snapshot {
  const { shown: cached, all, allowed } = targets.get(key) ?? NO_OBJECT;
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  const before = withoutOldConflict(memory.value, all);
  memory.value = observed(before, { shown: cached, now, monotonic });
  const { undone, conflict } = memory.value;
  const lag = lagEndsInMs(memory.value, monotonic);
  return {
    ...{ target: `${targets.kind} ${key}`, now, undone, allowed },
    ...omitUndefined({ conflict, unseenUntil: lag === undefined ? undefined : now + lag }),
    shown: shownNow(memory.value, cached),
    most: mostAddresses(targets.kind),
    resources: publications.resourcesOf(targets.kind, key),
  };
}

const NO_OBJECT: Pick<TargetObject, "shown" | "all" | "allowed"> = { shown: [], all: [], allowed: true };

function actions({ context, targets }: Tools): ActionTable<PublicationTypes> {
  const { client, clock } = context;
  return {
    publish: async (call, { ips }): Promise<Outcome> => {
      const { state, signal } = call;
      const because = call.context.recheck?.();
      if (because !== undefined) return { is: "superseded", because };
      const object = targets.get(state.key);
      if (object?.metadata.uid !== state.ref.uid) return skipped("the object is gone");
      try {
        const patch = targets.patch(object, ips);
        await sendPatch(client, targets.path(state.key), patch, { subresource: "status", signal });
      } catch (error) {
        return afterRefusal(call, { error, all: object.all, now: clock.now() });
      }
      state.memory.value = wrote(state.memory.value, ips, clock.monotonic());
      return DONE;
    },
  };
}

interface Refusal {
  readonly error: unknown;
  /** All addresses of the object, sorted. */
  readonly all: readonly string[];
  readonly now: number;
}

/** The patch tests that it is the same object: the watch shows the new one. */
function afterRefusal({ state, snapshot }: ActionCall<PublicationTypes>, { error, all, now }: Refusal): Outcome {
  const managers = [...new Set(fieldConflicts(error).map(({ message = "" }) => message))];
  if (managers.length > 0) {
    const problem = publishingMessages.owned({ target: snapshot.target, managers });
    state.memory.value = { ...state.memory.value, conflict: { problem, at: now, all } };
    return skipped("another writer owns the addresses");
  }
  if (isChanged(state, error)) return skipped("the object has changed meanwhile");
  throw error;
}

/** Of a Service, a failed test is a 422 that names no field; of a Gateway, an old version is a 409. */
function isChanged({ ref }: State, error: unknown): boolean {
  return ref.kind === GATEWAY ? isConflict(error) : isInvalid(error) && (error.details.causes ?? []).length === 0;
}

function recordOutcome({ memory }: State, { target }: Snapshot, { results }: SequenceResult<Action>): void {
  const outcome = results.at(-1)?.outcome;
  const refused = outcome?.is === "refused" ? outcome.failure.problem.message : undefined;
  const { failure: _former, ...others } = memory.value;
  const failure = refused === undefined ? undefined : publishingMessages.failed({ target, text: refused });
  memory.value = { ...others, ...omitUndefined({ failure }) };
}

/** Only objects that the operator may write have runs. */
function sourceOf({ context: { client, clock }, targets }: Tools): ResourceSource<TargetObject> {
  const cached = (key: string) => targets.get(key);
  return {
    writers: new ObjectWriters<TargetObject>(client, cached, (key) => targets.path(key), clock),
    keys: () => targets.keys(),
    cached,
    listen: (listener) => targets.listen(listener),
  };
}
