/** All checks of a history. What must hold at rest is in `rest.ts`. */

import type { Check, History, Violation } from "../history.js";
import { coolOffHolds, noMoreThanDesired, oneAddressPerNode, releasesAreRightful } from "./addresses.js";
import { noLimitReached, noReadLoop, noStatusLoop, noWriteLoop } from "./calls.js";
import { graceHolds, healthyHolderKeeps, targetIsFit } from "./moves.js";
import { goesInTime, noCrash } from "./processes.js";
import { healthyNodeStaysPublished, recordSetNeverEmptied } from "./records.js";
import { movesAreConfirmed } from "./witnesses.js";
import { oneWriter } from "./writers.js";

export const CHECKS: readonly Check[] = [
  oneWriter,
  oneAddressPerNode,
  healthyHolderKeeps,
  movesAreConfirmed,
  graceHolds,
  targetIsFit,
  noMoreThanDesired,
  releasesAreRightful,
  coolOffHolds,
  recordSetNeverEmptied,
  healthyNodeStaysPublished,
  noReadLoop,
  noWriteLoop,
  noStatusLoop,
  noLimitReached,
  noCrash,
  goesInTime,
];

/** Every violation, in the order of time. */
export function judge(history: History): readonly Violation[] {
  return CHECKS.flatMap((check) => check(history)).sort((a, b) => a.at - b.at);
}
