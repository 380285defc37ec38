import { type PortNumbers, parsePortRange } from "../kinds/cluster-routed-ip-class-rules";
import type { Rule } from "../schema/schema";

/** Ports that an entry of `allowedPorts` allows. */
export interface PortRule extends PortNumbers {
  /** Absent: each protocol. */
  readonly protocol?: "TCP" | "UDP";
}

/** Ports that a RoutedIP may open if neither its class nor its issuer has `allowedPorts`. */
export const DEFAULT_ALLOWED_PORTS: readonly string[] = ["80", "443", "1025-65535"];

/** Ports of a node's own services: SSH, etcd, the API server, the kubelet and the control plane. */
export const PROTECTED_PORTS: readonly PortNumbers[] = [
  { from: 22, to: 22 },
  { from: 2379, to: 2380 },
  { from: 6443, to: 6443 },
  { from: 10_250, to: 10_259 },
];

/** The protected ports as people write them. */
export const PROTECTED_PORTS_TEXT = PROTECTED_PORTS.map(portNumbersText).join(", ");

/** Default of `maxPorts`. */
export const DEFAULT_MAX_PORTS = 16;

/** Parses `PORT`, `FROM-TO`, either with `/TCP` or `/UDP`; undefined if the text is none of them. */
export function parsePortRule(text: string): PortRule | undefined {
  const [, ports = "", protocol] = /^([0-9-]+)(?:\/(TCP|UDP))?$/.exec(text) ?? [];
  const numbers = parsePortRange(ports.includes("-") ? ports : `${ports}-${ports}`);
  if (numbers === undefined) return undefined;
  return protocol === "TCP" || protocol === "UDP" ? { ...numbers, protocol } : numbers;
}

/** Whether a port is one of those that a rule names. */
export function containsPort(rule: PortRule, { protocol, port }: { readonly protocol: string; readonly port: number }) {
  return port >= rule.from && port <= rule.to && (rule.protocol === undefined || rule.protocol === protocol);
}

/**
 * Whether a rule allows a port. A rule allows a protected port only if the rule names no port besides protected ones: a
 * wide range such as 1-65535 allows none of them.
 */
export function allowsPort(rule: PortRule, { protocol, port }: { readonly protocol: string; readonly port: number }) {
  if (!containsPort(rule, { protocol, port })) return false;
  const guard = PROTECTED_PORTS.find(({ from, to }) => port >= from && port <= to);
  return guard === undefined || (rule.from >= guard.from && rule.to <= guard.to);
}

function portNumbersText({ from, to }: PortNumbers): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

const FIX =
  "is not a port or a range of ports: give PORT or FROM-TO, 1 to 65535, with /TCP or /UDP if only one protocol is allowed, such as 443 or 7000-7999/UDP";
const FIRST = "int(self.split('/')[0].split('-')[0])";
const LAST = "int(self.split('/')[0].split('-')[self.split('/')[0].split('-').size() - 1])";

/** The rule of an entry of `allowedPorts`. The ternary avoids `int()` on text that is not a number. */
export const portRuleRule: Rule<string> = {
  cel: `self.matches('^[0-9]{1,5}(-[0-9]{1,5})?(/(TCP|UDP))?$') ? ${FIRST} >= 1 && ${FIRST} <= ${LAST} && ${LAST} <= 65535 : false`,
  message: `the value ${FIX}`,
  messageCel: `'"' + self + '" ${FIX}'`,
  check: (self) => (parsePortRule(self) === undefined ? `"${self}" ${FIX}` : undefined),
};
