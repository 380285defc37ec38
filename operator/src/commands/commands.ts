/** Every command that reads or changes a cluster for a person. `--help` and the reference page come from this table. */

import { DEFAULT_JOB_NAMESPACE } from "cdk8s-flipop/api";
import type { CommandOption, CommandSpec } from "./command.js";

/** Options of every command that talks to a cluster. */
export const CLUSTER_OPTIONS: readonly CommandOption[] = [
  { flags: "--kubeconfig <file>", description: "Path of a kubeconfig; without it: KUBECONFIG, else ~/.kube/config" },
  { flags: "--context <name>", description: "Context of the kubeconfig; without it: the current one" },
];

const NAMESPACE: CommandOption = {
  flags: "-n, --namespace <name>",
  description: "Namespace of the resource; without it: that of the context",
};

const OPERATOR_NAMESPACE: CommandOption = {
  flags: "-n, --namespace <name>",
  description: "The operator's namespace; without it: flipop",
};

const OUTPUT = (choices: readonly string[]): CommandOption => ({
  flags: "-o, --output <format>",
  description: "Form of the output; without it: a table",
  choices,
});

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "status",
    summary: "Show all resources, each with its first problem",
    details: [
      "READY and PROBLEM come from the conditions of the resource: PROBLEM is the first condition that is bad, with its",
      "[reason](conditions.md), or the pause of a resource that serves. If there is none, a NOTE in parentheses shows a condition that is",
      "good with a restriction that you may not have meant. A kind that you may not read is named on the error output.",
    ],
    args: [],
    options: [
      { flags: "-n, --namespace <name>", description: "Show this namespace only; without it: all" },
      { flags: "-A, --all-namespaces", description: "Show all namespaces, as kubectl does; the command ignores -n" },
      OUTPUT(["wide", "json", "yaml"]),
      { flags: "-w, --watch", description: "Continue, and print each resource again when it changes" },
      ...CLUSTER_OPTIONS,
    ],
    reads: "nothing else",
    examples: ["flipop status", "flipop status -o json", "kubectl flipop status --watch"],
    load: () => import("./status.js"),
  },
  {
    name: "explain",
    summary: "Show each check of each node for a resource, or what uses an issuer, a class or a node",
    details: [
      "The command reads the nodes, the workload and the addresses of other resources, and runs the operator's own checks on",
      "them: [why a node is not a candidate](conditions.md#why-a-node-is-not-a-candidate) lists the reasons. `holds` is a node with",
      "an address of the resource, `occupied` one that would be a candidate without the address of another resource. `-o wide` has",
      "a column for each check, and a line below for what all nodes have in common. With a provider's token in its environment, the",
      "command also reads the account, and shows addresses that no resource knows and that take the place of others; without one,",
      "it knows those in the status of resources only.",
      "Above the nodes are all conditions that are not as they should be, the most important first, the pods that share a node",
      "while another one lacks a pod, and the pods that are Pending, with the scheduler's message. An issuer or a class needs no",
      "nodes: the command shows whether RoutedIPs can use it, all RoutedIPs that do (and the classes that use an issuer), and what",
      "keeps each of them from serving. `flipop explain node/NAME` has a line for each resource that needs nodes: whether the node is",
      "a candidate for it, and why not; with `-n`, for those of one namespace.",
    ],
    args: [
      {
        name: "<resource>",
        description: "pool/NAME, recordset/NAME, routedip/NAME, issuer/NAME, class/NAME or node/NAME",
      },
      { name: "[node]", description: "Show this node only, with every check" },
    ],
    options: [
      NAMESPACE,
      OUTPUT(["wide", "json", "yaml"]),
      {
        flags: "-a, --all",
        description:
          "Show also the nodes that lack the labels of the match, or its pods if it asks for no labels; of a node, also the resources that ask for others",
      },
      ...CLUSTER_OPTIONS,
    ],
    reads: "list nodes, and the pods, Service and EndpointSlices that the resource names (of a node: all pods on it)",
    examples: [
      "flipop explain pool/web",
      "flipop explain routedip/game node-3 -n games",
      "flipop explain issuer/main -n games",
      "flipop explain node/node-3",
    ],
    load: () => import("./explain/explain.js"),
  },
  {
    name: "plan",
    summary: "Show what the operator would do now, and exit",
    details: [
      "The command runs the operator's own code in a dry run on the cluster and the accounts of this moment, prints the first",
      "steps of each resource, and ends when every plan is complete. It changes nothing, takes no Lease, and needs the tokens of the",
      "providers in its own environment, and the operator's other variables (`FLIPOP_...`) where the operator has them. `+` creates or",
      "adds, `~` changes, `-` removes; `!` is a condition that is bad. Steps that follow from these, such as the DNS records of an",
      "address that does not exist yet, are not shown. With `-f`, the plan is that of the manifests in the file, as if they were",
      "applied: it shows their resources only, checks their specs as the CRDs do, and does not apply Secrets, Services and other kinds.",
      "Exit codes for CI: 0 nothing to do, 2 there are changes, 1 an error, an incomplete plan, or a command line that can't be",
      "understood. A dry run of Jobs needs the operator's own rights: classes with Jobs stay untried.",
    ],
    args: [],
    options: [
      {
        flags: "-f, --filename <file>",
        description: "Plan with these manifests, YAML of one or more documents; -: standard input",
      },
      {
        flags: "-n, --namespace <name>",
        description: "Namespace of manifests that name none; without it: that of the context",
      },
      { flags: "--operator-namespace <name>", description: "The operator's namespace; without it: flipop" },
      { flags: "--features <list>", description: "The operator's features; without it: pools,dns,routedip" },
      { flags: "--watch-namespaces <list>", description: "The operator's --watch-namespaces; without it: all" },
      OUTPUT(["json", "yaml"]),
      ...CLUSTER_OPTIONS,
    ],
    reads: "list nodes, pods, Services and EndpointSlices, and read the Secrets of issuers",
    examples: ["flipop plan", "flipop plan -f pool.yaml -n ingress", "kubectl kustomize . | flipop plan -f - -o json"],
    usageCode: 1,
    load: () => import("./plan/plan.js"),
  },
  {
    name: "doctor",
    summary: "Check all that the operator needs around it",
    details: [
      "The command checks that each CRD has every field of this release, which pod leads, whether another operator leads elsewhere, and",
      "the operator's rights (one SelfSubjectAccessReview for each). It reports nodes that no provider can serve, nodes with the",
      "providerID of another one, workers of DOKS ([will it work for me](../how-to/will-it-work.md)), network policies in the operator's",
      "namespace, and issuers and classes that the operator refuses. For each token in its own environment, it checks whether the provider accepts it, which scopes to read it has,",
      "and how many addresses the account may have. It reads no Secret, so it tries no token of an issuer. It asks for rights as the",
      "ServiceAccount of the operator, so you need the right to impersonate it. It ends with code 1 if one of the results is PROBLEM.",
    ],
    args: [],
    options: [
      OPERATOR_NAMESPACE,
      { flags: "--service-account <name>", description: "The operator's ServiceAccount; without it: flipop" },
      { flags: "--self", description: "Ask for the rights of the kubeconfig's user instead" },
      { flags: "--features <list>", description: "The operator's features; without it: pools,dns,routedip" },
      { flags: "--watch-namespaces <list>", description: "The operator's --watch-namespaces; without it: all" },
      { flags: "--pod-namespaces <list>", description: "The operator's --pod-namespaces; without it: all" },
      { flags: "--issuer-namespaces <list>", description: "The operator's --issuer-namespaces; without it: its own" },
      {
        flags: "--job-namespaces <list>",
        description: `The operator's --job-namespaces; without it: ${DEFAULT_JOB_NAMESPACE}`,
      },
      OUTPUT(["json", "yaml"]),
      ...CLUSTER_OPTIONS,
    ],
    reads: "read CRDs, the Lease in all namespaces, nodes, and NetworkPolicies and pods in the operator's namespace",
    examples: ["flipop doctor", 'DIGITALOCEAN_ACCESS_TOKEN="$TOKEN" flipop doctor -o json'],
    load: () => import("./doctor/doctor.js"),
  },
  {
    name: "migrate",
    summary: "Show what changes when this operator replaces FLIPOP, the Go operator, and whether the way back is free",
    details: [
      "Steps for [the migration](../how-to/migrate-from-the-go-operator.md), none of which changes anything. `check`: who holds the",
      "Lease, CRDs that lack fields, specs that this operator would reject, addresses and names with two owners, what it would create",
      "and change at once, finalizers, and CRDs of another RoutedIP operator. `addresses` prints the node of each address and `names`",
      "each DNS name, one line each, to compare before and after. `back`: what keeps you from going back to the Go operator, and the",
      "fields that it drops. `check` and `back` end with code 1 if one of the results is PROBLEM.",
    ],
    args: [{ name: "<step>", description: "check, addresses, names or back" }],
    options: [OUTPUT(["json", "yaml"]), ...CLUSTER_OPTIONS],
    reads: "read CRDs, and the Lease in all namespaces",
    examples: ["flipop migrate check", "flipop migrate addresses > addresses.txt"],
    load: () => import("./migrate/migrate.js"),
  },
  {
    name: "adopt",
    summary: "Give a pool an address that the account has already",
    details: [
      "This command changes the cluster: it appends the address to `spec.ips` of the pool. It refuses an address that another",
      "resource claims, an address of another family, and a pool that would disable an address because of `desiredIPs`. With `--raise`,",
      "such a pool gets `desiredIPs` + 1 in the same write, and the address stands before the disabled ones. Do not raise `desiredIPs`",
      "yourself before: the operator would create an address, and fill the new place. The command does not look at the account: if the",
      "account does not have the address, the pool reports `AddressNotFound`.",
    ],
    args: [
      { name: "<ip>", description: "The address" },
      { name: "<resource>", description: "pool/NAME" },
    ],
    options: [
      NAMESPACE,
      { flags: "--raise", description: "Raise desiredIPs by one if the pool has as many addresses as it asks for" },
      ...CLUSTER_OPTIONS,
    ],
    reads: "patch the pool",
    examples: ["flipop adopt 203.0.113.7 pool/web -n ingress", "flipop adopt 203.0.113.7 pool/web -n ingress --raise"],
    load: () => import("./adopt.js"),
  },
  {
    name: "orphans",
    summary: "List the account's addresses that no resource knows, with their cost, and release them",
    details: [
      "The command compares the accounts whose tokens are in its environment with the pools and RoutedIPs of the cluster. It does not",
      "read Secrets, so it does not see the accounts of issuers. USD/MONTH is the list price of an address that no machine holds",
      "([DigitalOcean](https://docs.digitalocean.com/products/networking/reserved-ips/details/pricing/)). FORMER OWNER comes from the",
      "annotations of nodes, and from classes and issuers, which record retained addresses. Nothing else records it: if a pool and its",
      "namespace are gone, and no node holds the address, the owner is not known. **Addresses of other clusters of the",
      "account are in the list, too.** To get an address back, use `flipop adopt`.",
      "With `--release`, the command changes the account: it releases the addresses after you confirm. It refuses all of them if a",
      "resource lists one, or a creation is open. If a machine holds one, such as an address that a deleted pool left on its node, the",
      "command names the machine, and takes the address off it only with `--unassign`; to confirm, you type the address.",
      "The operator notices that when it reads the account again: within 2 minutes if a resource lacks an address, else within 5.",
    ],
    args: [],
    options: [
      { flags: "--release <address...>", description: "Release these addresses" },
      { flags: "--unassign", description: "With --release: also take the addresses off the machines that hold them" },
      { flags: "--yes", description: "Do not ask, for scripts" },
      OUTPUT(["json", "yaml"]),
      ...CLUSTER_OPTIONS,
    ],
    reads: "list nodes",
    examples: [
      "flipop orphans",
      "flipop orphans --release 203.0.113.7 203.0.113.8",
      "flipop orphans --release 203.0.113.7 --unassign",
    ],
    load: () => import("./orphans/orphans.js"),
  },
  {
    name: "stop",
    summary: "Stop all changes to clouds and DNS until `flipop resume`",
    details: [
      "This command changes the cluster: it sets annotation `flipop.digitalocean.com/stop` on the operator's Lease, with the reason",
      "and the time as its value. After 1 s at most, the leader sends no call that changes a cloud or DNS, and starts no Job. A call that is on its",
      "way ends. Condition Ready of each resource becomes False with reason `Stopped`, metric `flipop_stopped` becomes 1, and alert",
      "FlipopStopped fires after 15 minutes. The operator stays stopped when it restarts and when another pod leads. If its role",
      "lacks the right to watch the Lease, it notices the annotation at the next renewal, after 2 s at most. Without the command:",
      "`kubectl annotate lease -n flipop floating-ip-pool-controller-leader-election flipop.digitalocean.com/stop=REASON`.",
    ],
    args: [{ name: "[reason]", description: "For the people who read the conditions" }],
    options: [OPERATOR_NAMESPACE, ...CLUSTER_OPTIONS],
    reads: "get and patch the Lease, which Role `flipop-on-call` in the operator's namespace grants",
    examples: ['flipop stop "the account moves, until 14:00"'],
    load: () => import("./stop.js"),
  },
  {
    name: "resume",
    summary: "Let the operator work again after `flipop stop`",
    details: [
      "This command changes the cluster: it removes the annotation from the Lease. The operator plans all resources at once.",
    ],
    args: [],
    options: [OPERATOR_NAMESPACE, ...CLUSTER_OPTIONS],
    reads: "get and patch the Lease, which Role `flipop-on-call` in the operator's namespace grants",
    examples: ["flipop resume"],
    load: async () => ({ run: (await import("./stop.js")).resume }),
  },
  {
    name: "bundle",
    summary: "Collect what an issue report needs in a folder, without tokens",
    details: [
      "The folder holds versions, all resources of the five kinds, their Events, the Lease, the results of `doctor`, and the last lines",
      "of the operator's log, as far as you may read them; where you may not, a file says so. The command reads no Secret. It blanks",
      "tokens that it knows or recognises by their form, and the values of all environment variables in Jobs, and leaves out annotations",
      "that are not flipop's. **Names, addresses and domains stay: read the files before you publish them.**",
    ],
    args: [{ name: "[folder]", description: "A new or empty folder; without it: flipop-bundle-TIME" }],
    options: [
      OPERATOR_NAMESPACE,
      { flags: "--service-account <name>", description: "The operator's ServiceAccount; without it: flipop" },
      { flags: "--self", description: "Let doctor ask for the rights of the kubeconfig's user instead" },
      ...CLUSTER_OPTIONS,
    ],
    reads: "those of doctor; list Events, and pods and their logs in the operator's namespace",
    examples: ["flipop bundle", "flipop bundle report && tar czf report.tar.gz report"],
    load: () => import("./bundle.js"),
  },
  {
    name: "completion",
    summary: "Print a script that completes commands and options in a shell",
    details: [],
    args: [{ name: "<shell>", description: "bash, zsh or fish" }],
    options: [],
    reads: "no cluster",
    examples: ["source <(flipop completion bash)", "flipop completion fish | source"],
    load: () => import("./completion.js"),
  },
  {
    name: "version",
    summary: "Print the version, the commit and the platform",
    details: [],
    args: [],
    options: [OUTPUT(["json", "yaml"])],
    reads: "no cluster",
    examples: ["flipop version"],
    load: () => import("./version.js"),
  },
];
