/** The objects whose status shows addresses: Services of the operator's class. Resources say which addresses are active. */

import { DONE, type Outcome, skipped } from "../../addresses/calls.js";
import { isInvalid } from "../../kube/client.js";
import { type KubeObject, keyOf } from "../../kube/objects.js";
import { sendPatch } from "../../kube/write/patch.js";
import { publishingMessages } from "../../messages/services.js";
import type { Publications } from "../../publishing/publications.js";
import type { ActionTable, Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { ObjectWriters } from "../../reconcile/object-writer.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import type { ResourceSource } from "../../reconcile/resource-source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import type { ServiceFacts } from "../../routing/service.js";
import { omitUndefined } from "../../values.js";
import type { ControllerContext, ControllerFactory } from "../context.js";
import { type Memory, NOTHING_SENT, observed, shownNow } from "./memory.js";
import { type Action, type Plan, plan, type Snapshot } from "./plan.js";
import { factsOfService, isOurService, servicePatch, servicePath } from "./services.js";

/** The types of this kind, for the engine. */
interface PublicationTypes {
  readonly object: KubeObject;
  readonly resource: KubeObject;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: { value: Memory };
}

type State = ResourceState<PublicationTypes>;

interface Tools {
  readonly context: ControllerContext;
  readonly publications: Publications;
}

const KIND = "Service";

export const createPublicationsController: ControllerFactory = (context) => {
  const { publications, services } = context;
  if (publications === undefined) throw new Error("feature publish is not enabled");
  const controller = new KindController(context, kindOf({ context, publications }));
  const isRead = () => services.parts.every((part) => part.hasSynced());
  publications.serve(KIND, {
    look: (key) => (isRead() ? factsOfService(`${KIND} ${key}`, services.get(key)) : undefined),
    enqueue: (key) => controller.enqueue(key),
    enqueueAll: () => controller.enqueueAll(),
  });
  const ends = services.caches.map(({ store }) => store.listen(({ object }) => publications.seen(KIND, keyOf(object))));
  const close = () => {
    for (const end of ends) end();
    return controller.close();
  };
  return { controllers: [controller], caches: services.parts, checks: new Map(), close };
};

function kindOf(tools: Tools): Kind<PublicationTypes> {
  const { context, publications } = tools;
  return {
    names: { kind: KIND, plural: "services", controller: "publications" },
    source: sourceOf(context),
    read: (object) => object,
    remember: () => ({ value: NOTHING_SENT }),
    mayRun: () => publications.areKnown,
    gather: (state) => gather(tools, state),
    plan,
    actions: actions(context),
    register: ({ key, memory }, _snapshot, { problem }) => {
      publications.report(KIND, key, problem ?? memory.value.failure);
    },
    recordOutcome: (state, snapshot, result) => recordOutcome(state, snapshot, result),
  };
}

function gather({ context, publications }: Tools, { key, ref, memory }: State): Snapshot {
  const { clock, services } = context;
  const cached = services.get(key)?.ingress ?? [];
  const now = clock.now();
  memory.value = observed(memory.value, { shown: cached, now, monotonic: clock.monotonic() });
  return {
    ...{ target: `${KIND} ${key}`, uid: ref.uid, now, undone: memory.value.undone },
    shown: shownNow(memory.value, cached),
    resources: publications.resourcesOf(KIND, key),
  };
}

function actions({ client, clock }: ControllerContext): ActionTable<PublicationTypes> {
  return {
    publish: async ({ state, signal, context: { recheck } }, { uid, ips }): Promise<Outcome> => {
      const because = recheck?.();
      if (because !== undefined) return { is: "superseded", because };
      try {
        await sendPatch(client, servicePath(state.key), servicePatch(uid, ips), { subresource: "status", signal });
      } catch (error) {
        // The patch tests that it is the same Service.
        if (isInvalid(error)) return skipped("the Service has changed meanwhile");
        throw error;
      }
      const { memory } = state;
      memory.value = { ...memory.value, sent: { ips, at: clock.monotonic(), confirmed: false } };
      return DONE;
    },
  };
}

function recordOutcome({ memory }: State, { target }: Snapshot, { results }: SequenceResult<Action>): void {
  const outcome = results.at(-1)?.outcome;
  const refused = outcome?.is === "refused" ? outcome.failure.problem.message : undefined;
  const { failure: _former, ...others } = memory.value;
  const failure = refused === undefined ? undefined : publishingMessages.failed({ target, text: refused });
  memory.value = { ...others, ...omitUndefined({ failure }) };
}

/** Only Services that the operator may write have runs. */
function sourceOf({ services, client, clock }: ControllerContext): ResourceSource<KubeObject> {
  const cached = (key: string) => {
    const service = services.get(key);
    return service !== undefined && isOurService(service) ? objectOf(service) : undefined;
  };
  return {
    writers: new ObjectWriters<KubeObject>(client, cached, servicePath, clock),
    *keys() {
      for (const service of services.list()) if (isOurService(service)) yield keyOf(service);
    },
    cached,
    listen: (listener) => {
      const ends = services.caches.map(({ store }) =>
        store.listen(({ type, object }) => {
          const deleted = type === "deleted" || !isOurService(object);
          listener({ key: keyOf(object), object: objectOf(object), deleted });
        }),
      );
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function objectOf({ name, namespace, uid }: ServiceFacts): KubeObject {
  return { metadata: { name, namespace, uid, resourceVersion: "" } };
}
