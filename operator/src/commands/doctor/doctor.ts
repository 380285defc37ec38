/** `flipop doctor`: all that an operator needs around it, checked one by one. Changes nothing. */

import {
  allProviders,
  DEFAULT_FEATURES,
  DEFAULT_JOB_NAMESPACE,
  DEFAULT_NAMESPACE,
  FEATURES,
  type FeatureName,
  LEASE_NAME,
} from "cdk8s-flipop/api";
import { EXIT } from "../../exit.js";
import { isForbidden, isNotFound, type KubeClient } from "../../kube/client.js";
import type { Lease } from "../../kube/write/lease.js";
import { addressCapabilities } from "../../providers/address-capabilities.js";
import { withCluster } from "../cluster.js";
import { type CommandCall, textOption, UsageError } from "../command.js";
import { listAll, type OwnObject, readNodes } from "../list-objects.js";
import { dataText, tableText } from "../render/table.js";
import { withProgress } from "../terminal.js";
import { accountFindings } from "./accounts.js";
import { DEFINITIONS, type Definition, definitionFindings, endpointFindings } from "./definitions.js";
import { type Finding, unknown } from "./finding.js";
import { issuerFindings } from "./issuers.js";
import { leaseFindings } from "./leases.js";
import { nodeFindings } from "./nodes.js";
import { type Policy, policyFinding } from "./operator-egress.js";
import { otherOperators } from "./other-operators.js";
import { type RightsQuestion, rightsFinding } from "./rights.js";

export async function run(call: CommandCall): Promise<number> {
  const question = questionOf(call);
  const self = call.options["self"] === true;
  const findings = await withProgress(call.io, "checking", () => findingsOf(call, question, self));
  printFindings(call, findings);
  return findings.some(({ result }) => result === "problem") ? EXIT.failed : EXIT.ok;
}

export async function findingsOf(
  call: CommandCall,
  question: RightsQuestion,
  self: boolean,
): Promise<readonly Finding[]> {
  const found = await Promise.all([
    clusterFindings(call, question),
    withCluster(call, ({ client }) => rightsFinding(client, question), self ? undefined : question.who),
    accountFindings(call.io),
  ]);
  return found.flat();
}

export function questionOf(call: CommandCall): RightsQuestion {
  const namespace = textOption(call, "namespace") ?? DEFAULT_NAMESPACE;
  const account = textOption(call, "serviceAccount") ?? "flipop";
  const self = call.options["self"] === true;
  return {
    who: self ? "the user of the kubeconfig" : `system:serviceaccount:${namespace}:${account}`,
    namespace,
    features: featuresOf(textOption(call, "features")),
    watchNamespaces: listOf(textOption(call, "watchNamespaces")),
    podNamespaces: listOf(textOption(call, "podNamespaces")),
    issuerNamespaces: listOf(textOption(call, "issuerNamespaces") ?? namespace),
    jobNamespaces: listOf(textOption(call, "jobNamespaces") ?? DEFAULT_JOB_NAMESPACE),
  };
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? "").split(",").filter((name) => name !== "");
}

function featuresOf(text: string | undefined): readonly FeatureName[] {
  if (text === undefined) return DEFAULT_FEATURES;
  const names = text.split(",");
  const strange = names.find((name) => !Object.hasOwn(FEATURES, name));
  if (strange === undefined) return names as FeatureName[];
  throw new UsageError(`--features: there is no feature "${strange}": use ${Object.keys(FEATURES).join(", ")}`);
}

function clusterFindings(call: CommandCall, question: RightsQuestion): Promise<readonly Finding[]> {
  const { namespace, features } = question;
  const signal = call.io.stop;
  return withCluster(call, async ({ client }) => {
    const now = call.io.now();
    const all = await Promise.all([
      guarded("CRDs", async () => {
        const installed = await listAll<Definition>(client, DEFINITIONS, signal);
        return [...definitionFindings(installed), ...endpointFindings(installed, features)];
      }),
      guarded("leader", async () => leaseFindings(await readLease(client, namespace), namespace, now)),
      guarded("another operator", () => otherOperators(client, question, { now, signal })),
      guarded("nodes", async () => nodeFindings([...(await readNodes(client, signal)).list()], MACHINES)),
      guarded("issuers", () => issuerFindings(client, question, signal)),
      guarded("network policy", async () => [await readPolicies(client, namespace, signal)]),
    ]);
    return all.flat();
  });
}

const MACHINES = allProviders().flatMap(({ name }) => addressCapabilities(name) ?? []);

/** What may not be read is not known: that keeps no other check back. */
async function guarded(check: string, find: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await find();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return [unknown(check, error.message, "run doctor with more rights")];
  }
}

async function readLease(client: KubeClient, namespace: string): Promise<Lease | undefined> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${LEASE_NAME}`;
  try {
    return await client.request<Lease>({ method: "GET", path });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function readPolicies(client: KubeClient, namespace: string, signal: AbortSignal): Promise<Finding> {
  const policies = { path: `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies` };
  const pods = { path: `/api/v1/namespaces/${namespace}/pods`, labelSelector: "app.kubernetes.io/name=flipop" };
  const [found, own] = await Promise.all([
    listAll<Policy>(client, policies, signal),
    listAll<OwnObject>(client, pods, signal),
  ]);
  return policyFinding({ namespace, policies: found, pods: own.map(({ metadata }) => metadata) });
}

const MARKS: Readonly<Record<Finding["result"], string>> = {
  ok: "ok",
  warning: "WARNING",
  problem: "PROBLEM",
  unknown: "unknown",
};

export function printFindings({ io, ...call }: CommandCall, findings: readonly Finding[]): void {
  const format = textOption(call, "output");
  if (format === "json" || format === "yaml") {
    io.out(dataText(findings, format));
    return;
  }
  const rows = findings.map(({ check, result, seen, remedy }) => {
    return [check, MARKS[result], remedy === undefined ? seen : `${seen}: ${remedy}`];
  });
  io.out(tableText([["CHECK", "RESULT", "SEEN"], ...rows]));
}
