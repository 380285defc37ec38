/** A record of every mutation: who asked, why, what was there, what is there now. */

import type { Logger } from "../logging.js";
import { NotLeaderError } from "../runtime/fence.js";
import { DryRunError, isProviderError } from "./errors.js";
import type { Mutation, MutationLayer } from "./mutations.js";

/** `unknown`: it may have been made. `withheld`: dry run, or the lease was lost; nothing was sent. */
export type MutationOutcome = "done" | "refused" | "unknown" | "withheld";

/** One entry. Plain data without secrets. */
export interface AuditRecord extends Omit<Mutation, "context"> {
  /** `kind/namespace/name` of the resource that asked. */
  readonly asker: string;
  readonly why: string;
  readonly outcome: MutationOutcome;
  /** What the provider said, where it did not work. */
  readonly error?: string;
  /** The API's id of the request, for a support ticket. */
  readonly requestId?: string;
}

export type AuditSink = (record: AuditRecord) => void;

/** Writes each record as a log line. */
export function auditLog(logger: Logger): AuditSink {
  return (record) => logger.info({ audit: record }, "cloud mutation");
}

export function withAudit(sink: AuditSink): MutationLayer {
  return async (mutation, run) => {
    try {
      const result = await run();
      sink(recordOf(mutation, isUnknown(result) ? { outcome: "unknown" } : { outcome: "done" }));
      return result;
    } catch (error) {
      sink(recordOf(mutation, failureOf(error)));
      throw error;
    }
  };
}

function recordOf({ context, ...mutation }: Mutation, ending: Pick<AuditRecord, "outcome">): AuditRecord {
  const { kind, namespace, name } = context.asker;
  return { ...mutation, asker: `${kind}/${namespace}/${name}`, why: context.why, ...ending };
}

function failureOf(error: unknown): Pick<AuditRecord, "outcome" | "error" | "requestId"> {
  if (error instanceof NotLeaderError || error instanceof DryRunError) {
    return { outcome: "withheld", error: error.message };
  }
  if (!isProviderError(error)) return { outcome: "unknown", error: String(error) };
  return {
    outcome: error.outcome === "unknown" ? "unknown" : "refused",
    error: error.message,
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  };
}

/** A creation whose answer was lost is an outcome of its own. */
function isUnknown(result: unknown): boolean {
  return typeof result === "object" && result !== null && "kind" in result && result.kind === "unknown";
}
