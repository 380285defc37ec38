/** Pure: network policies that keep the operator from the APIs of the clouds. */

import { type LabelSelector, matchesLabels } from "../../kube/objects.js";
import { type Finding, ok, problem, unknown } from "./finding.js";

interface PolicyPort {
  readonly port?: number | string;
  readonly endPort?: number;
  readonly protocol?: string;
}

export interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly podSelector?: LabelSelector;
    readonly policyTypes?: readonly string[];
    readonly egress?: readonly { readonly ports?: readonly PolicyPort[] }[];
  };
}

const HTTPS = 443;

/** The pods of the operator, and the policies beside them. */
interface Policed {
  readonly namespace: string;
  readonly policies: readonly Policy[];
  readonly pods: readonly { readonly labels?: Readonly<Record<string, string>> }[];
}

/** Whether the policies let the operator's pods open connections to port 443, on which the clouds serve. */
export function policyFinding({ namespace, policies, pods }: Policed): Finding {
  const check = "network policy";
  const limiting = policies.filter(({ spec }) => spec?.policyTypes?.includes("Egress") ?? spec?.egress !== undefined);
  if (limiting.length > 0 && pods.length === 0) {
    const seen = `namespace ${namespace} has no pod of the operator, so whether ${namesIn(limiting)} limits it is not known`;
    return unknown(check, seen, "start the operator, or name its namespace with --namespace; then run doctor again");
  }
  const selecting = limiting.filter(({ spec }) =>
    pods.some(({ labels = {} }) => matchesLabels(spec?.podSelector ?? {}, labels)),
  );
  if (selecting.length === 0) return ok(check, "no NetworkPolicy limits what the operator's pods reach");
  const names = namesIn(selecting);
  const allows = selecting.some(({ spec }) => (spec?.egress ?? []).some(({ ports }) => opensHttps(ports)));
  if (allows) return ok(check, `${names}: port ${HTTPS} is open`);
  const remedy = `allow egress to TCP port ${HTTPS} (the clouds), to the API server's port, and to DNS`;
  return problem(check, `${names}: no rule opens port ${HTTPS} to the operator's pods`, remedy);
}

function namesIn(policies: readonly Policy[]): string {
  return policies.map(({ metadata }) => metadata.name).join(", ");
}

function opensHttps(ports: readonly PolicyPort[] | undefined): boolean {
  if (ports === undefined || ports.length === 0) return true;
  return ports.some(({ port, endPort, protocol = "TCP" }) => {
    if (protocol !== "TCP") return false;
    if (port === undefined || typeof port === "string") return port === undefined || port === "https";
    return port <= HTTPS && HTTPS <= (endPort ?? port);
  });
}
