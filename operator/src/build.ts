/** What was built, and what runs it. */

import { RELEASE } from "cdk8s-flipop/api";

/** The bundle has it; sources that run directly do not. */
declare const FLIPOP_COMMIT: string | undefined;

export interface BuildFacts {
  readonly version: string;
  /** Empty: built without Git. */
  readonly commit: string;
  readonly node: string;
  readonly platform: string;
}

export function buildFacts(): BuildFacts {
  return {
    version: RELEASE,
    commit: typeof FLIPOP_COMMIT === "string" ? FLIPOP_COMMIT : "",
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
  };
}
