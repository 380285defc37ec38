/**
 * A stored resource, made safe to read. A looser schema may have accepted it: each mistake in it becomes a problem, and
 * none makes a plan throw.
 */

import { type KindName, knownSpec, validateSpec } from "cdk8s-flipop/api";
import type { Problem } from "../messages/message.js";
import { specMessages, unknownField } from "../messages/spec.js";

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
  /** Parts that only a newer release serves, for people. Absent: none. */
  readonly ignored?: readonly string[];
}

/** What is wrong, and yet not in the way: the fields stay, and whoever reads them copes. */
type Tolerance = (finding: Finding, spec: Fields) => boolean;

/** Reads each version of a spec once: the status around it changes with each action, and many resources use one class. */
export function specReader(kind: KindName, isTolerated: Tolerance): (spec: unknown) => SafeSpec {
  const known = new WeakMap<object, SafeSpec>();
  return (spec) => {
    if (!isFields(spec)) return { fields: {}, problem: specMessages.missing() };
    const safe = known.get(spec) ?? readSpec(kind, spec, isTolerated);
    known.set(spec, safe);
    return safe;
  };
}

/** Of RoutedIPs, which a cluster has by the thousand, it is cheaper to read a spec again than to keep what was read. */
export function readSpec(kind: KindName, spec: unknown, isTolerated: Tolerance): SafeSpec {
  if (!isFields(spec)) return { fields: {}, problem: specMessages.missing() };
  const { spec: known, unknown } = knownSpec(kind, spec);
  const findings = validateSpec(kind, known).filter((finding) => !isTolerated(finding, spec));
  const wrong = new Set(findings.map(({ path }) => path.split(/[.[]/)[1] ?? ""));
  const fields = Object.fromEntries(
    Object.entries(known as Fields).filter(
      ([field, value]) => !wrong.has(field) && value !== undefined && value !== null,
    ),
  );
  const ignored = unknown.length === 0 ? {} : { ignored: unknown.map(unknownField) };
  if (findings.length === 0) return { fields, ...ignored };
  return { fields, problem: specMessages.invalid({ mistakes: findings }), ...ignored };
}

/** Tolerations that tolerate nothing: the others are served. */
export function isIdleToleration({ path }: Finding, { match }: Fields): boolean {
  if (!path.startsWith("spec.match.tolerations[")) return false;
  const tolerations: unknown = isFields(match) ? match["tolerations"] : undefined;
  return Array.isArray(tolerations) && tolerations.every(isTexts);
}

/** The resource is served without its name: the DNS provider refuses the name, and DNSReady says so. */
export function isUnusableName({ path }: Finding, { dnsRecordSet }: Fields): boolean {
  if (path !== "spec.dnsRecordSet.recordName" || !isFields(dnsRecordSet)) return false;
  const { recordName } = dnsRecordSet;
  return typeof recordName === "string" && recordName !== "" && recordName.length <= LONGEST_NAME;
}

const LONGEST_NAME = 253;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return isFields(value) && Object.values(value).every((field) => typeof field === "string");
}
