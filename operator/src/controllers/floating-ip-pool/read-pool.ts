/** A pool as it is stored, made safe to read. */

import type { FloatingIPPoolSpec, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { knownStatus } from "../../addresses/creation/record-creation.js";
import type { KubeObject } from "../../kube/objects.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { type Fields, type Finding, isFields, isIdleToleration, readSpec } from "../../reconcile/read-spec.js";
import { CREATION_FIELDS } from "./creation-fields.js";
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

/** The pool with the facts about its creation that the status lacks. */
export function withResult(read: PoolRead, result: CreationResult | undefined): PoolRead {
  const { pool } = read;
  const status = knownStatus(CREATION_FIELDS, pool, result);
  return status === pool.status ? read : { ...read, pool: { ...pool, status } };
}

/** Entries that are no address of the family, too: the others are served. */
function isTolerated(finding: Finding, spec: Fields): boolean {
  const { ips } = spec;
  const texts = Array.isArray(ips) && ips.every((ip) => typeof ip === "string");
  if (finding.path.startsWith("spec.ips")) return texts;
  if (finding.path === "spec") return texts && ips.length > 0;
  return isIdleToleration(finding, spec);
}
