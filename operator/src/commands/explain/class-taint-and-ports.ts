/** Pure: the taint of a class, and the ports that it and its issuer allow together, for `flipop explain`. */

import type { ClusterRoutedIPClassSpec } from "cdk8s-flipop/api";
import { keepsPodsAway, type TaintFacts, taintText } from "../../match/node-facts.js";
import type { LimitSource } from "../../routing/address-and-name-access.js";
import { commonPorts } from "../../routing/port-access.js";
import { classRules } from "../../routing/resolved-class.js";
import { omitUndefined } from "../../values.js";

export interface ShownRules {
  /** Of a class: the taint of elected nodes, with the defaults. */
  readonly electedNodeTaint?: TaintFacts;
  /** Of a class: the ports that RoutedIPs may open. Absent: neither the class nor its issuer has a list. */
  readonly ports?: AllowedPorts;
}

interface AllowedPorts {
  /** Those that each list allows. */
  readonly allowed: readonly string[];
  readonly lists: readonly { readonly of: string; readonly allowedPorts: readonly string[] }[];
}

/** @param sources the class, and its issuer if it has one */
export function shownRules(spec: ClusterRoutedIPClassSpec, sources: readonly LimitSource[]): ShownRules {
  const { taint, portAccess } = classRules(spec, sources);
  const lists = sources.flatMap(({ of, limits: { allowedPorts } }) => (allowedPorts ? [{ of, allowedPorts }] : []));
  const ports = lists.length === 0 ? undefined : { allowed: commonPorts(portAccess), lists };
  return { electedNodeTaint: taint, ...omitUndefined({ ports }) };
}

export function rulesLines({ electedNodeTaint, ports }: ShownRules): readonly string[] {
  return [
    ...(ports === undefined ? [] : [`allowedPorts: ${portsText(ports)}`]),
    ...(electedNodeTaint === undefined ? [] : [`electedNodeTaint: ${electedText(electedNodeTaint)}`]),
  ];
}

/** With the lists, if more than one of them limits the ports. */
function portsText({ allowed, lists }: AllowedPorts): string {
  const all = listText(allowed);
  if (lists.length === 1) return all;
  const own = lists.map(({ of, allowedPorts }) => `${of} lists ${listText(allowedPorts)}`);
  return `${all} (each of these has to allow a port: ${own.join("; ")})`;
}

function listText(ports: readonly string[]): string {
  return ports.join(", ") || "none";
}

function electedText(taint: TaintFacts): string {
  return `${taintText(taint)}${keepsPodsAway(taint) ? " (pods must tolerate it)" : ""}`;
}
