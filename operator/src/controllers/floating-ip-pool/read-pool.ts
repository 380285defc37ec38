/** A pool as it is stored, made safe to read. */

import type { FloatingIPPoolSpec, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import type { KubeObject } from "../../kube/objects.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { type Fields, type Finding, isFields, isIdleToleration, readSpec } from "../../reconcile/read-spec.js";
import type { Pool } from "./snapshot.js";

export interface PoolObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: FloatingIPPoolStatus;
}

export interface PoolRead {
  readonly pool: Pool;
  /** Nothing moves until it is mended. */
  readonly problem?: Problem;
}

const EMPTY: FloatingIPPoolSpec = { provider: "" };

export function readPool({ metadata, spec, status }: PoolObject): PoolRead {
  const { fields, problem } = readSpec("FloatingIPPool", spec, isTolerated);
  const pool: Pool = { metadata, spec: { ...EMPTY, ...fields }, status: isFields(status) ? status : {} };
  return problem === undefined ? { pool } : { pool, problem };
}

/** Entries that are no address of the family, too: the others are served. */
function isTolerated(finding: Finding, spec: Fields): boolean {
  const { ips } = spec;
  const texts = Array.isArray(ips) && ips.every((ip) => typeof ip === "string");
  if (finding.path.startsWith("spec.ips")) return texts;
  if (finding.path === "spec") return texts && ips.length > 0;
  return isIdleToleration(finding, spec);
}
