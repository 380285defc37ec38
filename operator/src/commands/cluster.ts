/** How a command reaches the cluster, and what it says when it can't. */

import { RELEASE } from "cdk8s-flipop/api";
import { isForbidden, isUnauthorized, type KubeClient, StatusError } from "../kube/client.js";
import { ConfigError } from "../kube/config/cluster-config.js";
import { loadClusterConfig } from "../kube/config/load-config.js";
import { DeadlineError, NetworkError } from "../kube/transport/failures.js";
import { Transport } from "../kube/transport/transport.js";
import { CLI_ATTEMPTS, CLI_CALL_SECONDS } from "../timings.js";
import { type CommandCall, CommandError, textOption } from "./command.js";

export interface Cluster {
  readonly client: KubeClient;
  /** The one asked for, else that of the context. */
  readonly namespace: string;
}

/** Connects, works, and leaves no socket behind. @param user acts as this one; @default the user of the kubeconfig */
export async function withCluster<T>(
  call: CommandCall,
  work: (cluster: Cluster) => Promise<T>,
  user?: string,
): Promise<T> {
  const { env } = call.io;
  const [kubeconfig, context] = [textOption(call, "kubeconfig"), textOption(call, "context")];
  const own = loadClusterConfig({ env, ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  const config = user === undefined ? own : { ...own, impersonate: { user, groups: [] } };
  const transport = new Transport({ config, env, userAgent: `flipop-cli/${RELEASE}` });
  const limits = { maxAttempts: CLI_ATTEMPTS, deadlineSeconds: CLI_CALL_SECONDS };
  const client: KubeClient = {
    // Ctrl-C ends all but a write, whose result would not be known.
    request: (request) =>
      transport.request({ ...limits, ...(request.method !== "PATCH" && { signal: call.io.stop }), ...request }),
    open: (request) => transport.open(request),
  };
  try {
    return await work({ client, namespace: textOption(call, "namespace") ?? config.namespace });
  } finally {
    await transport.close();
  }
}

/** One line that says what was seen and what to do. Throws what is a mistake of the program. */
export function problemText(error: unknown): string {
  if (error instanceof CommandError || error instanceof ConfigError) return error.message;
  if (isUnauthorized(error)) {
    return `the API server does not accept the credentials of the kubeconfig (${error.message}): log in again, or choose another context with --context`;
  }
  if (isForbidden(error)) {
    return `${error.message}: ask the cluster's administrator for ClusterRole "view" in the whole cluster, into which the chart and the construct aggregate the rights that the commands need`;
  }
  if (error instanceof StatusError) return `the API server refused the request: ${error.message}`;
  if (error instanceof NetworkError || error instanceof DeadlineError) {
    return `${error.message}: check the network, and that the kubeconfig's context is the right one`;
  }
  throw error;
}
