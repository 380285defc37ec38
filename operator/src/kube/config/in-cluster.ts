import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { type ClusterConfig, ConfigError } from "./cluster-config.js";

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
