/** Which ports a RoutedIP may open, by its class and its issuer. */

import {
  allowsPort,
  containsPort,
  DEFAULT_ALLOWED_PORTS,
  DEFAULT_MAX_PORTS,
  MAX_ROUTED_PORTS,
  MAX_RULE_SOURCES,
  type PortRule,
  parsePortRule,
  type RoutedPort,
} from "cdk8s-flipop/api";
import { firewallMessages } from "../messages/firewalls.js";
import { classMessages } from "../messages/issuers-and-classes.js";
import type { Problem } from "../messages/message.js";
import { serviceMessages } from "../messages/services.js";
import { omitUndefined } from "../values.js";
import type { LimitSource } from "./address-and-name-access.js";
import { needsRule, type PortsFound } from "./needed-ports.js";

export interface PortAccess {
  /** A port has to be allowed by each. */
  readonly lists: readonly { readonly of: string; readonly rules: readonly PortRule[] }[];
  /** No source has a list: the one above is the default. */
  readonly byDefault: boolean;
  /** The lowest. `byDefault`: no source has the field. */
  readonly max: Maximum & { readonly byDefault: boolean };
  /** Of all sources, the lowest first. */
  readonly maxima: readonly Maximum[];
}

interface Maximum {
  readonly of: string;
  readonly ports: number;
}

/** The class no longer allows the namespace of a RoutedIP that it serves. */
export interface ExcludedNamespace {
  /** Of the class. */
  readonly name: string;
  readonly namespace: string;
}

export interface PermittedPorts {
  readonly ports: readonly RoutedPort[];
  /** Why the others stay closed. */
  readonly refused?: Problem;
}

/** @param sources the class, the issuer, or both. The defaults apply if no source has the field. */
export function portAccessOf(sources: readonly LimitSource[]): PortAccess {
  const lists = sources.flatMap(({ of, limits: { allowedPorts } }) => (allowedPorts ? [{ of, allowedPorts }] : []));
  const set = sources.flatMap(({ of, limits: { maxPorts } }) =>
    maxPorts === undefined ? [] : [{ of, ports: maxPorts }],
  );
  const of = sources[0]?.of ?? "";
  const maxima = set.length === 0 ? [{ of, ports: DEFAULT_MAX_PORTS }] : set.sort((a, b) => a.ports - b.ports);
  const [max = { of, ports: DEFAULT_MAX_PORTS }] = maxima;
  return {
    lists: (lists.length === 0 ? [{ of, allowedPorts: DEFAULT_ALLOWED_PORTS }] : lists).map((list) => ({
      of: list.of,
      rules: list.allowedPorts.flatMap((entry) => parsePortRule(entry) ?? []),
    })),
    byDefault: lists.length === 0,
    max: { ...max, byDefault: set.length === 0 },
    maxima,
  };
}

/**
 * The ports that may be open; those in the NodePort range need no rule, so nothing limits them.
 * @param last ports that were open before. They come first, so that a new port closes no other one.
 */
export function permittedPorts(
  ports: readonly RoutedPort[],
  access: PortAccess,
  { nodePortRange, last = [] }: { readonly nodePortRange: string; readonly last?: readonly RoutedPort[] },
): PermittedPorts {
  const limited = ports.filter((port) => needsRule(port, nodePortRange));
  const verdicts = limited.map((port) => ({ port, refusedBy: refusingLists(port, access) }));
  const allowed = verdicts.filter(({ refusedBy }) => refusedBy.length === 0).map(({ port }) => port);
  const wasOpen = new Set(last.map(textOf));
  const inOrder = [...allowed].sort((a, b) => Number(wasOpen.has(textOf(b))) - Number(wasOpen.has(textOf(a))));
  const open = new Set(inOrder.slice(0, access.max.ports));
  const closed = verdicts.filter(({ refusedBy }) => refusedBy.length > 0);
  const refused = forbidden(closed, access, nodePortRange) ?? tooMany(inOrder.slice(access.max.ports), access);
  return {
    ports: ports.filter((port) => !limited.includes(port) || open.has(port)),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** The ports that each list allows, as people write them. */
export function commonPorts({ lists: [first, ...others] }: PortAccess): readonly string[] {
  const all = others.reduce<readonly PortRule[]>(
    (common, { rules }) => common.flatMap((rule) => rules.flatMap((other) => bothAllow(rule, other) ?? [])),
    first?.rules ?? [],
  );
  return [...new Set(all.map(ruleText))];
}

function bothAllow(a: PortRule, b: PortRule): PortRule | undefined {
  const protocol = a.protocol ?? b.protocol;
  const both = { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to), ...omitUndefined({ protocol }) };
  if (both.from > both.to || (b.protocol !== undefined && b.protocol !== protocol)) return undefined;
  // What is left of two wide ranges may be a protected port alone, which neither of them allows.
  const port = { protocol: protocol ?? "TCP", port: both.from };
  return allowsPort(both, port) && !(allowsPort(a, port) && allowsPort(b, port)) ? undefined : both;
}

function ruleText({ from, to, protocol }: PortRule): string {
  return `${from === to ? from : `${from}-${to}`}${protocol === undefined ? "" : `/${protocol}`}`;
}

function refusingLists(port: Pick<RoutedPort, "protocol" | "port">, { lists }: PortAccess): PortAccess["lists"] {
  return lists.filter(({ rules }) => !rules.some((rule) => allowsPort(rule, port)));
}

interface RefusedPort {
  readonly port: RoutedPort;
  /** At least one. */
  readonly refusedBy: PortAccess["lists"];
}

/** Names each list that refuses: to correct one alone would not help. */
function forbidden(refused: readonly RefusedPort[], access: PortAccess, nodePortRange: string): Problem | undefined {
  if (refused.length === 0) return undefined;
  const outside = refused.some(({ port }) => port.origin === "NodePort") ? { nodePortRange } : {};
  const inRange = refused.filter(({ port, refusedBy }) =>
    refusedBy.some(({ rules }) => rules.some((rule) => containsPort(rule, port))),
  );
  return firewallMessages.portNotAllowed({
    ports: refused.map(({ port }) => textOf(port)),
    refusals: refusalsOf(refused, access),
    ...outside,
    what: refused.every(({ port }) => port.origin === "HostPort") ? "hostPort" : "port",
    inRange: inRange.map(({ port }) => textOf(port)),
    ...(access.byDefault ? { defaults: DEFAULT_ALLOWED_PORTS } : {}),
    onlyProtocol: refused.every(({ port }) => isOnlyProtocol(port, access)),
  });
}

function refusalsOf(refused: readonly RefusedPort[], { lists }: PortAccess) {
  const byPorts = new Map<string, { readonly limiters: string[]; readonly ports: readonly string[] }>();
  for (const list of lists) {
    const ports = refused.filter(({ refusedBy }) => refusedBy.includes(list)).map(({ port }) => textOf(port));
    const known = byPorts.get(ports.join());
    if (known !== undefined) known.limiters.push(list.of);
    else if (ports.length > 0) byPorts.set(ports.join(), { limiters: [list.of], ports });
  }
  return [...byPorts.values()];
}

/** Another number would not help: all lists allow this one, for the other protocol. */
function isOnlyProtocol({ port, protocol, origin }: RoutedPort, access: PortAccess): boolean {
  const other = protocol === "TCP" ? "UDP" : "TCP";
  return origin === "HostPort" && refusingLists({ port, protocol: other }, access).length === 0;
}

function tooMany(ports: readonly RoutedPort[], { max, maxima }: PortAccess): Problem | undefined {
  if (ports.length === 0) return undefined;
  const needed = max.ports + ports.length;
  const limits = maxima.filter((each) => each.ports < needed).map((each) => ({ limiter: each.of, most: each.ports }));
  return firewallMessages.tooManyPorts({ ports: ports.map(textOf), limits, needed, byDefault: max.byDefault });
}

function textOf({ protocol, port }: Pick<RoutedPort, "protocol" | "port">): string {
  return `${port}/${protocol}`;
}

interface PortRules {
  readonly portAccess: PortAccess;
  readonly nodePortRange: string;
  readonly excluded?: ExcludedNamespace;
}

/** A class that excludes the namespace of a RoutedIP lets it keep what is open. */
function withoutNew(
  { ports, refused }: PermittedPorts,
  { nodePortRange, excluded }: PortRules,
  last: readonly RoutedPort[],
): PermittedPorts {
  const wasOpen = new Set(last.map(textOf));
  const unopened = ports.filter((port) => needsRule(port, nodePortRange) && !wasOpen.has(textOf(port)));
  if (excluded === undefined || unopened.length === 0) return { ports, ...omitUndefined({ refused }) };
  return {
    ports: ports.filter((port) => !unopened.includes(port)),
    refused: classMessages.namespaceNotAllowed({ ...excluded, unopened: unopened.map(textOf).join(", ") }),
  };
}

/** @param last ports that were open before */
export function withinAccess(found: PortsFound, rules: PortRules, last: readonly RoutedPort[] = []): PortsFound {
  const { later = [], ...now } = found;
  const { portAccess, nodePortRange } = rules;
  const permitted = (ports: PortsFound["ports"]) =>
    withoutNew(permittedPorts(ports, portAccess, { nodePortRange, last }), rules, last);
  const { refused, ports } = permitted(later);
  return { ...now, ...(ports.length > 0 && { later: ports }), ...omitUndefined({ refused }), ...permitted(now.ports) };
}

/** The first of them, by number, and a problem that names the limit. */
export function withinStatus(found: PortsFound, service: string): PortsFound {
  const { ports, sourceRanges, problem } = found;
  if (ports.length <= MAX_ROUTED_PORTS && sourceRanges.length <= MAX_RULE_SOURCES) return found;
  const tooMany = serviceMessages.tooManyPorts({ key: service, ports: ports.length, sources: sourceRanges.length });
  return {
    ...found,
    ports: ports.slice(0, MAX_ROUTED_PORTS),
    sourceRanges: sourceRanges.slice(0, MAX_RULE_SOURCES),
    problem: problem ?? tooMany,
  };
}
