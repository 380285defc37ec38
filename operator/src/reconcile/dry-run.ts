/** A run that changes nothing in the cluster: reads pass, writes end in DryRunError, and each resource's plan is logged. */

import type { Clock, Timer } from "../clock.js";
import type { KubeClient } from "../kube/client.js";
import type { EventRecorder } from "../kube/write/events.js";
import type { Logger } from "../logging.js";
import type { Requester } from "../providers/call.js";
import { DryRunError } from "../providers/errors.js";
import { DRY_RUN_PLAN_MS } from "../timings.js";
import type { PlannedCondition } from "./conditions.js";
import type { Action, ActionSequence } from "./plan.js";

export function dryRunClient(client: KubeClient, logger: Logger): KubeClient {
  return {
    request: (request) => {
      if (request.method === "GET") return client.request(request);
      const { method, path, body } = request;
      logger.debug({ method, path, body }, "dry run: not sent");
      return Promise.reject(new DryRunError(`dry run: not sent: ${method} ${path}`));
    },
    open: (request) => client.open(request),
  };
}

export function dryRunEvents(logger: Logger): EventRecorder {
  return { record: (input) => logger.debug({ event: input }, "dry run: no Event") };
}

/** What a dry run shows of a plan. */
export interface ShownPlan {
  /** Empty: the actions say it all. */
  readonly explanation: string;
  readonly actions: readonly PlannedAction[];
}

interface PlannedAction {
  readonly do: string;
  readonly why: string;
}

/** What a run of a resource ended with. */
export interface EndedRun {
  readonly conditions: readonly PlannedCondition[];
  /** Reads still run: another run follows. */
  readonly reading: boolean;
}

/** Who shows the plans of a dry run. */
export interface PlanViewer {
  show(resource: Requester, plan: ShownPlan): void;
  /** @default ignored */
  ended?(resource: Requester, run: EndedRun): void;
  /** Shows what still waits for more. */
  close(): void;
}

/** Logs each change of the plan of each resource, one line each, once. */
export class DryRunPlans implements PlanViewer {
  /** Keys of the actions last logged, by resource. */
  private readonly logged = new Map<string, ReadonlySet<string>>();
  private readonly pending = new Map<string, PendingPlan>();

  constructor(
    private readonly clock: Pick<Clock, "setTimer">,
    private readonly logger: Logger,
  ) {}

  show({ kind, namespace, name }: Requester, { explanation, actions }: ShownPlan): void {
    const resource = [kind, namespace, name].filter((part) => part !== "").join("/");
    const withheld = actions.filter((action) => !isRead(action));
    if (withheld.length > 0) this.logger.debug({ resource, actions: withheld }, "dry run: not started");
    const changes = new Map(
      withheld.map(({ do: verb, why }) => `${verb}: ${why}`).map((text) => [withoutTimes(text), text]),
    );
    const pending = this.pending.get(resource);
    if (pending === undefined && this.isLogged(resource, changes)) return;
    const timer = pending?.timer ?? this.clock.setTimer(DRY_RUN_PLAN_MS, () => this.log(resource));
    this.pending.set(resource, { changes, explanation, timer });
  }

  close(): void {
    for (const [resource, { timer }] of this.pending) {
      timer.cancel();
      this.log(resource);
    }
  }

  private log(resource: string): void {
    const plan = this.pending.get(resource);
    if (plan === undefined) return;
    const { changes, explanation } = plan;
    this.pending.delete(resource);
    if (this.isLogged(resource, changes)) return;
    const known = this.logged.get(resource);
    this.logged.set(resource, new Set(changes.keys()));
    for (const [key, change] of changes) {
      if (known?.has(key) === true) continue;
      this.logger.info({ resource, change, ...(explanation !== "" && { plan: explanation }) }, "dry run: plan");
    }
  }

  private isLogged(resource: string, changes: PendingPlan["changes"]): boolean {
    const logged = this.logged.get(resource);
    return [...changes.keys()].every((change) => logged?.has(change) === true);
  }
}

interface PendingPlan {
  readonly changes: ReadonlyMap<string, string>;
  readonly explanation: string;
  readonly timer: Timer;
}

/**
 * The part of a sequence that a dry run starts: the reads before its first change. A change that begins and is refused
 * would for a moment reserve a node or hold up creations, and other resources would plan with that.
 */
export function readsOf<A extends Action>(sequence: ActionSequence<A>): ActionSequence<A> {
  const first = sequence.steps.findIndex(({ actions }) => !actions.every(isRead));
  return first === -1 ? sequence : { ...sequence, steps: sequence.steps.slice(0, first) };
}

export function isRead(action: Pick<Action, "do">): boolean {
  return READS.has(action.do);
}

const READS: ReadonlySet<string> = new Set(["poll", "read-records", "read-firewall", "try-jobs"]);

/** `NodeNotReady for 12 s` is the same plan a second later. */
function withoutTimes(text: string): string {
  return text.replaceAll(/\d+(\.\d+)? (ms|s|min|h)\b/g, "");
}
