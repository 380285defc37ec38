/** What CI and a machine without a control plane need of a storm. */

import { appendFileSync } from "node:fs";
import { describeReasons, PARTS, resolveBinaries } from "flipop-testbed";

/** Why no round can be played here; undefined: it can. */
export async function missingControlPlane(): Promise<string | undefined> {
  const parts = PARTS.filter((part) => part !== "kube-controller-manager");
  const resolution = await resolveBinaries({ parts });
  return resolution.kind === "found" ? undefined : describeReasons(resolution.reasons);
}

/** Leaves the counts where CI adds them up: a round is a test. */
export function leaveCounts(
  counts: Readonly<Record<"passed" | "failed" | "skipped", number>>,
  failedTests: readonly string[],
) {
  const file = process.env["FLIPOP_TEST_COUNTS"];
  if (file !== undefined && file !== "") appendFileSync(file, `${JSON.stringify({ ...counts, failedTests })}\n`);
}
