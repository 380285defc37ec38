/** Options that several commands have. */

import { DEFAULT_JOB_NAMESPACE } from "cdk8s-flipop/api";
import type { CommandOption } from "./command.js";

/** Options of every command that talks to a cluster. */
export const CLUSTER_OPTIONS: readonly CommandOption[] = [
  { flags: "--kubeconfig <file>", description: "Path of a kubeconfig; without it: KUBECONFIG, else ~/.kube/config" },
  { flags: "--context <name>", description: "Context of the kubeconfig; without it: the current one" },
];

export const NAMESPACE: CommandOption = {
  flags: "-n, --namespace <name>",
  description: "Namespace of the resource; without it: that of the context",
};

export const OPERATOR_NAMESPACE: CommandOption = {
  flags: "-n, --namespace <name>",
  description: "The operator's namespace; without it: flipop",
};

/** Of the operator's own flags, those that rights and plans depend on. */
export const OPERATOR_SETTINGS: readonly CommandOption[] = [
  { flags: "--features <list>", description: "The operator's features; without it: pools,dns,routedip" },
  { flags: "--watch-namespaces <list>", description: "The operator's --watch-namespaces; without it: all" },
  { flags: "--pod-namespaces <list>", description: "The operator's --pod-namespaces; without it: all" },
  { flags: "--issuer-namespaces <list>", description: "The operator's --issuer-namespaces; without it: its own" },
  {
    flags: "--job-namespaces <list>",
    description: `The operator's --job-namespaces; without it: ${DEFAULT_JOB_NAMESPACE}`,
  },
];

export const OUTPUT = (choices: readonly string[]): CommandOption => ({
  flags: "-o, --output <format>",
  description: "Form of the output; without it: a table",
  choices,
});
