import {
  DEFAULT_JOB_NAMESPACE,
  DEFAULT_NAMESPACE,
  driftProblem,
  electionProblem,
  type FeatureName,
  FLAGS,
  type Flag,
  idleFeatures,
  parseFlag,
  parseTenantLimits,
  type TenantLimits,
} from "cdk8s-flipop/api";
import { variableProblems } from "./environment-checks.js";
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
  /** Empty: none. */
  readonly tenantLimits: TenantLimits;
  readonly dryRun: boolean;
  readonly resync: number;
  /** A record that others have edited is as it was after this. */
  readonly driftInterval: number;
  /** Of all resources together; 0: no limit. */
  readonly maxMovesPerMinute: number;
  readonly leaderElect: boolean;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** Empty: unknown. */
  readonly nodeName: string;
  /** With the host at which other replicas reach this one. Empty: off. */
  readonly witnessBindAddr: string;
  readonly shutdownTimeout: number;
}

/** Where the values come from. */
export interface SettingsSource {
  /** Values given on the command line, by flag name. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The namespace of the pod, where the process runs in one. */
  readonly podNamespace?: string;
  /** Reads a file that a flag names. @default no file can be read */
  readonly readFile?: (path: string) => string;
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
    tenantLimits: reader.tenantLimits("tenant-limits"),
    dryRun: reader.boolean("dry-run"),
    resync: reader.number("resync"),
    driftInterval: reader.number("drift-interval"),
    maxMovesPerMinute: reader.number("max-moves-per-minute"),
    leaderElect: reader.boolean("leader-elect"),
    leaseDuration: reader.number("leader-elect-lease-duration"),
    renewDeadline: reader.number("leader-elect-renew-deadline"),
    retryPeriod: reader.number("leader-elect-retry-period"),
    nodeName: reader.text("node-name"),
    witnessBindAddr: reader.address("witness-bind-addr"),
    shutdownTimeout: reader.number("shutdown-timeout"),
  };
  reader.relation(ELECTION_FLAGS, electionProblem(settings));
  reader.relation(["namespace", "job-namespaces", "features"], jobProblem(settings));
  for (const problem of idleFeatures(settings.features)) reader.relation(["features"], `--features: ${problem}`);
  reader.relation(["metrics-bind-addr", "health-bind-addr", "witness-bind-addr"], portProblem(settings));
  reader.relation(["drift-interval"], driftProblem(settings.driftInterval));
  reader.relation(["node-name", "witness-bind-addr"], witnessProblem(settings));
  reader.finish();
  return settings;
}

const ELECTION_FLAGS = ["leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"];

/** Only a listener at one address of the machine leaves the port free at another. */
function portProblem(settings: Settings): string | undefined {
  const { metricsBindAddr, healthBindAddr, witnessBindAddr } = settings;
  const listeners = Object.entries({
    "metrics-bind-addr": metricsBindAddr,
    "health-bind-addr": healthBindAddr,
    "witness-bind-addr": witnessBindAddr,
  }).flatMap(([name, text]) => ({ name, text, ...parseBind(text) }));
  for (const [index, one] of listeners.entries()) {
    const other = listeners
      .slice(index + 1)
      .find((each) => one.port && each.port === one.port && each.host === one.host);
    if (other !== undefined)
      return `--${one.name} and --${other.name} are both "${one.text}": give each a port of its own`;
  }
  return undefined;
}

/** Other replicas have to reach it, and what it sees is weighed by the node that it runs on. */
function witnessProblem({ nodeName, witnessBindAddr }: Settings): string | undefined {
  const bind = parseBind(witnessBindAddr);
  if (bind === undefined) return undefined;
  if (bind.host === undefined)
    return `--witness-bind-addr "${witnessBindAddr}": other replicas ask at this address: give it the IP address of the pod, as in "[10.0.0.1]:8082"`;
  if (nodeName !== "") return undefined;
  return `--witness-bind-addr "${witnessBindAddr}": the node of a witness must be known: give --node-name, too`;
}

/** A Job there could take the operator's ServiceAccount, or its Secrets. Without feature jobs, the default names no namespace. */
function jobProblem({ namespace, jobNamespaces, features }: Settings): string | undefined {
  const idle = !features.includes("jobs") && jobNamespaces.every((each) => each === DEFAULT_JOB_NAMESPACE);
  if (idle || !jobNamespaces.includes(namespace)) return undefined;
  return `--job-namespaces lists "${namespace}", where the operator itself runs: give Jobs a namespace of their own`;
}

/** As Kubernetes has it. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

class Reader {
  private readonly problems: string[] = [];
  /** Flags whose values are among the problems. */
  private readonly unread = new Set<string>();

  constructor(private readonly source: SettingsSource) {
    this.problems.push(...(source.strange ?? []), ...variableProblems(source.env));
  }

  text(name: string): string {
    return this.read(name, (value) => typeof value === "string") as string;
  }

  boolean(name: string): boolean {
    return this.read(name, (value) => typeof value === "boolean") as boolean;
  }

  number(name: string): number {
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
      return text;
    } catch {
      this.refuse(name, `"${text}" is not an address to listen at: use ":8080", "127.0.0.1:8080", "[::1]:8080", or ""`);
      return "";
    }
  }

  /** JSON, or the path of a file with JSON. */
  tenantLimits(name: string): TenantLimits {
    const text = this.text(name).trim();
    const isDocument = text === "" || /^[{[]/.test(text);
    const content = isDocument ? text : this.file(name, text);
    if (content === undefined) return {};
    const parsed = parseTenantLimits(content);
    for (const problem of parsed.limits ? [] : parsed.problems) this.refuse(name, problem);
    return parsed.limits ?? {};
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
    const given = this.source.flags[name] ?? this.source.env[flag.env];
    const parsed = parseFlag(flag, given ?? flag.default);
    if (parsed.ok && expected(parsed.value)) return parsed.value;
    if (parsed.ok || given === undefined) throw new Error(`--${name} is not of type ${flag.type} in the type model`);
    this.refuse(name, parsed.problem);
    const usual = parseFlag(flag, flag.default);
    return usual.ok ? usual.value : undefined;
  }

  private file(name: string, path: string): string | undefined {
    const { readFile = unreadable } = this.source;
    try {
      return readFile(path);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.refuse(
        name,
        `"${path}" is neither JSON nor a file that can be read (${why}): give {"namespaces":[...]}, or the path of a file`,
      );
      return undefined;
    }
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

function unreadable(): string {
  throw new Error("no files are read here");
}

function flagOf(name: string): Flag {
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (!flag) throw new Error(`no flag --${name} in the type model`);
  return flag;
}
