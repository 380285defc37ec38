/** How to reach and authenticate against one API server: from a pod's service account, or from a kubeconfig. */

import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { parse } from "yaml";

/** A value given inline (PEM, decoded) or as a file, which is re-read while the process runs. */
export type Material = { readonly data: string } | { readonly file: string };

export type Auth =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: Material }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  /** An exec plugin or an auth provider: left to `@kubernetes/client-node`. `kubeconfig` is the merged document. */
  | { readonly kind: "plugin"; readonly kubeconfig: string; readonly context: string };

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

export interface ClusterConfig {
  /** For messages: `in-cluster service account`, `context "x" of /path/config`. */
  readonly source: string;
  /** `https://host:port` with the path prefix, if any, and no slash at its end. */
  readonly server: string;
  /** @default the system's authorities */
  readonly ca?: Material;
  readonly clientCertificate?: { readonly cert: Material; readonly key: Material };
  /** Name expected in the server's certificate. @default the host of `server` */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  /** From the kubeconfig; wins over the proxy variables. */
  readonly proxyUrl?: string;
  readonly auth: Auth;
  readonly impersonate?: Impersonation;
  /** Namespace of the context or of the service account. @default default */
  readonly namespace: string;
}

/** The configuration can't be used. The message says what was seen, where, and what to do. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigError";
  }
}

/** Where the kubelet mounts a pod's service account; the token in it is rotated about hourly. */
export const SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The pod's own service account. @throws ConfigError */
export function inClusterConfig(env: Readonly<Record<string, string | undefined>>, dir: string): ClusterConfig {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new ConfigError(
      `in-cluster configuration: KUBERNETES_SERVICE_HOST is "${host ?? ""}" and KUBERNETES_SERVICE_PORT is "${port ?? ""}"; both are set by the kubelet in every pod, do not override them`,
    );
  }
  const token = join(dir, "token");
  if (!existsSync(token)) {
    throw new ConfigError(
      `in-cluster configuration: ${token} does not exist; set automountServiceAccountToken: true on the pod or give --kubeconfig`,
    );
  }
  const namespace = join(dir, "namespace");
  return {
    source: "in-cluster service account",
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    ca: { file: join(dir, "ca.crt") },
    insecureSkipTlsVerify: false,
    auth: { kind: "token", token: { file: token } },
    namespace: existsSync(namespace) ? readFileSync(namespace, "utf8").trim() : "default",
  };
}

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
  const text = attempt(`${origin}: ${file} can't be read`, "name a file that you may read", () =>
    readFileSync(file, "utf8"),
  );
  const document = attempt(`${file}: can't be read as YAML`, 'see "kubectl config view"', () => parse(text) as unknown);
  if (!isRecord(document)) {
    throw new ConfigError(`${file}: is ${document === null ? "empty" : typeof document}, not a kubeconfig`);
  }
  return document;
}

/** @throws ConfigError with the problem, the first line of its cause, and the remedy */
function attempt<T>(seen: string, remedy: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    throw new ConfigError(`${seen}: ${detail}; ${remedy}`, { cause: error });
  }
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
