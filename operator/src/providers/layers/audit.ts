/** A record of every mutation: who asked, why, what was there, what is there now. */

import type { Logger } from "../../logging.js";
import { NotLeaderError } from "../../runtime/fence.js";
import { isSuperseded } from "../decision.js";
import { DryRunError, isProviderError } from "../errors.js";
import type { ActionFacts, CreateOutcome } from "../types.js";
import type { Mutation, MutationLayer } from "./mutations.js";

/**
 * What came of it:
 * - `done`: the cloud is as `after` says; nothing was sent where it was so before.
 * - `started`: the cloud has accepted it and carries it out; how it ends is in the resource's status.
 * - `failed`: the cloud has accepted it, and then ended it without success.
 * - `refused`: the cloud said no.
 * - `not-sent`: it was never sent, for example because there was no token or connection.
 * - `unknown`: it may have been made.
 * - `withheld`: dry run, the lease was lost, or the decision no longer held; nothing more was sent.
 * A change of several requests (records, a firewall) ends with the first that fails: those before it were made.
 */
export type MutationOutcome = "done" | "started" | "failed" | "refused" | "not-sent" | "unknown" | "withheld";

type Ending = Pick<AuditRecord, "outcome" | "error" | "requestId">;

/** One entry. Plain data without secrets. */
export interface AuditRecord extends Omit<Mutation, "context"> {
  /** `kind/namespace/name` of the resource that asked. */
  readonly requester: string;
  readonly why: string;
  readonly outcome: MutationOutcome;
  /** What the provider said, where it did not work. */
  readonly error?: string;
  /** The API's id of the request, for a support ticket. */
  readonly requestId?: string;
}

export type AuditSink = (record: AuditRecord) => void;

/** Writes each record as a log line. */
export function auditLog(logger: Logger, level: "info" | "debug" = "info"): AuditSink {
  return (record) => logger[level]({ audit: record }, "cloud mutation");
}

export function withAudit(sink: AuditSink): MutationLayer {
  return async (mutation, run) => {
    try {
      const result = await run();
      sink(recordOf(mutation, endingOf(result)));
      return result;
    } catch (error) {
      sink(recordOf(mutation, failureOf(error)));
      throw error;
    }
  };
}

function recordOf({ context, ...mutation }: Mutation, ending: Ending): AuditRecord {
  const { kind, namespace, name } = context.requester;
  return { ...mutation, requester: `${kind}/${namespace}/${name}`, why: context.why, ...ending };
}

function failureOf(error: unknown): Ending {
  if (error instanceof NotLeaderError || error instanceof DryRunError || isSuperseded(error)) {
    return { outcome: "withheld", error: error.message };
  }
  if (!isProviderError(error)) return { outcome: "unknown", error: String(error) };
  return {
    outcome: error.outcome,
    error: error.message,
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  };
}

const STATES = { completed: "done", "in-progress": "started", errored: "failed" } as const;

/** A creation whose answer was lost, or an action that runs or has failed, is a result and no rejection. */
function endingOf(result: unknown): Ending {
  if (isLost(result)) return { ...failureOf(result.error), outcome: "unknown" };
  if (!isAction(result)) return { outcome: "done" };
  const { state, message } = result;
  return { outcome: STATES[state], ...(state === "errored" && message !== undefined && { error: message }) };
}

function isLost(result: unknown): result is Extract<CreateOutcome, { readonly kind: "unknown" }> {
  return typeof result === "object" && result !== null && "kind" in result && result.kind === "unknown";
}

function isAction(result: unknown): result is Pick<ActionFacts, "state" | "message"> {
  return typeof result === "object" && result !== null && "state" in result && String(result.state) in STATES;
}
