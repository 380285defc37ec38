/** All record sets of nodes: one run for each key, which looks, decides, acts and tells, until nothing is left to do. */

import { MAX_ITERATIONS, RECORDS_BATCH_MS, RECORDS_REFUSED_MS } from "../../bounds.js";
import type { WholeObject } from "../../kube/slim.js";
import type { StoreEvent } from "../../kube/store.js";
import { Controller, type Run } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { nextAttempt } from "../cleanup.js";
import { conditionSamples } from "../condition-metrics.js";
import type { ControllerContext, ControllerFactory, ControllerParts } from "../context.js";
import { OwnResources } from "../own-resources.js";
import type { DnsAction } from "../records/actions.js";
import { DnsDesk, dnsOfRegistry } from "../records/dns-desk.js";
import { supersededRecords } from "../records/recheck.js";
import { resultOfError } from "../run-failure.js";
import { regardingOf, type Telling } from "../telling.js";
import { Units } from "../units.js";
import { isDeleting } from "./deletion.js";
import { execute, type Step } from "./execute.js";
import { type Gathered, gather } from "./gather.js";
import { samplesOf } from "./metrics.js";
import { type Plan, plan } from "./plan.js";
import { claimsOf, PLURAL, type RecordSetObject } from "./resource.js";
import { statusWish, tellingsOf, turnsOf, withoutRepeats } from "./status.js";
import { RecordSetUnit } from "./unit.js";
import { writeStatus } from "./write-status.js";

const NAME = "node-dns-record-set";
/** Runs of different sets at once: most of the time of one is spent waiting for the DNS provider. */
const WORKERS = 8;

interface Turn extends Gathered {
  readonly plan: Plan;
}

/** What was done in a run, and the plan that is left. */
interface Settled {
  readonly turn: Turn;
  readonly steps: readonly Step[];
}

export const createNodeDNSRecordSetController: ControllerFactory = (context) => new RecordSets(context).parts();

class RecordSets {
  private readonly units: Units<RecordSetUnit, RecordSetObject>;
  private readonly resources: OwnResources<RecordSetObject>;
  private readonly desk: DnsDesk;
  private readonly controller: Controller;
  private readonly ends: (() => void)[];
  private logged: string | undefined;

  constructor(private readonly context: ControllerContext) {
    const { clock, random, logger, watches, settings, records, providers, runtime } = context;
    this.desk = new DnsDesk({ records, dnsOf: dnsOfRegistry(providers) });
    this.units = new Units({
      logger,
      make: (key, object) => this.make(key, object),
      forget: ({ ref }) => context.claims.drop(ref.uid),
    });
    this.controller = new Controller({
      name: NAME,
      reconcile: (key, run) => this.reconcile(key, run),
      keys: () => this.units.keys(),
      workers: WORKERS,
      resyncMs: settings.resyncMs,
      ...{ clock, random, logger },
      metrics: { queue: runtime.queue, controller: runtime.controller },
    });
    this.resources = new OwnResources(watches, PLURAL, settings.watchNamespaces);
    this.ends = [
      this.resources.listen((event) => this.changed(event)),
      context.news.listen((uids) => this.heard(uids)),
      records.zones.listen(() => this.claimAll()),
    ];
  }

  parts(): ControllerParts {
    return {
      controllers: [this.controller],
      caches: this.resources.parts,
      checks: new Map([["node-dns-record-sets", () => this.trouble()]]),
      close: async () => {
        for (const end of this.ends) end();
        await this.units.close();
      },
    };
  }

  /** What the record sets can't do for want of a right. */
  private trouble(): string | undefined {
    return [...this.units.all()].some(({ writer }) => writer.forbidden) ? ROLE_TEXT : undefined;
  }

  /** Once for each trouble: the refusals of the single writes are in the log anyway. */
  private logTrouble(): void {
    const trouble = this.trouble();
    if (trouble !== undefined && trouble !== this.logged) {
      this.context.logger.error({ trouble }, "record sets are served in part only");
    }
    this.logged = trouble;
  }

  private changed(event: StoreEvent<WholeObject<RecordSetObject>>): void {
    const unit = this.units.follow(event);
    if (unit === undefined) return;
    this.claim(unit);
    this.controller.add(unit.key);
  }

  private make(key: string, object: RecordSetObject): RecordSetUnit {
    const cached = () => this.resources.get(key);
    const onChange = () => this.controller.addAfter(key, RECORDS_BATCH_MS);
    const onWrite = (written: RecordSetObject) => this.resources.wrote(written);
    return new RecordSetUnit({ context: this.context, cached, onChange, onWrite }, object);
  }

  /** The match is followed from the first moment on, so that its pods are there when this process leads. */
  private claim(unit: RecordSetUnit): void {
    const read = unit.read();
    if (read === undefined) return;
    unit.follow(read);
    this.context.claims.put(claimsOf(read.resource, this.context.records.zones.lookUp));
  }

  private claimAll(): void {
    for (const unit of this.units.all()) this.claim(unit);
  }

  private heard(uids: readonly string[]): void {
    for (const uid of uids) {
      const unit = this.units.withUid(uid);
      if (unit !== undefined) this.controller.add(unit.key);
    }
  }

  private async reconcile(key: string, run: Run): Promise<Result> {
    const unit = this.units.get(key);
    if (unit === undefined) return done;
    try {
      const settled = await this.settle(unit, run);
      return settled === undefined ? done : await this.tell(unit, settled, run);
    } catch (error) {
      return resultOfError(error);
    } finally {
      this.logTrouble();
    }
  }

  /** Looks, decides and acts, until there is nothing to do or something is in the way. */
  private async settle(unit: RecordSetUnit, run: Run): Promise<Settled | undefined> {
    const steps: Step[] = [];
    for (let round = 0; ; round++) {
      const turn = this.look(unit);
      if (turn === undefined) return undefined;
      const { chain, sentence } = turn.plan;
      this.context.dryRunPlans?.show(unit.ref, { explanation: sentence, actions: chain });
      if (chain.length === 0 || steps.some(({ outcome }) => outcome.is !== "done")) return { turn, steps };
      if (round === MAX_ITERATIONS) throw new Error(`record set ${unit.key} does not come to rest: ${chain[0]?.why}`);
      const superseded = (action: DnsAction) => supersededRecords(this.look(unit)?.plan.chain, action);
      const tools = { desk: this.desk, unit, dns: turn.dns, plan: turn.plan, signal: run.signal, superseded };
      const ended = await execute(tools, chain);
      steps.push(...ended);
      this.record(unit, turn, { ended, run });
    }
  }

  private look(unit: RecordSetUnit): Turn | undefined {
    const read = unit.read();
    if (read === undefined) return undefined;
    unit.follow(read);
    const gathered = gather({ context: this.context, desk: this.desk }, unit, read);
    return { ...gathered, plan: plan(gathered.snapshot) };
  }

  /** What was done is told at once, also where a later step ends the process. */
  private record(
    unit: RecordSetUnit,
    { snapshot, plan: made }: Turn,
    { ended, run }: { readonly ended: readonly Step[]; readonly run: Run },
  ): void {
    for (const telling of tellingsOf(ended, made.sentence)) {
      this.event(unit, telling);
      run.logger.info({ note: telling.note, reason: telling.reason }, "record set changed");
    }
    const refused = ended.find(({ outcome }) => outcome.is === "refused")?.outcome;
    if (refused?.is === "refused") run.logger.warn({ problem: refused.problem }, "record set can't be changed now");
    if (isDeleting(snapshot.resource) && ended.at(-1)?.outcome.is !== "done") {
      unit.cleanup = nextAttempt(unit.cleanup, snapshot.now);
    }
  }

  private async tell(unit: RecordSetUnit, { turn, steps }: Settled, { signal }: Run): Promise<Result> {
    const { snapshot, plan: made } = turn;
    this.show(unit, turn);
    const wish = statusWish(snapshot, made);
    const gone = steps.some(({ action, outcome }) => action.do === "remove-finalizer" && outcome.is === "done");
    if (wish === undefined || (gone && isDeleting(snapshot.resource))) return done;
    const tellings = withoutRepeats(turnsOf(snapshot.resource.status.conditions, made.conditions));
    const known = unit.droppedAt !== undefined;
    const kept = await writeStatus(unit, { wish, now: snapshot.now, signal });
    for (const telling of tellings) this.event(unit, telling);
    if (kept === "old CRD" && !known) this.event(unit, OLD_CRD);
    this.claim(unit);
    return this.next(turn, steps);
  }

  private show(unit: RecordSetUnit, { snapshot, plan: made }: Turn): void {
    const { metrics, records } = this.context;
    const own = samplesOf({ metrics, zones: records.zones.lookUp }, unit.ref, snapshot, made);
    unit.series.show([...own, ...conditionSamples(metrics, unit.ref, made.conditions)]);
  }

  private next({ plan: { lookAgainAt } }: Turn, steps: readonly Step[]): Result {
    if (steps.some(({ outcome }) => outcome.is === "superseded")) return requeueAfter(0);
    if (lookAgainAt !== undefined) return requeueAfter(Math.max(0, lookAgainAt - this.context.clock.now()));
    return steps.some(({ outcome }) => outcome.is === "refused") ? requeueAfter(RECORDS_REFUSED_MS) : done;
  }

  private event({ ref }: RecordSetUnit, telling: Telling): void {
    this.context.events.record({ regarding: regardingOf(ref), ...telling });
  }
}

const ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodednsrecordsets or nodednsrecordsets/status to this ServiceAccount, so no status and no finalizer is written; apply the roles of this release";

const OLD_CRD: Telling = {
  type: "Warning",
  reason: "CRDTooOld",
  action: "WriteStatus",
  note: "the API server drops most of the status: apply the CRDs of this release; the records are still written",
};
