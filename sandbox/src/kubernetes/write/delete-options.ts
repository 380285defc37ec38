import { type FieldError, invalidOptions, invalidValue, notSupported } from "../field-error.js";
import { at, listOf, objectOf, textOf } from "../json.js";
import { parseJson } from "./read-body.js";

const POLICIES = ["Foreground", "Background", "Orphan"] as const;

/** What becomes of dependents. */
export type PropagationPolicy = (typeof POLICIES)[number];

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** Seconds; absent: what is usual for the kind. */
  readonly gracePeriodSeconds?: number;
  /** Absent: what is usual for the kind. */
  readonly propagationPolicy?: PropagationPolicy;
  /** The object must still be this one. */
  readonly uid?: string;
  /** The object must still be in this version. */
  readonly resourceVersion?: string;
}

/** Reads DeleteOptions from the body or, without one, from the query; throws 400 and 422. */
export function readDeleteOptions(query: URLSearchParams, text: string): DeleteOptions {
  const body =
    text === "" ? fromQuery(query) : objectOf(parseJson(text, (why) => `couldn't read DeleteOptions: ${why}`));
  const dryRun = [...listOf(body.dryRun).map(textOf), ...query.getAll("dryRun")].filter((value) => value !== "");
  const policy = POLICIES.find((one) => one === body.propagationPolicy);
  const errors = optionErrors(body.propagationPolicy, policy, dryRun);
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  const grace = body.gracePeriodSeconds;
  const uid = textOf(at(body, "preconditions", "uid"));
  const resourceVersion = textOf(at(body, "preconditions", "resourceVersion"));
  return {
    dryRun: dryRun.length > 0,
    ...(typeof grace === "number" && { gracePeriodSeconds: Math.max(0, grace) }),
    ...(policy && { propagationPolicy: policy }),
    ...(uid !== "" && { uid }),
    ...(resourceVersion !== "" && { resourceVersion }),
  };
}

function optionErrors(given: unknown, policy: string | undefined, dryRun: readonly string[]): FieldError[] {
  const found: FieldError[] = [];
  if (given !== undefined && given !== null && policy === undefined) {
    found.push(notSupported("propagationPolicy", given, [...POLICIES, "nil"]));
  }
  if (dryRun.some((value) => value !== "All")) found.push(invalidValue("dryRun", dryRun, "only All is supported"));
  return found;
}

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const grace = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  return {
    ...(grace !== null && grace !== "" && { gracePeriodSeconds: Number(grace) }),
    ...(policy !== null && policy !== "" && { propagationPolicy: policy }),
  };
}
