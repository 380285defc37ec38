/** Rules of a firewall: read from a body, checked, shown, compared. They have no id: a rule is what it says. */

import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject, type JsonValue } from "../../http/json.js";
import type { SimulatorRequest } from "../../http/message.js";
import { isAddressOrCidr } from "../addresses/ip.js";
import type { FirewallRule, FirewallTarget } from "../data.js";
import { unprocessable } from "../errors.js";
import { integersField, listField, textField, textsField } from "../fields.js";

export type Direction = "inbound" | "outbound";

const TARGET_FIELD = { inbound: "sources", outbound: "destinations" } as const;
const PROTOCOLS = ["tcp", "udp", "icmp"] as const;
const MAX_ADDRESSES = 1_000;
const MAX_PORT = 65_535;

export const RULE_MESSAGES = {
  noPorts: "You must specify a positive value for ports.",
  badPorts: "you must specify a valid range for ports",
  badAddress: "invalid address",
} as const;

/** How "all ports" may be spelled. */
export type AllPorts = "all" | "0" | "either";

/** `inbound_rules` or `outbound_rules` of a body; empty where absent. Throws 422. */
export function readRules(
  request: SimulatorRequest,
  body: JsonObject,
  direction: Direction,
  allPorts: AllPorts,
): readonly FirewallRule[] {
  return listField(request, body, `${direction}_rules`).map((rule) => readRule(request, rule, direction, allPorts));
}

function readRule(request: SimulatorRequest, rule: JsonValue, direction: Direction, allPorts: AllPorts): FirewallRule {
  if (!isObject(rule)) throw unprocessable(request, `${direction}_rules must be a list of objects.`);
  const sent = textField(request, rule, "protocol");
  const protocol = PROTOCOLS.find((known) => known === sent);
  if (protocol === undefined) throw unprocessable(request, `protocol must be one of ${PROTOCOLS.join(", ")}.`);
  const field = TARGET_FIELD[direction];
  const target = rule[field];
  if (!isObject(target)) throw unprocessable(request, `${field} is required.`);
  const ports = protocol === "icmp" ? "0" : readPorts(request, textField(request, rule, "ports"), allPorts);
  return { protocol, ports, target: readTarget(request, target) };
}

/** `all` and `0` come back as `0`. */
function readPorts(request: SimulatorRequest, sent: string | undefined, allPorts: AllPorts): string {
  if (sent === undefined || sent === "") throw unprocessable(request, RULE_MESSAGES.noPorts);
  if (sent === "all" || sent === "0") {
    if (allPorts === "either" || allPorts === sent) return "0";
    throw unprocessable(request, sent === "0" ? RULE_MESSAGES.noPorts : RULE_MESSAGES.badPorts);
  }
  if (!isPortRange(sent)) throw unprocessable(request, RULE_MESSAGES.badPorts);
  return sent;
}

/** `80` or `8000-9000`. */
function isPortRange(text: string): boolean {
  if (!/^\d{1,5}(-\d{1,5})?$/.test(text)) return false;
  const [first = 0, last = first] = text.split("-").map(Number);
  return first >= 1 && first <= last && last <= MAX_PORT;
}

function readTarget(request: SimulatorRequest, target: JsonObject): FirewallTarget {
  const addresses = textsField(request, target, "addresses");
  if (!addresses.every(isAddressOrCidr)) throw unprocessable(request, RULE_MESSAGES.badAddress);
  const lists = {
    addresses,
    droplet_ids: integersField(request, target, "droplet_ids"),
    load_balancer_uids: textsField(request, target, "load_balancer_uids"),
    kubernetes_ids: textsField(request, target, "kubernetes_ids"),
    tags: textsField(request, target, "tags"),
  };
  const used = Object.entries(lists).filter(([, list]) => list.length > 0);
  if (used.length === 0) throw unprocessable(request, RULE_MESSAGES.badAddress);
  if (used.reduce((sum, [, list]) => sum + list.length, 0) > MAX_ADDRESSES) {
    throw unprocessable(request, `must have no more than ${MAX_ADDRESSES} sources or destinations`);
  }
  return Object.fromEntries(used);
}

export function ruleView({ protocol, ports, target }: FirewallRule, direction: Direction): JsonObject {
  return { protocol, ports, [TARGET_FIELD[direction]]: { ...target } };
}

/** Those there are and the new ones that are not there yet. */
export function withRules(rules: readonly FirewallRule[], added: readonly FirewallRule[]): readonly FirewallRule[] {
  const all = [...rules];
  for (const rule of added) {
    if (!all.some((one) => isSame(one, rule))) all.push(rule);
  }
  return all;
}

export function withoutRules(rules: readonly FirewallRule[], gone: readonly FirewallRule[]): readonly FirewallRule[] {
  return rules.filter((rule) => !gone.some((one) => isSame(one, rule)));
}

/** The order within lists does not matter. */
function isSame(a: FirewallRule, b: FirewallRule): boolean {
  return isDeepStrictEqual(sorted(a), sorted(b));
}

function sorted({ protocol, ports, target }: FirewallRule) {
  const lists = Object.entries(target).map(([key, list]) => [key, [...list].map(String).sort()]);
  return { protocol, ports, target: Object.fromEntries(lists) as FirewallTarget };
}
