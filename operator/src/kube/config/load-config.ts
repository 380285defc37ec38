import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { omitUndefined } from "../../values.js";
import {
  type Auth,
  type ClusterConfig,
  ConfigError,
  type Entry,
  type Impersonation,
  inClusterConfig,
  type KubeconfigCluster,
  type KubeconfigUser,
  type Material,
  type MergedKubeconfig,
  readKubeconfigs,
  SERVICE_ACCOUNT_DIR,
} from "./cluster-config.js";

interface LoadConfigProps {
  /** The `--kubeconfig` flag. @default none */
  readonly kubeconfig?: string;
  /** @default the kubeconfig's current-context */
  readonly context?: string;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the user's home */
  readonly home?: string;
  /** @default /var/run/secrets/kubernetes.io/serviceaccount */
  readonly serviceAccountDir?: string;
}

/**
 * The same order as controller-runtime: the flag, KUBECONFIG, the pod's service account, ~/.kube/config.
 * @throws ConfigError
 */
export function loadClusterConfig(props: LoadConfigProps = {}): ClusterConfig {
  const { kubeconfig = "", context, env = process.env, serviceAccountDir = SERVICE_ACCOUNT_DIR } = props;
  if (kubeconfig !== "") {
    return loadKubeconfig({ paths: [kubeconfig], origin: "--kubeconfig", required: true, context });
  }
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) return loadKubeconfig({ paths: listed, origin: "KUBECONFIG", required: false, context });
  if (env["KUBERNETES_SERVICE_HOST"] !== undefined) return inClusterConfig(env, serviceAccountDir);
  return homeConfig(join(props.home ?? homedir(), ".kube", "config"), context);
}

/** The last resort; where it is missing, the message names everything that was looked at. */
function homeConfig(fallback: string, context: string | undefined): ClusterConfig {
  if (existsSync(fallback)) return loadKubeconfig({ paths: [fallback], origin: "default", required: true, context });
  throw new ConfigError(
    `no cluster configured: --kubeconfig and KUBECONFIG are empty, KUBERNETES_SERVICE_HOST is not set (not in a pod) and ${fallback} does not exist; give one of them`,
  );
}

interface LoadKubeconfigProps {
  readonly paths: readonly string[];
  /** Who named the paths, for messages. */
  readonly origin: string;
  /** Whether each path must exist. */
  readonly required: boolean;
  readonly context?: string | undefined;
}

/** @throws ConfigError */
function loadKubeconfig(props: LoadKubeconfigProps): ClusterConfig {
  const merged = readKubeconfigs(props.paths, props.origin, props.required);
  const name = contextName(merged, props.context);
  const context = pick(merged.contexts, name, "context", merged.files.join(", "));
  const where = `context "${name}" of ${context.file}`;
  const cluster = pick(merged.clusters, context.value.cluster, "cluster", where);
  const user = context.value.user ? pick(merged.users, context.value.user, "user", where) : NOBODY;
  return {
    source: where,
    server: serverOf(cluster, context.value.cluster ?? ""),
    ...omitUndefined({
      ca: material(cluster.value, "certificate-authority", `cluster of ${where}`),
      clientCertificate: clientCertificate(user, where),
      tlsServerName: cluster.value["tls-server-name"],
      proxyUrl: cluster.value["proxy-url"],
      impersonate: impersonation(user.value),
    }),
    insecureSkipTlsVerify: cluster.value["insecure-skip-tls-verify"] === true,
    auth: authOf(user.value, merged, name),
    namespace: context.value.namespace ?? "default",
  };
}

const NOBODY: Entry<KubeconfigUser> = { value: {}, file: "" };

function contextName(merged: MergedKubeconfig, asked: string | undefined): string {
  const name = asked ?? merged.currentContext;
  if (name !== undefined) return name;
  if (merged.contexts.size === 0) {
    throw new ConfigError(
      `${merged.files.join(", ")}: has no context; add one ("kubectl config set-context NAME"), or name another kubeconfig`,
    );
  }
  throw new ConfigError(
    `${merged.files.join(", ")}: no current-context; set it ("kubectl config use-context NAME") or name one of: ${names(merged.contexts)}`,
  );
}

function pick<V>(from: ReadonlyMap<string, Entry<V>>, name: string | undefined, kind: string, where: string): Entry<V> {
  const found = name === undefined ? undefined : from.get(name);
  if (found !== undefined) return found;
  throw new ConfigError(`${where}: there is no ${kind} "${name ?? ""}"; there are: ${names(from)}`);
}

function names(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? "none" : [...map.keys()].join(", ");
}

function serverOf(cluster: Entry<KubeconfigCluster>, name: string): string {
  const where = `${cluster.file}: cluster "${name}"`;
  const server = cluster.value.server ?? "";
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new ConfigError(`${where}: server is "${server}"; an URL such as https://host:6443 is expected`);
  }
  if (cluster.value["insecure-skip-tls-verify"] && hasCa(cluster.value)) {
    throw new ConfigError(
      `${where}: has both insecure-skip-tls-verify and a certificate authority; take one of them out`,
    );
  }
  return server.replace(/\/+$/, "");
}

function hasCa(cluster: KubeconfigCluster): boolean {
  return Boolean(cluster["certificate-authority"] || cluster["certificate-authority-data"]);
}

/** Data wins over a file, as in kubectl. Data is base64 of PEM. */
function material(from: object, field: string, where: string): Material | undefined {
  const fields = from as Readonly<Record<string, unknown>>;
  const data = fields[`${field}-data`];
  if (typeof data === "string" && data !== "") {
    const decoded = Buffer.from(data, "base64").toString("utf8");
    if (decoded.includes("-----BEGIN")) return { data: decoded };
    throw new ConfigError(`${where}: ${field}-data is not base64 of a PEM block`);
  }
  const file = fields[field];
  return typeof file === "string" && file !== "" ? { file } : undefined;
}

function clientCertificate(user: Entry<KubeconfigUser>, where: string) {
  const cert = material(user.value, "client-certificate", `user of ${where}`);
  const key = material(user.value, "client-key", `user of ${where}`);
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const [has, lacks] = cert === undefined ? ["client-key", "client-certificate"] : ["client-certificate", "client-key"];
  throw new ConfigError(`${user.file}: the user of ${where} has ${has} but no ${lacks}; add it`);
}

/** tokenFile wins over token, as in client-go; a plugin runs only where nothing else is given. */
function authOf(user: KubeconfigUser, merged: MergedKubeconfig, context: string): Auth {
  if (user.tokenFile) return { kind: "token", token: { file: user.tokenFile } };
  if (user.token) return { kind: "token", token: { data: user.token } };
  if (user.username) return { kind: "basic", username: user.username, password: user.password ?? "" };
  if (user.exec !== undefined || user["auth-provider"] !== undefined) {
    return { kind: "plugin", kubeconfig: toDocument(merged), context };
  }
  return { kind: "none" };
}

function impersonation(user: KubeconfigUser): Impersonation | undefined {
  if (!user.as) return undefined;
  return { user: user.as, groups: user["as-groups"] ?? [], ...omitUndefined({ uid: user["as-uid"] }) };
}

/** The merged kubeconfig as one document, which is JSON and so YAML. */
function toDocument(merged: MergedKubeconfig): string {
  const section = (kind: string, entries: ReadonlyMap<string, Entry<unknown>>) =>
    [...entries].map(([name, entry]) => ({ name, [kind]: entry.value }));
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: section("cluster", merged.clusters),
    users: section("user", merged.users),
    contexts: section("context", merged.contexts),
  });
}
