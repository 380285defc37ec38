import { DEFAULT_NAMESPACE, type FeatureName, FLAGS, type Flag, parseFlag } from "cdk8s-flipop/api";
import { misspelt } from "./environment.js";
import { parseBind } from "./runtime/http-server.js";

/** All settings of `flipop run`, read once. Times are in seconds. */
export interface Settings {
  /** Empty: KUBECONFIG, else the pod's ServiceAccount. */
  readonly kubeconfig: string;
  /** Empty: off. */
  readonly metricsBindAddr: string;
  /** Empty: off. */
  readonly healthBindAddr: string;
  readonly debug: boolean;
  readonly logFormat: "auto" | "text" | "json";
  readonly features: readonly FeatureName[];
  /** The operator's own namespace. */
  readonly namespace: string;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  /** Empty: all. */
  readonly podNamespaces: readonly string[];
  readonly issuerNamespaces: readonly string[];
  readonly jobNamespaces: readonly string[];
  readonly dryRun: boolean;
  readonly resync: number;
  readonly leaderElect: boolean;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly shutdownTimeout: number;
}

/** Where the values come from. */
export interface SettingsSource {
  /** Values given on the command line, by flag name. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The namespace of the pod, where the process runs in one. */
  readonly podNamespace?: string;
  /** What is wrong with the command line beside the values. @default nothing */
  readonly strange?: readonly string[];
}

/** Everything that is wrong with the command line and the environment, one line each. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingsError";
  }
}

/**
 * Reads every flag: the command line, else its environment variable, else its default.
 * @throws SettingsError with all problems at once, each with the value seen and the fix
 */
export function readSettings(source: SettingsSource): Settings {
  const reader = new Reader(source);
  const namespace = reader.namespace("namespace") || source.podNamespace || DEFAULT_NAMESPACE;
  const issuerNamespaces = reader.namespaces("issuer-namespaces");
  const settings: Settings = {
    kubeconfig: reader.text("kubeconfig"),
    metricsBindAddr: reader.address("metrics-bind-addr"),
    healthBindAddr: reader.address("health-bind-addr"),
    debug: reader.boolean("debug"),
    logFormat: reader.text("log-format") as Settings["logFormat"],
    features: reader.list("features") as readonly FeatureName[],
    namespace,
    watchNamespaces: reader.namespaces("watch-namespaces"),
    podNamespaces: reader.namespaces("pod-namespaces"),
    issuerNamespaces: issuerNamespaces.length > 0 ? issuerNamespaces : [namespace],
    jobNamespaces: reader.namespaces("job-namespaces"),
    dryRun: reader.boolean("dry-run"),
    resync: reader.seconds("resync"),
    leaderElect: reader.boolean("leader-elect"),
    leaseDuration: reader.seconds("leader-elect-lease-duration"),
    renewDeadline: reader.seconds("leader-elect-renew-deadline"),
    retryPeriod: reader.seconds("leader-elect-retry-period"),
    shutdownTimeout: reader.seconds("shutdown-timeout"),
  };
  reader.relation(ELECTION_FLAGS, electionProblem(settings));
  reader.relation(["namespace", "job-namespaces"], jobProblem(settings));
  reader.finish();
  return settings;
}

const ELECTION_FLAGS = ["leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"];

/** client-go has the same rules: a holder must notice that it lost the Lease before anybody else may take it. */
function electionProblem({ leaseDuration, renewDeadline, retryPeriod }: Settings): string | undefined {
  if (leaseDuration > renewDeadline && renewDeadline > retryPeriod) return undefined;
  return `--leader-elect-lease-duration ${leaseDuration}, --leader-elect-renew-deadline ${renewDeadline} and --leader-elect-retry-period ${retryPeriod}: each must be greater than the next`;
}

/** A Job there could take the operator's ServiceAccount, or its Secrets. */
function jobProblem({ namespace, jobNamespaces }: Settings): string | undefined {
  if (!jobNamespaces.includes(namespace)) return undefined;
  return `--job-namespaces lists "${namespace}", where the operator itself runs: give Jobs a namespace of their own`;
}

/** As Kubernetes has it. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

class Reader {
  private readonly problems: string[] = [];
  /** Flags whose values are among the problems. */
  private readonly unread = new Set<string>();

  constructor(private readonly source: SettingsSource) {
    this.problems.push(...(source.strange ?? []), ...misspelt(source.env));
  }

  text(name: string): string {
    return this.read(name, (value) => typeof value === "string") as string;
  }

  boolean(name: string): boolean {
    return this.read(name, (value) => typeof value === "boolean") as boolean;
  }

  seconds(name: string): number {
    return this.read(name, (value) => typeof value === "number") as number;
  }

  list(name: string): readonly string[] {
    return this.read(name, Array.isArray) as readonly string[];
  }

  /** That something listens at. */
  address(name: string): string {
    const text = this.text(name);
    try {
      parseBind(text);
    } catch {
      this.refuse(name, `"${text}" is not an address to listen at: use ":8080", "127.0.0.1:8080", "[::1]:8080", or ""`);
    }
    return text;
  }

  namespace(name: string): string {
    const text = this.text(name);
    this.checkNamespaces(name, text === "" ? [] : [text]);
    return text;
  }

  namespaces(name: string): readonly string[] {
    const names = this.list(name);
    this.checkNamespaces(name, names);
    return names;
  }

  /** Checks between flags; they run only if all flags could be read. */
  relation(names: readonly string[], problem: string | undefined): void {
    if (problem !== undefined && !names.some((name) => this.unread.has(name))) this.problems.push(problem);
  }

  /** Throws when anything was wrong. */
  finish(): void {
    if (this.problems.length > 0) throw new SettingsError(this.problems);
  }

  /** The value of a flag; its default if the value is invalid, which `finish` reports. */
  private read(name: string, expected: (value: unknown) => boolean): unknown {
    const flag = flagOf(name);
    const omitUndefined = this.source.flags[name] ?? this.source.env[flag.env];
    const parsed = parseFlag(flag, omitUndefined ?? flag.default);
    if (parsed.ok && expected(parsed.value)) return parsed.value;
    if (parsed.ok || omitUndefined === undefined)
      throw new Error(`--${name} is not of type ${flag.type} in the type model`);
    this.refuse(name, parsed.problem);
    const usual = parseFlag(flag, flag.default);
    return usual.ok ? usual.value : undefined;
  }

  private checkNamespaces(name: string, names: readonly string[]): void {
    for (const text of names) {
      if (!NAMESPACE.test(text)) {
        const fix = "use lower-case letters, digits and -, at most 63";
        this.refuse(name, `"${text}" is not the name of a namespace: ${fix}`);
      }
    }
  }

  private refuse(name: string, problem: string): void {
    const { env } = flagOf(name);
    this.problems.push(`${this.source.flags[name] === undefined ? env : `--${name}`}: ${problem}`);
    this.unread.add(name);
  }
}

function flagOf(name: string): Flag {
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (!flag) throw new Error(`no flag --${name} in the type model`);
  return flag;
}
