/** RoutedIPIssuers: the operator tries the credentials of each, and keeps each as long as a RoutedIP uses it. */

import { type PreviousFirewall, type RoutedIPIssuerStatus, routedIPIssuerKind } from "cdk8s-flipop/api";
import { type Basis, DONE, objectBasis, recheckOf, skipped } from "../../addresses/call-outcomes.js";
import { jsonEqual } from "../../kube/objects.js";
import { statusPatch } from "../../kube/write/patch.js";
import { abandoned, eventMessages, failedEvent } from "../../messages/events.js";
import type { EventMessage } from "../../messages/message.js";
import { conditionEvents } from "../../reconcile/conditions.js";
import type { ActionTable, Kind, SequenceEvents } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import type { ActionResult, SequenceResult } from "../../reconcile/plan.js";
import { namespacedSource } from "../../reconcile/resource-source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { baseName } from "../../routing/firewalls/additional-firewalls.js";
import { withCreated, withoutCreated } from "../../routing/firewalls/firewalls-in-issuer-status.js";
import { removeParts } from "../../routing/firewalls/retained-parts.js";
import { inUsePatch, isLeftStale, isLeftToOthers, leavePatch, othersUsing } from "../../routing/in-use.js";
import { type IssuerObject, type IssuerRead, readIssuer } from "../../routing/read-resources.js";
import { accountOnRecord } from "./account-on-record.js";
import { type Gathered, gather, type IssuerMemory, type IssuerTools, prepare } from "./gather.js";
import { type Action, type Plan, plan } from "./plan.js";

const REMOVALS: ReadonlySet<Action["do"]> = new Set(["remove-firewall", "remove-additional", "clean-firewall"]);

export function createIssuerController(tools: IssuerTools): KindController<RoutedIPIssuer> {
  return new KindController(tools.routing.context, kindOf(tools));
}

function kindOf(tools: IssuerTools): Kind<RoutedIPIssuer> {
  const { routing, accounts } = tools;
  return {
    names: {
      kind: "RoutedIPIssuer",
      plural: "routedipissuers",
      controller: "routed-ip-issuer",
      finalizer: routing.inUseFinalizers.own,
    },
    readyWhen: routedIPIssuerKind.readyWhen,
    source: namespacedSource(routing.issuers, routing.issuerWriters),
    read: readObject,
    remember: () => ({ firewall: undefined }),
    forget: ({ key }) => {
      routing.firewalls.noteAdditional(key, []);
      // RoutedIPs that still name the issuer go on with its last good credentials.
      return routing.usersOfIssuer(key).length > 0 ? undefined : accounts.forget(key);
    },
    prepare: (state, contextOf) => prepare(tools, state, contextOf),
    gather: (state, issuer) => gather(tools, state, issuer),
    plan: ({ snapshot }) => plan(snapshot),
    actions: ACTIONS,
    status: ({ snapshot }, { retryAt }) => {
      const { issuer, finalizers, now } = snapshot;
      const { metadata, status } = issuer;
      const isOthers = isLeftToOthers(metadata, finalizers) && !isLeftStale({ metadata, ...status }, now);
      return isOthers ? undefined : { account: accountOnRecord(snapshot), retryAt };
    },
    recheckOf: (state, { do: verb }) =>
      verb === "remove-firewall" || verb === "clean-firewall" ? recheckOf(() => basisOf(tools, state)) : undefined,
    priorityOf: ({ do: verb }) => (REMOVALS.has(verb) ? "records" : undefined),
    accountOf: ({ access }) => access.account,
    // Its cleanup begins when the last RoutedIP is gone.
    isCleaningUp: ({ key }) => routing.usersOfIssuer(key).length === 0,
    events: (_gathered, _plan, result) => eventsOf(result),
    statusEvents: conditionEvents,
    statusRules: { optionalFields: ["account"] },
    priority: "check",
    workers: 2,
  };
}

function basisOf({ routing }: IssuerTools, state: ResourceState<RoutedIPIssuer>): Basis {
  const users = routing.usersOfIssuer(state.key);
  const uids = users.flatMap((user) => routing.routed.get(user)?.metadata.uid ?? []);
  const { metadata } = state.object() ?? {};
  const others = metadata === undefined ? [] : othersUsing(metadata, routing.inUseFinalizers);
  return {
    ...objectBasis(metadata),
    "the number of its RoutedIPs": users.length,
    "the machines that they need": JSON.stringify([...(routing.firewalls.machinesNeeded(uids) ?? [])].sort()),
    "the installations that use it": others.join(),
  };
}

function readObject(object: IssuerObject) {
  const read = readIssuer(object);
  if (read === undefined) throw new Error("a RoutedIPIssuer that is there could not be read");
  return read;
}

function eventsOf({ results }: SequenceResult<Action>): SequenceEvents {
  return { now: results.flatMap((result) => eventOf(result) ?? []) };
}

function eventOf({ action, outcome }: ActionResult<Action>): EventMessage | undefined {
  if (action.do === "remove-finalizer" && outcome.is === "done") return abandoned(action.abandonedItems, action.why);
  if (action.do === "remove-firewall" && outcome.is === "done")
    return eventMessages.firewallDeleted({ name: action.firewall.name, why: action.why });
  if (!REMOVALS.has(action.do) || outcome.is !== "refused") return undefined;
  return failedEvent(["FirewallFailed", "Check"], outcome.failure.problem);
}

/** The types of this kind, for the engine. */
export interface RoutedIPIssuer {
  readonly object: IssuerObject;
  readonly resource: IssuerRead;
  readonly snapshot: Gathered;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: IssuerMemory;
}

const ACTIONS: ActionTable<RoutedIPIssuer> = {
  "add-finalizer": async ({ state, snapshot: { snapshot } }) => {
    await state.write({ patch: (object) => inUsePatch(object, snapshot.finalizers, true) });
    return DONE;
  },
  "remove-finalizer": async ({ state, snapshot: { snapshot } }) => {
    const { issuer, finalizers } = snapshot;
    await state.write({ patch: (object) => leavePatch(object, finalizers, issuer.metadata) });
    return DONE;
  },
  "record-firewall": async ({ state }, { name, created }) => {
    const recorded = (status = {}) =>
      created === undefined ? withoutCreated(status, name) : withCreated(status, created);
    const patch = (object: RoutedIPIssuer["object"]) => statusPatch(object, recorded(object.status));
    await state.write({ patch, subresource: "status", fact: true });
    return DONE;
  },
  "remove-additional": async ({ snapshot: { access }, context }, { firewall }) => {
    const shared = access.additional?.find(({ name }) => name === baseName(firewall.name));
    const { account } = access;
    const provider = access.answer.account?.providers.firewalls;
    if (provider === undefined || shared === undefined) return skipped("the account of the firewall is not known");
    const isGone = await shared.removeAdditional({ provider, context, ...(account && { account }) }, firewall);
    return isGone ? DONE : { is: "superseded", because: "a node has joined it meanwhile" };
  },
  "clean-firewall": async ({ state, snapshot, context }, { retained }) => {
    const { access, snapshot: seen } = snapshot;
    const { account } = access;
    const provider = access.answer.account?.providers.firewalls;
    const shared = access.retained.find(({ name }) => name === retained.name);
    if (provider === undefined || shared === undefined) return skipped("the account of the firewall is not known");
    const caller = { provider, context, ...(account && { account }) };
    const { machines = new Set() } = seen;
    const kept = await removeParts(shared, caller, { retained, machines, uid: state.ref.uid });
    if (kept === "unknown") return { is: "superseded", because: "the firewall has changed meanwhile" };
    const patch = (object: RoutedIPIssuer["object"]) => statusPatch(object, recordParts(object.status, retained, kept));
    await state.write({ patch, subresource: "status", fact: true });
    state.memory.partsCleanedAt = snapshot.clock.monotonic();
    return DONE;
  },
  "record-additional": async ({ state }, { name, id }) => {
    const patch = (object: RoutedIPIssuer["object"]) => statusPatch(object, recordAdditional(object.status, name, id));
    await state.write({ patch, subresource: "status", fact: true });
    return DONE;
  },
  "remove-firewall": async ({ snapshot: { access }, context }, { firewall }) => {
    const provider = access.answer.account?.providers.firewalls;
    const shared = [access.firewall, ...access.former].find((each) => each?.name === firewall.name);
    if (provider === undefined || shared === undefined) return skipped("the account of the firewall is not known");
    const { account } = access;
    const isGone = await shared.remove({ provider, context, ...(account && { account }) }, firewall);
    return isGone ? DONE : { is: "superseded", because: "it is not empty, or not known, any more" };
  },
};

/** Parts that came onto the record meanwhile stay there. */
function recordParts(
  { retainedFirewalls = [] }: RoutedIPIssuerStatus = {},
  cleaned: PreviousFirewall,
  kept?: PreviousFirewall,
) {
  const all = retainedFirewalls.flatMap((each) => (jsonEqual(each, cleaned) ? (kept ?? []) : [each]));
  return { retainedFirewalls: all.length === 0 ? undefined : all };
}

function recordAdditional({ additionalFirewalls = [] }: RoutedIPIssuerStatus = {}, name: string, id?: string) {
  const changed = additionalFirewalls.flatMap((each) => {
    if (each.name !== name) return [each];
    return id === undefined ? [] : [{ ...each, id }];
  });
  return { additionalFirewalls: changed.length === 0 ? undefined : changed };
}
