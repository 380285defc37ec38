import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type ClusterConfig, ConfigError } from "./cluster-config.js";
import { inClusterConfig, SERVICE_ACCOUNT_DIR } from "./in-cluster.js";
import { loadKubeconfig } from "./kubeconfig.js";

export interface LoadConfigProps {
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
  try {
    return loadKubeconfig({ paths: [fallback], origin: "default", required: true, context });
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.message.includes("does not exist")) throw error;
    throw new ConfigError(
      `no cluster configured: --kubeconfig and KUBECONFIG are empty, KUBERNETES_SERVICE_HOST is not set (not in a pod) and ${fallback} does not exist; give one of them`,
    );
  }
}
