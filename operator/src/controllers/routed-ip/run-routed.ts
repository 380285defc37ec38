/** One run of a RoutedIP: read what is missing; look, decide and act until nothing is left to do; tell. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { LIST_MAX_AGE_SECONDS } from "../../inventory/types.js";
import { statusPatch } from "../../kube/patch.js";
import type { ProviderId } from "../../providers/types.js";
import type { Run } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { DONE } from "../floating-ip-pool/outcomes.js";
import { LISTS_APART_MS } from "../floating-ip-pool/settlement.js";
import { withList } from "../floating-ip-pool/snapshot.js";
import { resultOfError } from "../run-failure.js";
import { hasFinalizer, isDeleting } from "./deletion.js";
import { tellingOf } from "./events.js";
import { type Done, execute } from "./execute.js";
import { addressesOf, creationKey, type Gathered, type GatherTools, gather, groundsOf } from "./gather.js";
import { given } from "./given.js";
import { goalOf, withGoal } from "./goal.js";
import type { JobTools } from "./job-gather.js";
import { endMove, learn } from "./learn.js";
import { count, labelsOf, samplesOf } from "./metrics.js";
import { type Plan, plan } from "./plan.js";
import type { RoutedRead } from "./resource.js";
import { runJobs } from "./run-jobs.js";
import { statusWish, turnedBad } from "./status.js";
import { termsOf } from "./terms.js";
import { callContext } from "./tools.js";
import { KIND, type RoutedUnit } from "./unit.js";

/** Rounds in one run; the next run goes on. */
const ROUNDS = 8;
/** While an action whose end is not known runs. */
const POLL_MS = 1000;

interface Turn {
  readonly gathered: Gathered;
  readonly plan: Plan;
}

export interface RunTools extends GatherTools {
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: JobTools;
}

export async function runRouted(tools: RunTools, unit: RoutedUnit, run: Run): Promise<Result> {
  const read = unit.read();
  if (read === undefined) return done;
  unit.follow(read);
  try {
    const { terms } = termsOf(read.routed, tools.routing.lookUp);
    const byJobs = terms?.by === "jobs" ? tools.jobs : undefined;
    return await (byJobs === undefined ? runIssued(tools, unit, { read, run }) : runJobs(byJobs, unit, run));
  } catch (error) {
    return resultOfError(error);
  }
}

interface Start {
  readonly read: RoutedRead;
  readonly run: Run;
}

async function runIssued(tools: GatherTools, unit: RoutedUnit, { read, run }: Start): Promise<Result> {
  await prepare(tools, unit, read);
  noteCleanup(tools, unit, read);
  const { turn, rest } = await settle(tools, unit, run);
  if (turn === undefined) return done;
  const { context } = tools.routing;
  unit.series.show(samplesOf(context.metrics, labelsOf(context, turn.gathered.snapshot), turn.plan));
  await tell(tools, unit, turn, run);
  return rest ? requeueAfter(0) : next(tools, unit, turn);
}

/** The account's list, and what it lacks. Never rejects for the provider's sake: that is a failure of the account. */
async function prepare(tools: GatherTools, unit: RoutedUnit, read: RoutedRead): Promise<void> {
  const { account } = groundsOf(tools, unit, read);
  if (account === undefined) return;
  const { routed } = read;
  const names = addressesOf(routed);
  account.inventory?.want(unit.ref, names);
  const settling = routed.status.pendingCreation !== undefined;
  await account.refresh(settling ? LISTS_APART_MS / 1000 - 1 : LIST_MAX_AGE_SECONDS, "assignment");
  const { inventory } = account;
  if (inventory === undefined) return;
  unit.inventory = inventory;
  inventory.want(unit.ref, names);
  const view = inventory.view();
  const unseen = names.filter((ip) => view.get(ip) === undefined && !view.isGone(ip));
  const locked = names.filter((ip) => isLocked(view.get(ip)));
  const again = [...unseen, ...locked];
  if (view.complete && again.length > 0)
    await account.read(callContext(unit, "the list does not show it as it is"), again);
  await account.settleDoubts(callContext(unit, "a read contradicted what was done"));
  noteList(tools, unit, settling);
}

/** An action whose id nobody knows: only the address itself shows its end. */
function isLocked(
  address: { readonly action?: { readonly id?: string }; readonly ageSeconds: number } | undefined,
): boolean {
  return address?.action !== undefined && address.action.id === undefined && address.ageSeconds >= 1;
}

/** Remembers each whole list while a creation has no end. */
function noteList({ routing }: GatherTools, unit: RoutedUnit, settling: boolean): void {
  const view = unit.inventory?.view();
  if (!settling || view?.complete !== true) {
    unit.lists = settling ? unit.lists : [];
    return;
  }
  const at = routing.context.clock.now() - view.ageSeconds * 1000;
  const unassigned = [...view.addresses.values()].filter(({ holder }) => holder === undefined).map(({ ip }) => ip);
  const last = unit.lists.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  // The same list again, but for rounding.
  if (at > last + 1) unit.lists = withList(unit.lists, { at, unassigned: new Set(unassigned) });
}

/** Each run is one attempt to clean up. */
function noteCleanup({ routing }: GatherTools, unit: RoutedUnit, { routed }: RoutedRead): void {
  if (!isDeleting(routed) || !hasFinalizer(routed)) return;
  const { attempts, since = routing.context.clock.now() } = unit.cleanup;
  unit.cleanup = { attempts: attempts + 1, since };
}

/** @returns the last look, and whether more is to be done at once. */
async function settle(
  tools: GatherTools,
  unit: RoutedUnit,
  run: Run,
): Promise<{ readonly turn?: Turn; readonly rest: boolean }> {
  for (let round = 0; round < ROUNDS; round++) {
    const turn = look(tools, unit);
    if (turn === undefined) return { rest: false };
    noteArrival(tools, unit, turn);
    reserve(tools, unit, turn);
    const { move } = unit;
    const ended = await execute({ ...tools, unit, gathered: turn.gathered, signal: run.signal }, turn.plan);
    const ends = ended.map((end) => withGoal(end, move));
    learn(unit, ends, tools.routing.context.clock);
    report(tools, unit, turn, { ends, run });
    if (!ends.some(({ outcome }) => outcome.is !== "skipped")) return last(tools, unit, false);
    if (run.signal.aborted) return last(tools, unit, false);
  }
  return last(tools, unit, true);
}

function last(tools: GatherTools, unit: RoutedUnit, rest: boolean): { readonly turn?: Turn; readonly rest: boolean } {
  const turn = look(tools, unit);
  return turn === undefined ? { rest: false } : { turn, rest };
}

/** In one turn of the process: what is decided is known to all others before they decide. */
function look(tools: GatherTools, unit: RoutedUnit): Turn | undefined {
  const read = unit.read();
  if (read === undefined) return undefined;
  const gathered = gather(tools, unit, read);
  const made = plan(gathered.snapshot);
  const { routing } = tools;
  const { terms } = gathered.snapshot;
  const { ref, createdAt } = unit;
  if (gathered.snapshot.cachesComplete && terms !== undefined)
    routing.taints.need(ref.uid, terms.taint, made.needs.nodes);
  const { wants, nodes } = made.demand;
  routing.context.demands.set(gathered.family, { ref, createdAt, wants, candidates: () => nodes });
  unit.index?.watchHolders(made.needs.machines);
  return { gathered, plan: made };
}

function reserve(tools: GatherTools, unit: RoutedUnit, turn: Turn): void {
  const actions = turn.plan.steps.flatMap((step) => step.actions);
  // A move that was stopped before its call keeps nobody else from the node.
  if (!isMoving(turn.plan) && actions.every((action) => goalOf(action) === undefined)) endMove(unit);
  for (const action of actions) {
    const machine = goalOf(action);
    if (machine !== undefined) book(unit, turn, machine);
    if (action.do === "create-address") announce(tools, unit, turn, machine);
  }
}

function book(unit: RoutedUnit, { gathered }: Turn, machine: ProviderId): void {
  if (unit.reservation?.node === machine) return;
  unit.reservation?.release();
  unit.reservation = gathered.account?.inventory?.reserve(machine, unit.ref);
}

function announce(
  { routing }: GatherTools,
  unit: RoutedUnit,
  { gathered }: Turn,
  machine: ProviderId | undefined,
): void {
  const { snapshot, family, account } = gathered;
  const key = creationKey(unit, { terms: snapshot.terms, family, account });
  routing.context.creations.set({ ...key, ...given({ node: machine }) });
}

/** A move whose end a list or another reading has shown, before anybody asked for its action. */
function noteArrival({ routing: { context } }: GatherTools, unit: RoutedUnit, { gathered: { snapshot } }: Turn): void {
  const { move } = unit;
  const facts = move && snapshot.inventory.get(move.ip);
  if (move === undefined || facts?.holder !== move.node.machine || facts.action !== undefined) return;
  unit.move = undefined;
  const action = { do: "assign", ip: move.ip, node: move.node, why: `${move.ip} is on ${move.node.name}` } as const;
  const end = { action, outcome: DONE };
  count(context.metrics, labelsOf(context, snapshot), end);
  const telling = tellingOf(snapshot, end);
  if (telling !== undefined) context.events.record({ regarding: regarding(unit), ...telling });
}

interface Ended {
  readonly ends: readonly Done[];
  readonly run: Run;
}

function report(
  { routing: { context } }: GatherTools,
  unit: RoutedUnit,
  { gathered, plan: made }: Turn,
  { ends, run }: Ended,
): void {
  if (made.sentence !== "" && ends.length > 0) run.logger.info({ plan: made.sentence }, "plan");
  const labels = labelsOf(context, gathered.snapshot);
  for (const end of ends) {
    count(context.metrics, labels, end);
    const telling = tellingOf(gathered.snapshot, end);
    if (telling !== undefined) context.events.record({ regarding: regarding(unit), ...telling });
    note(run, end);
    const left = leftBehindBy(end);
    if (left.length === 0) continue;
    context.metrics.leftBehind.inc({ kind: KIND, namespace: unit.ref.namespace }, left.length);
    run.logger.error({ leftBehind: left }, "clean-up given up; remove by hand what is left behind");
  }
  if (unit.read()?.routed.status.pendingCreation === undefined) context.creations.end(unit.ref.uid);
}

function note({ logger }: Run, { action, outcome }: Done): void {
  const fields = { action: action.do, why: action.why, outcome };
  if (outcome.is === "refused" || outcome.is === "unknown") logger.warn(fields, "action failed");
  else logger.debug(fields, "action");
}

function leftBehindBy({ action, outcome }: Done): readonly string[] {
  return action.do === "remove-finalizer" && outcome.is === "done" ? action.leftBehind : [];
}

async function tell(
  { routing: { context } }: GatherTools,
  unit: RoutedUnit,
  { gathered, plan: made }: Turn,
  { signal }: Run,
): Promise<void> {
  const { snapshot } = gathered;
  if (!context.leads()) return;
  const wish = statusWish(snapshot, made);
  const { overlay } = unit;
  const before = snapshot.routed.status.conditions;
  await unit.writer.write({ patch: (object) => statusPatch(object, { ...wish }), subresource: "status", signal });
  if (unit.overlay === overlay) unit.overlay = {};
  for (const { type, reason, message } of turnedBad(before, made)) {
    context.events.record({ regarding: regarding(unit), type: "Warning", reason, action: type, note: message });
  }
}

function next({ routing: { context } }: GatherTools, unit: RoutedUnit, { gathered, plan: made }: Turn): Result {
  const now = context.clock.now();
  const at = [made.lookAgainAt, gathered.account?.retryAt, gathered.dns?.snapshot.readAgainAt];
  const waits = [
    ...at.map((time) => (time === undefined ? undefined : time - now)),
    listDueMs(gathered.account),
    gathered.firewall?.view().goodForMs,
    isMoving(made) ? pollMs(unit, context.clock.monotonic()) : undefined,
  ];
  const ahead = waits.filter((ms) => ms !== undefined).map((ms) => Math.max(0, ms));
  return ahead.length === 0 ? done : requeueAfter(Math.min(...ahead));
}

/** One that is just that old still counts: a look at that very moment would come to nothing. */
function listDueMs(account: Gathered["account"]): number | undefined {
  const view = account?.inventory?.view();
  // One that does not answer is read when its next try is due, and no sooner.
  if (view?.complete !== true || account?.failure !== undefined) return undefined;
  return Math.max(0, LIST_MAX_AGE_SECONDS - view.ageSeconds) * 1000 + 1;
}

function isMoving({ status, chains }: Plan): boolean {
  return status.state === "in-progress" || chains.some((chain) => chain[0]?.do === "poll");
}

function pollMs({ poll }: RoutedUnit, monotonic: number): number {
  return poll === undefined ? POLL_MS : Math.max(0, poll.nextAt - monotonic);
}

function regarding({ ref: { kind, namespace, name, uid } }: RoutedUnit) {
  return { apiVersion: GROUP_VERSION, kind, namespace, name, uid };
}
