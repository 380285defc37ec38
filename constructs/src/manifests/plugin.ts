import type { ManifestProblem } from "./check";

/** The part of cdk8s' ValidationContext that the plugin uses. */
interface Context {
  /** Paths of the manifests. */
  readonly manifests: readonly string[];
  readonly report: Report;
  readonly logger: { log(message: string): void };
}

interface Report {
  addViolation(violation: Violation): void;
  submit(status: "success" | "failure", metadata?: Readonly<Record<string, string>>): void;
}

interface Violation {
  readonly ruleName: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly violatingResources: readonly {
    readonly resourceName: string;
    readonly locations: readonly string[];
    readonly manifestPath: string;
  }[];
}

const REFERENCE = "https://github.com/flipop/flipop/blob/main/docs/reference/resources.md";

/**
 * Validation plugin of `cdk8s synth`: it applies the rules of the constructs to all objects of the five kinds in the
 * manifests, whatever made them.
 *
 * @jsii ignore
 */
export class FlipopValidation {
  /** Checks the manifests, and submits the report. */
  public async validate({ manifests, report, logger }: Context): Promise<void> {
    // Synthesis does not need these modules, so it does not pay for them.
    const [{ readFile }, { checkManifests, unreadableProblem }, { readManifests }] = await Promise.all([
      import("node:fs/promises"),
      import("./check.js"),
      import("./read.js"),
    ]);
    const files = manifests.map(async (name) => ({ name, text: await readFile(name, "utf8") }));
    const { sources, unreadable } = readManifests(await Promise.all(files));
    const all = [...unreadable.map(unreadableProblem), ...checkManifests(sources)];
    for (const { file, line, title, path, message } of all.filter(({ isWarning }) => isWarning)) {
      logger.log(`${file}:${line}: warning: ${title}: ${path}: ${message}`);
    }
    const problems = all.filter(({ isWarning }) => !isWarning);
    for (const problem of problems) report.addViolation(violationOf(problem));
    report.submit(problems.length > 0 ? "failure" : "success", { objects: String(sources.length) });
  }
}

function violationOf({ file, line, title, name, path, message }: ManifestProblem): Violation {
  // The message about a selector ends with the place of the mistake.
  const [text = ""] = message.split(/; at character \d+: /);
  const fix = text.includes(": ") ? text.slice(text.lastIndexOf(": ") + 2) : `see ${REFERENCE}`;
  return {
    ruleName: [title, path].filter((text) => text !== "").join(" ") || "a manifest is YAML",
    recommendation: message,
    fix,
    violatingResources: [{ resourceName: name, locations: [`${path} (line ${line})`], manifestPath: file }],
  };
}
