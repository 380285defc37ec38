import { DEFAULT_NAMESPACE, type FeatureName, FLAGS, type Flag, parseFlag } from "cdk8s-flipop/api";

/** Everything that `flipop run` is told, read once. Times are in seconds. */
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
  const namespace = reader.text("namespace") || source.podNamespace || DEFAULT_NAMESPACE;
  const issuerNamespaces = reader.list("issuer-namespaces");
  const settings: Settings = {
    kubeconfig: reader.text("kubeconfig"),
    metricsBindAddr: reader.text("metrics-bind-addr"),
    healthBindAddr: reader.text("health-bind-addr"),
    debug: reader.boolean("debug"),
    logFormat: reader.text("log-format") as Settings["logFormat"],
    features: reader.list("features") as readonly FeatureName[],
    namespace,
    watchNamespaces: reader.list("watch-namespaces"),
    podNamespaces: reader.list("pod-namespaces"),
    issuerNamespaces: issuerNamespaces.length > 0 ? issuerNamespaces : [namespace],
    jobNamespaces: reader.list("job-namespaces"),
    dryRun: reader.boolean("dry-run"),
    resync: reader.seconds("resync"),
    leaderElect: reader.boolean("leader-elect"),
    leaseDuration: reader.seconds("leader-elect-lease-duration"),
    renewDeadline: reader.seconds("leader-elect-renew-deadline"),
    retryPeriod: reader.seconds("leader-elect-retry-period"),
    shutdownTimeout: reader.seconds("shutdown-timeout"),
  };
  reader.finish([...electionProblems(settings), ...jobProblems(settings)]);
  return settings;
}

/** client-go has the same rules: a holder must notice that it lost the Lease before anybody else may take it. */
function electionProblems({ leaseDuration, renewDeadline, retryPeriod }: Settings): readonly string[] {
  if (leaseDuration > renewDeadline && renewDeadline > retryPeriod) return [];
  return [
    `--leader-elect-lease-duration ${leaseDuration}, --leader-elect-renew-deadline ${renewDeadline} and --leader-elect-retry-period ${retryPeriod}: each must be greater than the next`,
  ];
}

/** A Job there could take the operator's ServiceAccount, or its Secrets. */
function jobProblems({ namespace, jobNamespaces }: Settings): readonly string[] {
  if (!jobNamespaces.includes(namespace)) return [];
  return [`--job-namespaces lists "${namespace}", where the operator itself runs: give Jobs a namespace of their own`];
}

class Reader {
  private readonly problems: string[] = [];

  constructor(private readonly source: SettingsSource) {}

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

  /** Throws when anything was wrong. */
  finish(more: readonly string[]): void {
    const all = [...this.problems, ...(this.problems.length > 0 ? [] : more)];
    if (all.length > 0) throw new SettingsError(all);
  }

  /** The value of a flag; its default where the value given is a problem, which `finish` tells. */
  private read(name: string, expected: (value: unknown) => boolean): unknown {
    const flag = flagOf(name);
    const given = this.source.flags[name] ?? this.source.env[flag.env];
    const parsed = parseFlag(flag, given ?? flag.default);
    if (parsed.ok && expected(parsed.value)) return parsed.value;
    if (parsed.ok || given === undefined) throw new Error(`--${name} is not of type ${flag.type} in the type model`);
    this.problems.push(`${this.source.flags[name] === undefined ? flag.env : `--${name}`}: ${parsed.problem}`);
    const usual = parseFlag(flag, flag.default);
    return usual.ok ? usual.value : undefined;
  }
}

function flagOf(name: string): Flag {
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (!flag) throw new Error(`no flag --${name} in the type model`);
  return flag;
}
