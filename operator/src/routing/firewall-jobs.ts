/**
 * The firewall Jobs of classes: one for a class at a time, always with the full set of its rules; the ports that they have
 * opened; and where the addresses of RoutedIPs go by Jobs, which no status says yet.
 */

import type { RoutedPort } from "cdk8s-flipop/api";
import {
  type FirewallNeed,
  type FirewallRuleOrder,
  firewallOrders,
  firewallVariables,
  inputOf,
  type JobNode,
  type JobVariables,
} from "../jobs/job.js";
import { decideJob, type JobObject } from "../jobs/job-decision.js";
import type { FoundJob } from "../jobs/job-service.js";
import { jobMessages } from "../messages/jobs.js";
import type { Problem } from "../messages/message.js";
import type { ProviderId } from "../providers/types.js";
import type { RetryState } from "../reconcile/retries.js";
import { needsRule } from "./needed-ports.js";
import { permittedPorts } from "./port-access.js";
import type { RoutedIP } from "./read-resources.js";
import type { ClassRules } from "./resolved-class.js";

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
  /** What is open for certain, also while a Job runs and after one that failed. */
  open: OpenPorts;
  wanted: string;
  failure?: Problem | undefined;
  retry?: RetryState | undefined;
}

/** Where the addresses go, by uid of the RoutedIP. */
export type AimsOf = (uid: string) => readonly JobNode[];

export class FirewallJobs {
  private readonly classes = new Map<string, ClassState>();

  constructor(private readonly aimsOf: AimsOf = () => []) {}

  /**
   * As the class's members need it now.
   * @param members as their statuses say
   * @param own the one of them that asks, as its status will say
   */
  of(name: string, members: readonly RoutedIP[], resolvedClass: ClassRules, own?: RoutedIP): FirewallState {
    const { applied, wanted, failure, retry } = this.evaluate(name, members, resolvedClass, own);
    if (applied === wanted) return "done";
    return failure === undefined ? "pending" : { failure, ...(retry && { retryAt: retry.retryAt }) };
  }

  /** Whether all ports of the RoutedIP that asks are open on a machine, for certain. */
  opens(name: string, members: readonly RoutedIP[], resolvedClass: ClassRules, own: RoutedIP) {
    const { open } = this.evaluate(name, members, resolvedClass, own);
    const ports = portsOf(own, resolvedClass);
    return (machine: ProviderId) => ports.every((port) => open.has(portKey(port, machine)));
  }

  /** Changes with everything that RoutedIPs read of it. */
  versionOf(name: string, members: readonly RoutedIP[], resolvedClass: ClassRules): string {
    const state = this.of(name, members, resolvedClass);
    return JSON.stringify([state, [...(this.classes.get(name)?.open ?? [])]]);
  }

  /** What to do about the Job. */
  decide(name: string, members: readonly RoutedIP[], { resolvedClass, job, now }: FirewallScene) {
    const state = this.evaluate(name, members, resolvedClass);
    // A Job of an earlier process, too, may have closed by now what it was not asked to open.
    if (job !== undefined) state.open = both(state.open, openPortsOf(inputOf(job.object)));
    const { applied, wanted, retry } = state;
    const open = applied === wanted ? undefined : { FIREWALL_RULES: wanted };
    return decideJob({ wanted: open, now, ...(job && { job }), ...(retry && { retry }) });
  }

  private evaluate(name: string, recorded: readonly RoutedIP[], resolvedClass: ClassRules, own?: RoutedIP): ClassState {
    const current = recorded.map((member) => (member.metadata.uid === own?.metadata.uid ? own : member));
    const wanted = rulesOf(current, resolvedClass, this.aimsOf);
    const state = this.classes.get(name) ?? { ...afterStart(recorded, resolvedClass), wanted };
    this.classes.set(name, state);
    state.wanted = wanted;
    return state;
  }

  /** What the Job does not open may be closed from here on; until it succeeds, nothing new is open. */
  started(name: string, variables: JobVariables): void {
    const state = this.classes.get(name);
    if (state === undefined) return;
    state.applied = UNKNOWN;
    state.open = both(state.open, openPortsOf(variables));
  }

  succeeded(name: string, variables: JobVariables): void {
    const state = this.classes.get(name);
    if (state === undefined) return;
    state.applied = variables["FIREWALL_RULES"] ?? "";
    state.open = openPortsOf(variables);
    state.failure = undefined;
    state.retry = undefined;
  }

  /** It concerns all: a Job has the full set of rules, and does not say which of them it has got to. */
  failed(name: string, cause: Problem, retry?: RetryState): void {
    const state = this.classes.get(name);
    if (state === undefined) return;
    state.failure = jobMessages.firewallJobFailed({ className: name, cause });
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

/** A new process: what the members' statuses say was done is done, and nothing beyond it. */
function afterStart(recorded: readonly RoutedIP[], resolvedClass: ClassRules): Pick<ClassState, "applied" | "open"> {
  if (!isDone(recorded)) return { applied: UNKNOWN, open: new Set() };
  const applied = rulesOf(recorded, resolvedClass, () => []);
  return { applied, open: openPortsOf({ FIREWALL_RULES: applied }) };
}

function rulesOf(members: readonly RoutedIP[], resolvedClass: ClassRules, aimsOf: AimsOf): string {
  const needs = members.map((member) => needOf(member, resolvedClass, aimsOf));
  return firewallVariables(firewallOrders(needs))["FIREWALL_RULES"] ?? "";
}

/** A RoutedIP that is being deleted, or that has no node yet, needs nothing. */
function needOf(member: RoutedIP, resolvedClass: ClassRules, aimsOf: AimsOf): FirewallNeed {
  const { metadata, status } = member;
  if (metadata.deletionTimestamp !== undefined) return { ports: [], nodes: [] };
  const { assignedNode: name, providerID, attemptedNodes = [] } = status;
  const holder = name === undefined || providerID === undefined ? [] : [{ name, providerID }];
  // With postAllow, the firewall follows the address.
  const others = resolvedClass.postAllow ? [] : [...attemptedNodes, ...aimsOf(metadata.uid)];
  return { ports: portsOf(member, resolvedClass), nodes: [...holder, ...others] };
}

/** Those that need a rule: the class may allow less than when the status was written. */
function portsOf({ status: { ports = [] } }: RoutedIP, { nodePortRange, portAccess }: ClassRules) {
  const { ports: permitted } = permittedPorts(ports, portAccess, { nodePortRange });
  return permitted.filter((port) => needsRule(port, nodePortRange));
}

function isDone(members: readonly RoutedIP[]): boolean {
  return members.every(({ metadata, status }) => {
    const ready = status.conditions?.some(({ type, status: state }) => type === "FirewallReady" && state === "True");
    return metadata.deletionTimestamp === undefined && (ready === true || status.providerID === undefined);
  });
}

/** Of `portKey`. */
export type OpenPorts = ReadonlySet<string>;

function portKey({ protocol, port }: Pick<RoutedPort, "protocol" | "port">, machine: ProviderId): string {
  return `${protocol.toLowerCase()} ${port} ${machine}`;
}

/** Those that a firewall Job with these variables opens. */
function openPortsOf({ FIREWALL_RULES: rules = "[]" }: JobVariables): OpenPorts {
  const orders = readOrders(rules);
  const keys = orders.flatMap(({ protocol, port, nodes }) =>
    nodes.map(({ providerID }) => `${protocol} ${port} ${providerID}`),
  );
  return new Set(keys);
}

function both(one: OpenPorts, other: OpenPorts): OpenPorts {
  return new Set([...one].filter((key) => other.has(key)));
}

/** A Job's annotation is what a person can edit. */
function readOrders(rules: string): readonly FirewallRuleOrder[] {
  try {
    const parsed: unknown = JSON.parse(rules);
    return Array.isArray(parsed) ? parsed.filter(isOrder) : [];
  } catch {
    return [];
  }
}

function isOrder(value: unknown): value is FirewallRuleOrder {
  return typeof value === "object" && value !== null && "nodes" in value && Array.isArray(value.nodes);
}

interface Aim {
  /** The node of the Job that is there. */
  readonly job?: JobNode;
  readonly elected?: JobNode;
}

export class JobAims {
  /** By uid of the RoutedIP. */
  private readonly aims = new Map<string, Aim>();

  /** Whether Jobs move the address of the RoutedIP, as of its last decision. */
  has(uid: string): boolean {
    return this.aims.has(uid);
  }

  of(uid: string): readonly JobNode[] {
    const { job, elected } = this.aims.get(uid) ?? {};
    return [job, elected].filter((node) => node !== undefined);
  }

  /** The node of the last election. */
  electedOf(uid: string): ProviderId | undefined {
    return this.aims.get(uid)?.elected?.providerID;
  }

  /** @returns whether anything has changed */
  set(uid: string, aim: Aim): boolean {
    const before = JSON.stringify(this.of(uid));
    this.aims.set(uid, aim);
    return JSON.stringify(this.of(uid)) !== before;
  }

  drop(uid: string): void {
    this.aims.delete(uid);
  }
}

/** The node of a Job that assigns. */
export function nodeOfJob(job: JobObject): JobNode | undefined {
  const { NODE_NAME: name, NODE_PROVIDER_ID: providerID } = inputOf(job);
  return name === undefined || providerID === undefined ? undefined : { name, providerID };
}
