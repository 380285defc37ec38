/** What a check of `flipop doctor` found. */

export interface Finding {
  readonly check: string;
  /** `unknown`: it could not be checked. */
  readonly result: "ok" | "warning" | "problem" | "unknown";
  readonly seen: string;
  /** Absent: nothing is to be done. */
  readonly remedy?: string;
}

export function ok(check: string, seen: string): Finding {
  return { check, result: "ok", seen };
}

export function warning(check: string, seen: string, remedy: string): Finding {
  return { check, result: "warning", seen, remedy };
}

export function problem(check: string, seen: string, remedy: string): Finding {
  return { check, result: "problem", seen, remedy };
}

export function unknown(check: string, seen: string, remedy: string): Finding {
  return { check, result: "unknown", seen, remedy };
}
