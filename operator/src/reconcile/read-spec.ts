/**
 * A resource as it is stored, made safe to read. It may have been stored under a looser schema: what is wrong with it
 * becomes a problem, and nothing in it can trip a plan.
 */

import { type KindName, SPEC_MISSING, validateSpec } from "cdk8s-flipop/api";
import type { Problem } from "./conditions/problem.js";

export type Fields = Readonly<Record<string, unknown>>;

export interface Finding {
  /** `spec.match.tolerations[2].key` */
  readonly path: string;
  readonly message: string;
}

export interface SafeSpec {
  /** Without the fields that are wrong, or null. */
  readonly fields: Fields;
  /** Absent: the spec is valid, apart from tolerated parts. */
  readonly problem?: Problem;
}

const SHOWN = 3;

/** @param isTolerated what is wrong, and yet not in the way: the fields stay, and whoever reads them copes. */
export function readSpec(
  kind: KindName,
  spec: unknown,
  isTolerated: (finding: Finding, spec: Fields) => boolean,
): SafeSpec {
  if (!isFields(spec)) return { fields: {}, problem: { reason: "Invalid", message: SPEC_MISSING } };
  const findings = validateSpec(kind, spec).filter((finding) => !isTolerated(finding, spec));
  const wrong = new Set(findings.map(({ path }) => path.split(/[.[]/)[1] ?? ""));
  const fields = Object.fromEntries(
    Object.entries(spec).filter(([field, value]) => !wrong.has(field) && value !== undefined && value !== null),
  );
  if (findings.length === 0) return { fields };
  const shown = findings.slice(0, SHOWN).map(({ path, message }) => `${path}: ${message}`);
  const more = findings.length > SHOWN ? `; and ${findings.length - SHOWN} more` : "";
  return { fields, problem: { reason: "Invalid", message: `${shown.join("; ")}${more}` } };
}

/** Tolerations that tolerate nothing: the others are served. */
export function isIdleToleration({ path }: Finding, { match }: Fields): boolean {
  if (!path.startsWith("spec.match.tolerations[")) return false;
  const tolerations: unknown = isFields(match) ? match["tolerations"] : undefined;
  return Array.isArray(tolerations) && tolerations.every(isTexts);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return isFields(value) && Object.values(value).every((field) => typeof field === "string");
}
