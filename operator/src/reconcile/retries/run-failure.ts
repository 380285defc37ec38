/** What it means for a run that something was thrown in it. */

import { CONFLICT_MS } from "../../bounds.js";
import { isConflict, isNotFound } from "../../kube/status-error.js";
import { DryRunError } from "../../providers/errors.js";
import { NotLeaderError } from "../../runtime/fence.js";
import { done, failed, type Result, requeueAfter } from "../../runtime/result.js";
import { ObjectGone } from "../objects/object-writer.js";

/** Nothing was sent: somebody else leads, or it is a dry run. */
export function isWithheld(error: unknown): error is NotLeaderError | DryRunError {
  return error instanceof NotLeaderError || error instanceof DryRunError;
}

/** A deleted object needs no further run, and a changed one brings its own; other failures are tried again later. */
export function resultOfError(error: unknown): Result {
  if (isWithheld(error) || error instanceof ObjectGone || isNotFound(error)) return done;
  return isConflict(error) ? requeueAfter(CONFLICT_MS) : failed(error);
}
