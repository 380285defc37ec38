import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { parse } from "yaml";
import { ConfigError } from "./cluster-config.js";

/** The fields of a kubeconfig that mean something here; all optional, since people write them. */
export interface KubeconfigCluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
}

export interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: { readonly command?: string };
  readonly "auth-provider"?: unknown;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** A named entry and the file that it came from. */
export interface Entry<V> {
  readonly value: V;
  readonly file: string;
}

export interface MergedKubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry<KubeconfigCluster>>;
  readonly users: ReadonlyMap<string, Entry<KubeconfigUser>>;
  readonly contexts: ReadonlyMap<string, Entry<KubeconfigContext>>;
}

const CLUSTER_PATHS = ["certificate-authority"];
const USER_PATHS = ["client-certificate", "client-key", "tokenFile"];

/**
 * Reads and merges as kubectl does: the first file to name an entry or a current context wins, and relative paths
 * are relative to the file that holds them.
 * @param required whether a missing file is an error; in a KUBECONFIG list it is skipped, unless all are missing.
 * @throws ConfigError
 */
export function readKubeconfigs(paths: readonly string[], origin: string, required: boolean): MergedKubeconfig {
  const files = paths.filter((path) => required || existsSync(path));
  if (files.length === 0) {
    throw new ConfigError(`${origin}: none of ${paths.join(", ")} exists; correct KUBECONFIG or unset it`);
  }
  const merged = {
    files,
    currentContext: undefined as string | undefined,
    clusters: new Map<string, Entry<KubeconfigCluster>>(),
    users: new Map<string, Entry<KubeconfigUser>>(),
    contexts: new Map<string, Entry<KubeconfigContext>>(),
  };
  for (const file of files) {
    const document = readDocument(file, origin);
    merged.currentContext ??= text(document["current-context"]);
    collect(merged.clusters, { document, file, kind: "cluster", paths: CLUSTER_PATHS });
    collect(merged.users, { document, file, kind: "user", paths: USER_PATHS });
    collect(merged.contexts, { document, file, kind: "context", paths: [] });
  }
  return merged;
}

function readDocument(file: string, origin: string): Record<string, unknown> {
  if (!existsSync(file)) throw new ConfigError(`${origin}: ${file} does not exist; correct the path`);
  let document: unknown;
  try {
    document = parse(readFileSync(file, "utf8"));
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    throw new ConfigError(`${file}: can't be read as YAML: ${detail}; see "kubectl config view"`, { cause: error });
  }
  if (!isRecord(document)) {
    throw new ConfigError(`${file}: is ${document === null ? "empty" : typeof document}, not a kubeconfig`);
  }
  return document;
}

function list(document: Record<string, unknown>, field: string, file: string): readonly unknown[] {
  const value = document[field] ?? [];
  if (!Array.isArray(value)) throw new ConfigError(`${file}: ${field} is ${typeof value}, a list is expected`);
  return value;
}

interface Section {
  readonly document: Record<string, unknown>;
  readonly file: string;
  readonly kind: string;
  /** Fields that hold paths, relative to the file. */
  readonly paths: readonly string[];
}

/** Of two entries with the same name the first one counts, as in kubectl. */
function collect<V>(into: Map<string, Entry<V>>, { document, file, kind, paths }: Section): void {
  for (const [index, entry] of list(document, `${kind}s`, file).entries()) {
    if (!isRecord(entry) || typeof entry["name"] !== "string") {
      throw new ConfigError(`${file}: ${kind}s[${index}] has no name`);
    }
    if (into.has(entry["name"])) continue;
    const value = isRecord(entry[kind]) ? entry[kind] : {};
    into.set(entry["name"], { value: withAbsolutePaths(value, paths, dirname(file)) as V, file });
  }
}

function withAbsolutePaths(value: Record<string, unknown>, paths: readonly string[], base: string) {
  const copy = { ...value };
  for (const path of paths) {
    const seen = copy[path];
    if (typeof seen === "string" && seen !== "" && !isAbsolute(seen)) copy[path] = resolve(base, seen);
  }
  const exec = copy["exec"];
  // As kubectl: a bare command is looked up in PATH, one with a slash is relative to the file.
  if (isRecord(exec) && typeof exec["command"] === "string" && exec["command"].includes("/")) {
    copy["exec"] = { ...exec, command: resolve(base, exec["command"]) };
  }
  return copy;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
