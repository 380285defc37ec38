/** RoutedIPs: the kind that the engine runs, and the changes in the cluster that enqueue a RoutedIP. */

import { Finalizer, routedIPKind } from "cdk8s-flipop/api";
import { retainedEvents } from "../../addresses/retained-events.js";
import { routedIpClaims } from "../../claims/read-claims.js";
import type { StoreEvent } from "../../kube/cache/store.js";
import { keyOf } from "../../kube/objects.js";
import type { EventMessage } from "../../messages/message.js";
import { forgetRouted } from "../../metrics/definitions.js";
import { publishToOf } from "../../publishing/published-addresses.js";
import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { namespacedSource } from "../../reconcile/resource-source.js";
import { dropsIntents } from "../../reconcile/write-status.js";
import { nodesOfSlices, type SliceFacts } from "../../routing/endpoint-workload.js";
import { type RoutedIP, type RoutedRead, readRouted } from "../../routing/read-resources.js";
import type { Drainable } from "../../runtime/manager.js";
import type { Stop } from "../../runtime/stop-switch.js";
import { omitUndefined } from "../../values.js";
import { type ControllerContext, forgetInRegistries } from "../context.js";
import { accountOf, actions, priorityOf, recheckOf } from "./action-table.js";
import { createdIp } from "./address/address-set.js";
import { takeOverFor } from "./address/take-over.js";
import { inAccounts, isUnnamed, isUnserved } from "./claim-permissions.js";
import { eventsOf, portsChanged, samplesOf, warningsOf } from "./events.js";
import { type GatherTools, gather, prepare, readAgainMs } from "./gather.js";
import { KIND, newMemory, PLURAL, type RoutedKind, type RoutedMemory, type RoutedState, readOf } from "./memory.js";
import { noteCreation } from "./object-calls.js";
import { recordOutcome, targetOf } from "./record-outcome.js";
import { probeOnStandby, registerDecision, reserve } from "./register-decision.js";
import { ServiceFollower } from "./service-follower.js";
import type { Gathered } from "./snapshot.js";
import { planOf, type RoutedPlan } from "./update/sequences.js";

export class RoutedIPs {
  readonly controller: Drainable;
  private readonly kinds: KindController<RoutedKind>;
  private readonly ends: readonly (() => void)[];

  /** @param onUse an issuer or a class has come into use, or is no longer used. */
  constructor(tools: GatherTools, onUse: () => void) {
    const { routing } = tools;
    const { context } = routing;
    this.kinds = new KindController(context, kindOf(tools, onUse));
    context.marks.serve(KIND, routing.routed);
    this.controller = this.kinds;
    this.ends = [
      context.records.zones.listen(() => this.kinds.seeAll()),
      ...routing.services.map(({ store }) => store.listen(({ object }) => this.serviceChanged(keyOf(object)))),
      ...routing.slices.map(({ store }) => store.listen((event) => this.slicesChanged(event))),
      context.watches.nodes().store.listen((event) => {
        routing.taints.indexResource(event.object, event.type === "deleted");
      }),
    ];
    for (const node of context.watches.nodes().store.list()) routing.taints.indexResource(node, false);
  }

  /** What the RoutedIPs cannot do until an administrator grants a right or a feature. */
  degradedReason(): string | undefined {
    return this.kinds.degradedReason();
  }

  /** An issuer, a class or a Secret has changed: all that may use it run again. */
  requeue(): void {
    // What lacked a token may have it now.
    for (const { retries } of this.kinds.all()) for (const reason of LACKED_TOKEN) retries.retryFixed(reason);
    this.kinds.seeAll();
    this.kinds.enqueueAll();
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.kinds.close();
  }

  private serviceChanged(service: string): void {
    for (const state of this.following(service)) {
      state.memory.follower.serviceChanged();
      state.enqueue();
    }
  }

  private slicesChanged(event: StoreEvent<SliceFacts>): void {
    const before = event.type === "updated" ? event.old : undefined;
    const nodes = nodesOfSlices(event.object, before);
    // A slice may have left another Service.
    const services = new Set([event.object.service, ...(before === undefined ? [] : [before.service])]);
    for (const state of [...services].flatMap((service) => this.following(service))) {
      state.memory.follower.endpointsChanged(nodes);
      state.enqueue();
    }
  }

  private following(service: string): readonly RoutedState[] {
    return this.kinds.all().filter(({ memory }) => memory.follower.service === service);
  }
}

/** What stays of a RoutedIP that is gone. */
function retainedBy(context: ControllerContext, routed: RoutedIP, cleanedUp: boolean): readonly EventMessage[] {
  const { addresses } = routedIpClaims(routed, {});
  return retainedEvents(context, { ...routed, addresses, field: "routedIP", cleanedUp });
}

function kindOf(tools: GatherTools, onUse: () => void): Kind<RoutedKind> {
  const { routing } = tools;
  const { context } = routing;
  return {
    names: { kind: KIND, plural: PLURAL, controller: "routed-ip", finalizer: Finalizer.cleanup },
    readyWhen: routedIPKind.readyWhen,
    source: namespacedSource(routing.routed, routing.routed.writers(context)),
    read: readRouted,
    paused: pausedBy,
    remember: (state) => remember(tools, state, onUse),
    registerVersion: (state) => seen(tools, state, onUse),
    forget: (state) => forget(tools, state, onUse),
    retained: (object, cleanedUp) => retainedBy(context, readRouted(object).routed, cleanedUp),
    close: ({ memory }) => close(memory),
    mayRun: ({ ref }) => context.claims.areAddressesDecided(ref.uid),
    prepare: (state, why) => claimAndPrepare(tools, state, why),
    gather: (state, read) => gather(tools, state, read),
    plan: planWithDeletion,
    register: (state, gathered, plan) => registerDecision(tools, state, gathered, plan),
    reserve: (state, gathered, sequence) => reserve(tools, state, gathered, sequence),
    actions: actions(tools),
    recheckOf: (state, action, decision) => recheckOf(tools, state, action, decision),
    priorityOf,
    targetOf,
    hasAddress: (gathered, ip) => gathered.by === "issuer" && gathered.account?.inventory?.view().get(ip) !== undefined,
    nodeOf: ({ snapshot }, machine) => snapshot.verdictOf(machine)?.node.name,
    accountOf: (gathered, action) => accountOf(tools, gathered, action),
    recordOutcome: (state, gathered, result) => recordOutcome(tools, state, gathered, result),
    readAgainMs: (state, gathered) => readAgainMs(context.clock, state, gathered),
    events: ({ snapshot }, _plan, result) => eventsOf(snapshot, result),
    statusEvents: warningsOf,
    statusChanges: (_state, before, written) => portsChanged(before, written),
    status: (_gathered, { status }) => status,
    metrics: ({ memory }, gathered, plan) => samplesOf(context, memory, gathered, plan),
    pendingWarnings: { forbidden: ROLE_TEXT, olderCrd: CRD_TEXT },
    pendingWarningOf: (state) => (dropsIntents(state, context.clock.monotonic()) ? CRD_TEXT : undefined),
    workers: 16,
  };
}

/** A class, an issuer or a Service that it needs may have come or gone since the last run. */
async function claimAndPrepare(
  tools: GatherTools,
  state: RoutedState,
  why: Parameters<typeof prepare>[2],
): Promise<void> {
  claim(tools, state);
  await prepare(tools, state, why);
  // The account may be known only now.
  claim(tools, state);
}

function planWithDeletion(gathered: Gathered): RoutedPlan {
  const made = planOf(gathered);
  return { ...made, ...omitUndefined({ deletion: made.decision.deletion }) };
}

function pausedBy({ routed, ...read }: RoutedRead, stop: Stop): RoutedRead {
  return { ...read, routed: { ...routed, spec: { ...routed.spec, paused: true }, stop } };
}

function remember(tools: GatherTools, state: RoutedState, onUse: () => void): RoutedMemory {
  const { routing, jobs } = tools;
  const { uid } = state.ref;
  const onChange = () => {
    state.enqueue();
    probeOnStandby(tools, state);
  };
  onUse();
  routing.context.heirs.set(
    uid,
    takeOverFor(routing, state, () => claim(tools, state)),
  );
  routing.taints.expect(uid, state.read()?.routed.status.assignedNode);
  const health = routing.context.health?.resource((node) => {
    follower.index?.nodeChecked(node);
    onChange();
  });
  const probes = health && { probes: health };
  // No inventory shows where the addresses of classes with Jobs are: a taint that goes may mean that a node has room.
  const mindsTaintsOn = (node: string) => jobs?.aims.has(uid) === true || routing.taints.concerns(uid, node);
  const follower: ServiceFollower = new ServiceFollower({
    ...{ routing, key: state.key, mindsTaintsOn, onChange },
    ...probes,
  });
  return newMemory(follower, () => claim(tools, state), health);
}

/** A newer version: what it claims counts from here on. */
function seen(tools: GatherTools, state: RoutedState, onUse: () => void): void {
  // A deleted issuer or class shows which of its RoutedIPs are being deleted, too.
  if (state.read()?.routed.spec.className !== undefined || state.isDeleting()) onUse();
  claim(tools, state);
  probeOnStandby(tools, state);
}

function claim(tools: GatherTools, state: RoutedState): void {
  const { routing } = tools;
  const { claims, created, records, publications } = routing.context;
  const read: RoutedRead | undefined = readOf(state);
  if (read === undefined) return;
  state.memory.follower.follow(read.routed);
  const provider = routing.providerOf(read.routed);
  const unserved = isUnserved(routing, state, read);
  const unnamed = isUnnamed(tools, read.routed);
  // The limits are those of the operator's accounts: addresses that Jobs create are in none of them.
  const createdAddress = routing.worksByJobs(read.routed) ? undefined : createdIp(read.routed);
  created.put(state.ref, createdAddress === undefined ? [] : [createdAddress]);
  publications?.claim(state.ref, state.createdAt, publishToOf(read.routed));
  const claimant = routedIpClaims(read.routed, { provider, unserved, unnamed }, records.zones.lookUp);
  claims.put(inAccounts(tools, read.routed, claimant));
  noteCreation(routing, state);
}

function forget({ routing, jobs }: GatherTools, { ref, memory }: RoutedState, onUse: () => void): Promise<void> {
  const { metrics } = routing.context;
  forgetInRegistries(routing.context, ref.uid);
  memory.account?.forget(ref);
  routing.firewalls.drop(ref.uid);
  routing.taints.drop(ref.uid);
  jobs?.aims.drop(ref.uid);
  onUse();
  return forgetRouted(metrics, ref.namespace, ref.name);
}

async function close({ follower, health, reservation, stateSeries: states }: RoutedMemory): Promise<void> {
  reservation?.release();
  health?.close();
  states.clear();
  await follower.close();
}

const LACKED_TOKEN = ["UnknownProvider", "SecretNotFound", "NamespaceNotAllowed"] as const;
const CRD_TEXT =
  "CRD too old: the API server drops fields of RoutedIP, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of routedips or routedips/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
