/** Health and readiness as named checks, in the format of the Kubernetes components. */

/** What is wrong, for people; undefined where all is well. Never blocks. */
export type Check = () => string | undefined;

export type HealthKind = "healthz" | "readyz";

export interface HealthReport {
  readonly ok: boolean;
  /** `ok`, or one line for each check: `[+]caches ok`, `[-]caches failed: nodes have not synced`. */
  readonly text: string;
}

export interface ReportOptions {
  /** One line for each check even where all is well. Failures are always listed. */
  readonly verbose?: boolean;
  /** Names of checks to leave out. */
  readonly exclude?: readonly string[];
}

export class Health {
  private readonly checks = { healthz: new Map<string, Check>(), readyz: new Map<string, Check>() };

  /** @param name for people and for `?exclude=`; a check of the same name is replaced. */
  add(kind: HealthKind, name: string, check: Check): void {
    this.checks[kind].set(name, check);
  }

  report(kind: HealthKind, { verbose = false, exclude = [] }: ReportOptions = {}): HealthReport {
    const results = [...this.checks[kind]]
      .filter(([name]) => !exclude.includes(name))
      .map(([name, check]) => ({ name, reason: reasonOf(check) }));
    const ok = results.every(({ reason }) => reason === undefined);
    if (ok && !verbose) return { ok, text: "ok" };
    const lines = results.map(({ name, reason }) =>
      reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`,
    );
    return { ok, text: [...lines, `${kind} check ${ok ? "passed" : "failed"}`, ""].join("\n") };
  }
}

function reasonOf(check: Check): string | undefined {
  try {
    return check();
  } catch (error) {
    return `the check itself failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
