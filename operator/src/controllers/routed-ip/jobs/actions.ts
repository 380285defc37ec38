/**
 * What a RoutedIP whose class works by Jobs may ask for; and the Job that assigns an address: when it may start, what is on
 * record before it, and what its success changes. Pure.
 */

import { canonicalIp, MAX_ATTEMPTED_NODES } from "cdk8s-flipop/api";
import type { MarkAction } from "../../../addresses/actions.js";
import { timestamp } from "../../../clock.js";
import type { JobVariables } from "../../../jobs/job.js";
import type { JobDecision, JobObject } from "../../../jobs/job-decision.js";
import type { Problem } from "../../../messages/message.js";
import { stamped, unknown } from "../../../reconcile/conditions.js";
import type { RetryState } from "../../../reconcile/retries.js";
import type { DnsAction, RecordDns } from "../../../records/record-actions.js";
import type { RoutedIP } from "../../../routing/read-resources.js";
import { JOB_POLL_MS } from "../../../timings.js";
import { omitUndefined } from "../../../values.js";
import type { RetainAction, TaintAction } from "../actions.js";
import type { Change, JobSnapshot } from "./snapshot.js";

export type JobAction =
  | TaintAction
  | MarkAction
  | RetainAction
  | DnsAction
  | RecordDns
  | { readonly do: "add-finalizer"; readonly why: string }
  /** `kept`: what stays by the nature of the class; `abandonedItems`: what could not be cleaned up in time. */
  | {
      readonly do: "remove-finalizer";
      readonly kept: readonly string[];
      readonly abandonedItems: readonly string[];
      readonly why: string;
    }
  /** A copy of the address that was created. */
  | { readonly do: "annotate"; readonly value: string; readonly why: string }
  /** A fact of the status, before the next action. */
  | { readonly do: "record"; readonly change: Change; readonly why: string }
  | { readonly do: "create-job"; readonly variables: JobVariables; readonly attempt: number; readonly why: string }
  /** Deletes it. `failure`: an Event reports it, and it counts. */
  | {
      readonly do: "remove-job";
      readonly job: JobObject;
      readonly failure?: { readonly problem: Problem; readonly retry?: RetryState };
      readonly why: string;
    };

/** Without firewallPostAllow, no Job brings the address to a node before a firewall Job has opened the node's ports. */
export function behindFirewall(snapshot: JobSnapshot, decision: JobDecision): JobDecision {
  const { resolvedClass, firewall, opens, failure, now } = snapshot;
  if (decision.do !== "create" || resolvedClass?.postAllow === true) return decision;
  if (opens(decision.variables["NODE_PROVIDER_ID"] ?? "")) return decision;
  const problem = typeof firewall === "object" ? firewall.failure : failure;
  return { do: "wait", until: now + JOB_POLL_MS, ...omitUndefined({ problem }) };
}

/** The intent first: should the Job and its words get lost, nothing is created a second time, and no port closes. */
export function creation(
  { routed, now }: JobSnapshot,
  { variables, attempt }: Extract<JobDecision, { readonly do: "create" }>,
): readonly JobAction[] {
  const why = `the address should be on ${variables["NODE_NAME"]}`;
  const create: JobAction = { do: "create-job", variables, attempt, why };
  const { NODE_NAME: name = "", NODE_PROVIDER_ID: providerID = "", ROUTED_IP: ip } = variables;
  const { attemptedNodes = [] } = routed.status;
  const isKnown = attemptedNodes.some((node) => node.providerID === providerID);
  const attempted = isKnown
    ? {}
    : { attemptedNodes: [...attemptedNodes, { name, providerID }].slice(-MAX_ATTEMPTED_NODES) };
  const intent = { startedAt: timestamp(now), provider: "jobs", family: "IPv4" as const };
  const change: Change = { ...attempted, ...(ip === "" ? { pendingCreation: intent } : {}) };
  return [...(Object.keys(change).length === 0 ? [] : [{ do: "record" as const, change, why }]), create];
}

export function taken(
  { routed, now }: JobSnapshot,
  { variables, created }: Extract<JobDecision, { readonly do: "take" }>,
): Change {
  const { generation } = routed.metadata;
  const moved = routed.status.providerID !== variables["NODE_PROVIDER_ID"];
  return {
    // The report is about the previous node: after a crash, a successor would attribute it to this one.
    ...(moved ? { conditions: stamped([unknown("FirewallReady")], { now, generation }) } : {}),
    routedIP: created ?? variables["ROUTED_IP"],
    created: created !== undefined || (routed.status.created === true && isSameAddress(routed, variables)) || undefined,
    pendingCreation: undefined,
    attemptedNodes: undefined,
    assignedNode: variables["NODE_NAME"],
    providerID: variables["NODE_PROVIDER_ID"],
    state: "active",
    since: timestamp(now),
    graceSince: undefined,
    error: undefined,
    reason: undefined,
    retryAt: undefined,
  };
}

/** It is the address that the status has; a created one that the spec has replaced is not ours any more. */
function isSameAddress({ status }: RoutedIP, { ROUTED_IP = "" }: JobVariables): boolean {
  return status.routedIP !== undefined && canonicalIp(status.routedIP) === ROUTED_IP;
}
