import type { Toleration } from "../labels/match";

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A toleration with its defaults filled in. `key` and `effect` undefined: any. */
export interface ParsedToleration {
  readonly key?: string;
  readonly operator: "Equal" | "Exists";
  readonly value: string;
  readonly effect?: string;
}

/** A toleration, or the reason why it tolerates nothing. */
export type TolerationResult =
  | { readonly ok: true; readonly toleration: ParsedToleration }
  | { readonly ok: false; readonly message: string };

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/**
 * Fills in the defaults of a toleration with the scheduler's semantics: an empty key is every key (Equal then compares
 * only values), and Exists ignores the value. A toleration with an unknown operator or effect tolerates nothing; the
 * result is an error for a condition. The Go operator ignored it silently. Source: `Toleration.ToleratesTaint` of
 * k8s.io/api/core/v1.
 */
export function parseToleration({ key, operator, value = "", effect }: Toleration): TolerationResult {
  const parsedOperator = operator === undefined || operator === "" ? "Equal" : operator;
  if (parsedOperator !== "Equal" && parsedOperator !== "Exists") {
    return failure(`operator "${parsedOperator}" tolerates nothing: use Equal or Exists`);
  }
  if (effect && !EFFECTS.includes(effect)) {
    return failure(`effect "${effect}" tolerates nothing: use ${EFFECTS.join(", ")}, or remove it for all effects`);
  }
  return {
    ok: true,
    toleration: { operator: parsedOperator, value, ...(key ? { key } : {}), ...(effect ? { effect } : {}) },
  };
}

/** Whether the toleration covers the taint. */
export function tolerates(toleration: ParsedToleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  if (toleration.key !== undefined && toleration.key !== taint.key) return false;
  return toleration.operator === "Exists" || toleration.value === (taint.value ?? "");
}

function failure(message: string): TolerationResult {
  return { ok: false, message };
}
