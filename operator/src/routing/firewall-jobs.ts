/** The firewall Jobs of classes: one for a class at a time, always with the full set of its rules. */

import { parsePortRange } from "cdk8s-flipop/api";
import type { JobVariables } from "../jobs/job.js";
import { decideJob } from "../jobs/job-decision.js";
import type { FoundJob } from "../jobs/job-service.js";
import { type FirewallNeed, firewallOrders, firewallVariables } from "../jobs/variables.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import type { RetryState } from "../reconcile/retries/retry-schedule.js";
import type { ClassRules } from "./resolved-class.js";
import type { RoutedIP } from "./resource.js";

/** Whether the firewall is as all RoutedIPs of the class need it. */
export type FirewallState =
  | "done"
  | "pending"
  /** `retryAt`: when the next Job starts, ms since the epoch. */
  | { readonly failure: Problem; readonly retryAt?: number };

const UNKNOWN = "unknown";

interface ClassState {
  /** The input of the last successful Job; unknown as soon as another one starts. */
  applied: string;
  wanted: string;
  failure?: Problem | undefined;
  retry?: RetryState | undefined;
}

export class FirewallJobs {
  private readonly classes = new Map<string, ClassState>();

  /** As the class's members need it now. */
  of(name: string, members: readonly RoutedIP[], resolvedClass: ClassRules): FirewallState {
    const { applied, wanted, failure, retry } = this.evaluate(name, members, resolvedClass);
    if (applied === wanted) return "done";
    return failure === undefined ? "pending" : { failure, ...(retry && { retryAt: retry.retryAt }) };
  }

  /** What to do about the Job. */
  decide(name: string, members: readonly RoutedIP[], { resolvedClass, job, now }: FirewallScene) {
    const { applied, wanted, retry } = this.evaluate(name, members, resolvedClass);
    const open = applied === wanted ? undefined : { FIREWALL_RULES: wanted };
    return decideJob({ wanted: open, now, ...(job && { job }), ...(retry && { retry }) });
  }

  private evaluate(name: string, members: readonly RoutedIP[], resolvedClass: ClassRules): ClassState {
    const wanted = firewallVariables(firewallOrders(needsOf(members, resolvedClass)))["FIREWALL_RULES"] ?? "";
    // A new process: what the members say was done is done.
    const state = this.classes.get(name) ?? { applied: isDone(members) ? wanted : UNKNOWN, wanted };
    this.classes.set(name, state);
    state.wanted = wanted;
    return state;
  }

  /** The open ports are unknown from here on, until a Job succeeds. */
  started(name: string): void {
    const state = this.classes.get(name);
    if (state !== undefined) state.applied = UNKNOWN;
  }

  succeeded(name: string, variables: JobVariables): void {
    const state = this.classes.get(name);
    if (state === undefined) return;
    state.applied = variables["FIREWALL_RULES"] ?? "";
    state.failure = undefined;
    state.retry = undefined;
  }

  /** It concerns all: a Job has the full set of rules, and does not say which of them it has got to. */
  failed(name: string, { reason, message }: Problem, retry?: RetryState): void {
    const state = this.classes.get(name);
    if (state === undefined) return;
    const whose = `class ${name} has one firewall Job for all of its RoutedIPs`;
    state.failure = { reason, message: `${whose}: ${message}` };
    state.retry = retry ?? state.retry;
  }

  drop(name: string): void {
    this.classes.delete(name);
  }
}

export interface FirewallScene {
  readonly resolvedClass: ClassRules;
  readonly job?: FoundJob;
  /** ms since the epoch. */
  readonly now: number;
}

/** Ports in the NodePort range need no rule; one that goes, or has no node yet, needs nothing. */
function needsOf(members: readonly RoutedIP[], { nodePortRange }: ClassRules): readonly FirewallNeed[] {
  const range = parsePortRange(nodePortRange);
  const isOpen = (port: number) => range !== undefined && port >= range.from && port <= range.to;
  return members.flatMap(({ metadata, status }): readonly FirewallNeed[] => {
    const { assignedNode, providerID, ports = [] } = status;
    if (metadata.deletionTimestamp !== undefined || assignedNode === undefined || providerID === undefined) return [];
    const nodes = [{ name: assignedNode, providerID }];
    return [{ ports: ports.filter(({ port }) => !isOpen(port)), nodes }];
  });
}

function isDone(members: readonly RoutedIP[]): boolean {
  return members.every(({ metadata, status }) => {
    const ready = status.conditions?.some(({ type, status: state }) => type === "FirewallReady" && state === "True");
    return metadata.deletionTimestamp === undefined && (ready === true || status.providerID === undefined);
  });
}
