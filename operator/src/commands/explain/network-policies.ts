/** NetworkPolicies that keep clients from outside of the cluster away from the pods by which nodes count. */

import { type KubeObject, keyOf, type LabelSelector, matchesLabels } from "../../kube/objects.js";
import { serves } from "../../match/node-workload.js";
import { FIX } from "../../messages/message.js";
import { compareText, listed } from "../../values.js";
import { listAll, unlessRefused } from "../list-objects.js";
import type { PodFacts, PodReader } from "./pods.js";
import type { Asked } from "./requirements.js";

/** Namespaces that are read, lines, and the pods that one line names. */
const MOST = 3;

/** Policies do not apply to a pod with the network of its node. */
export async function policyNotes(
  { client, signal }: PodReader,
  { pods = [], family }: Pick<Asked, "pods" | "family">,
): Promise<readonly string[]> {
  const serving = pods.filter((pod) => serves(pod) && pod.hostNetwork !== true);
  const namespaces = [...new Set(serving.map(({ namespace }) => namespace))].sort(compareText).slice(0, MOST);
  const reads = namespaces.map((namespace) => {
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
    return unlessRefused(listAll<RawPolicy>(client, { path }, signal));
  });
  const policies = (await Promise.all(reads)).flatMap((read) => read ?? []).filter(limitsIngress);
  const closed = groupsOf(serving, policies);
  return [...closed].slice(0, MOST).map(([lead, shut]) => closedText(lead, shut, family));
}

/** Kubernetes takes a policy without types for one of ingress, too. */
function limitsIngress({ spec }: RawPolicy): boolean {
  return spec?.policyTypes?.includes("Ingress") ?? true;
}

/** The pods that no client from outside reaches, by the start of a line: the names of the policies that select them. */
function groupsOf(pods: readonly PodFacts[], policies: readonly RawPolicy[]): ReadonlyMap<string, readonly PodFacts[]> {
  const groups = new Map<string, PodFacts[]>();
  for (const pod of pods) {
    const selecting = policies.filter((policy) => selects(policy, pod));
    if (selecting.length === 0 || selecting.some(letsClientsIn)) continue;
    const names = selecting.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort(compareText);
    const one = names.length === 1;
    const text = `${one ? "NetworkPolicy" : "NetworkPolicies"} ${listed(names)} ${one ? "selects" : "select"}`;
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [pod]);
    else group.push(pod);
  }
  return groups;
}

function selects({ metadata, spec }: RawPolicy, { namespace, labels }: PodFacts): boolean {
  return metadata.namespace === namespace && matchesLabels(spec?.podSelector ?? {}, labels);
}

/** Selectors of pods and namespaces find only what runs in the cluster. Any block may be meant for clients. */
function letsClientsIn({ spec }: RawPolicy): boolean {
  return (spec?.ingress ?? []).some(({ from }) => {
    return from === undefined || from.length === 0 || from.some(({ ipBlock }) => ipBlock !== undefined);
  });
}

function closedText(lead: string, pods: readonly PodFacts[], family: Asked["family"]): string {
  const own = pods.map(keyOf).sort(compareText);
  const [which, them] = own.length === 1 ? ["pod", "it"] : ["pods", "them"];
  const block = family === "IPv6" ? "::/0" : "0.0.0.0/0";
  return `${lead} ${which} ${listed(own, MOST)}, and no rule there lets clients from outside of the cluster reach ${them}${FIX}add a NetworkPolicy that lets ipBlock ${block} reach ${portsText(pods)}${them}`;
}

/** Empty: a Service alone says which ports clients reach. */
function portsText(pods: readonly PodFacts[]): string {
  const open = pods.flatMap(({ hostPorts = [] }) => hostPorts).filter(({ loopback }) => loopback === undefined);
  const ports = [...new Set(open.map(({ containerPort, protocol }) => `${containerPort}/${protocol}`))];
  if (ports.length === 0) return "";
  return `${ports.length === 1 ? "port" : "ports"} ${listed(ports)} of `;
}

interface RawPolicy extends KubeObject {
  readonly spec?: {
    readonly podSelector?: LabelSelector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly { readonly from?: readonly { readonly ipBlock?: object }[] }[];
  };
}
