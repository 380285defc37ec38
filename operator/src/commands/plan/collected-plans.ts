/** The plans of a dry run, by resource, and whether all of them are complete. */

import type { Reason } from "cdk8s-flipop/api";
import type { Requester } from "../../providers/call.js";
import { isBad, type PlannedCondition } from "../../reconcile/conditions.js";
import type { EndedRun, PlanViewer, ShownPlan } from "../../reconcile/dry-run.js";
import { PLAN_QUIET_MS, PLAN_UNOBSERVED_QUIET_MS } from "../../timings.js";
import type { ResourceId } from "./frozen-cluster.js";
import { ofThisCommand } from "./missing-tokens.js";

/** One thing to do, with the fields of its kind. */
export type PlannedAction = ShownPlan["actions"][number] & Readonly<Record<string, unknown>>;

export interface ResourcePlan extends ResourceId {
  /** Empty: the actions say it all. */
  readonly explanation: string;
  readonly actions: readonly PlannedAction[];
  /** Conditions that are bad. */
  readonly problems: readonly PlannedCondition[];
  /** The provider could not be read, so that there may be more to do. */
  readonly incomplete: boolean;
}

export class CollectedPlans implements PlanViewer {
  private readonly shown = new Map<string, ShownPlan>();
  private readonly runs = new Map<string, EndedRun>();
  private changedAt: number;

  constructor(private readonly now: () => number) {
    this.changedAt = now();
  }

  show(resource: Requester, plan: ShownPlan): void {
    this.shown.set(keyOf(resource), plan);
    this.changedAt = this.now();
  }

  ended(resource: Requester, run: EndedRun): void {
    this.runs.set(keyOf(resource), run);
    this.changedAt = this.now();
  }

  close(): void {
    // The command prints the plans.
  }

  /** Resources whose plan is not complete yet. */
  open(resources: readonly ResourceId[]): readonly ResourceId[] {
    return resources.filter((resource) => this.runs.get(keyOf(resource))?.reading !== false);
  }

  /** Whether nothing has changed for so long that nothing more is to come. */
  isQuiet(): boolean {
    const unobserved = [...this.runs.values()].some(({ conditions }) => conditions.some(isUnobserved));
    return this.now() - this.changedAt >= (unobserved ? PLAN_UNOBSERVED_QUIET_MS : PLAN_QUIET_MS);
  }

  /** Sorted; nodes come last, of which only those with something to do appear. */
  all(resources: readonly ResourceId[]): readonly ResourcePlan[] {
    const known = new Set(resources.map(keyOf));
    const others = [...this.shown.keys()].filter((key) => !known.has(key)).map(idOf);
    const sorted = [...resources].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return [...sorted, ...others].map((resource) => this.planOf(resource));
  }

  private planOf({ kind, namespace, name }: ResourceId): ResourcePlan {
    const key = keyOf({ kind, namespace, name });
    const { explanation = "", actions = [] } = this.shown.get(key) ?? {};
    const { conditions = [] } = this.runs.get(key) ?? {};
    return {
      ...{ kind, namespace, name, explanation },
      actions: actions as readonly PlannedAction[],
      problems: conditions.filter(isBad).map(ofThisCommand),
      incomplete: conditions.some(isUnread),
    };
  }
}

/** Records and firewalls may be of another provider than the addresses. */
const UNREAD: ReadonlySet<Reason> = new Set(["ProviderUnavailable", "Unauthorized", "RateLimited", "UnknownProvider"]);

function isUnread({ type, status, reason }: PlannedCondition): boolean {
  if (type === "ProviderReachable") return status !== "True";
  return (type === "DNSReady" || type === "FirewallReady") && status !== "True" && UNREAD.has(reason);
}

function isUnobserved({ status, reason }: PlannedCondition): boolean {
  return status === "Unknown" && reason === "NotObserved";
}

function keyOf({ kind, namespace, name }: ResourceId): string {
  return `${kind}/${namespace}/${name}`;
}

function idOf(key: string): ResourceId {
  const [kind = "", namespace = "", name = ""] = key.split("/");
  return { kind, namespace, name };
}
