/** A pool as it is stored, made safe to read, with the facts about its creation that the status may lack. */

import type { FloatingIPPoolSpec, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import type { PlannedAction } from "../../addresses/actions.js";
import { knownStatus } from "../../addresses/creation/create-address.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { ownLabelAskedFor } from "../../addresses/marks/holder-labels-and-taints.js";
import type { KubeObject } from "../../kube/objects.js";
import type { Problem } from "../../messages/message.js";
import { specMessages } from "../../messages/spec.js";
import type { Plan as EnginePlan } from "../../reconcile/plan.js";
import {
  type Fields,
  type Finding,
  isFields,
  isIdleToleration,
  isUnusableName,
  specReader,
} from "../../reconcile/read-spec.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { omitUndefined } from "../../values.js";
import type { PoolMemory } from "./memory.js";
import type { Plan } from "./plan.js";
import { CREATION_FIELDS, type Gathered, type Pool } from "./snapshot.js";

export const KIND = "FloatingIPPool";
export const PLURAL = "floatingippools";

/** The types of this kind, for the engine. */
export interface PoolTypes {
  readonly object: PoolObject;
  readonly resource: PoolRead;
  readonly snapshot: Gathered;
  readonly action: PlannedAction;
  readonly plan: Plan & EnginePlan<PlannedAction>;
  readonly memory: PoolMemory;
}

/** What this process knows of one pool. */
export type PoolState = ResourceState<PoolTypes>;

export interface PoolObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: FloatingIPPoolStatus;
}

export interface PoolRead {
  readonly pool: Pool;
  /** Nothing moves until a person corrects it. */
  readonly problem?: Problem;
  /** Parts of the spec that only a newer release serves. */
  readonly ignored?: readonly string[];
}

export function readPool({ metadata, spec, status }: PoolObject): PoolRead {
  const { fields, problem, ignored } = safeSpecOf(spec);
  const pool: Pool = { metadata, spec: { ...EMPTY, ...fields }, status: isFields(status) ? status : {} };
  return { pool, ...omitUndefined({ problem: problem ?? ownLabelProblem(pool), ignored }) };
}

/** A label that comes and goes with the address cannot decide where the address goes. */
function ownLabelProblem(pool: Pool): Problem | undefined {
  const key = ownLabelAskedFor(KIND, pool);
  return key === undefined ? undefined : specMessages.selectsByOwnLabel({ key });
}

const EMPTY: FloatingIPPoolSpec = { provider: "" };

const safeSpecOf = specReader(KIND, isTolerated);

/** Entries that are no address of the family, too: the others are served. */
function isTolerated(finding: Finding, spec: Fields): boolean {
  const { ips } = spec;
  const texts = Array.isArray(ips) && ips.every((ip) => typeof ip === "string");
  if (finding.path.startsWith("spec.ips")) return texts;
  if (finding.path === "spec") return texts && ips.length > 0;
  return isIdleToleration(finding, spec) || isUnusableName(finding, spec);
}

/** The latest version with all that this process knows; `undefined`: the pool is gone. */
export function latestPool(state: PoolState): PoolRead | undefined {
  const read = state.read();
  return read && withCreationResult(read, state.memory.creationResult);
}

/** The pool with the facts about its creation that the status lacks. */
export function withCreationResult(read: PoolRead, result: CreationResult | undefined): PoolRead {
  const { pool } = read;
  const status = knownStatus(CREATION_FIELDS, pool, result);
  return status === pool.status ? read : { ...read, pool: { ...pool, status } };
}
