/** Changes nothing: reads pass, mutations end before anything is sent. */

import { DryRunError } from "../errors.js";
import type { MutationLayer } from "./mutations.js";

/** Rejects each mutation with DryRunError. Inside of audit, so that what would have happened is on record. */
export const withDryRun: MutationLayer = ({ kind, target, before, after }) => {
  const change = `${before === "" ? "nothing" : before} -> ${after === "" ? "nothing" : after}`;
  return Promise.reject(new DryRunError(`dry run: not sent: ${kind} ${target}: ${change}`));
};
