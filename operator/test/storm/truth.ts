/** Questions to a history: what was so at a moment, as far as the storm itself knows. Pure. */

import type {
  Call,
  CheckSettings,
  Fact,
  History,
  HolderFact,
  NodeState,
  ObjectFact,
  ResourceState,
  Span,
} from "./history.js";

/** Values that a thing may have had at some moment from `from` to `to`; undefined: it may have been absent. */
export function possible<T>(
  facts: readonly Fact<T>[],
  name: string,
  from: number,
  to: number,
): readonly (T | undefined)[] {
  const own = facts.filter((fact) => fact.name === name);
  const relevant = own.filter((fact, place) => {
    const next = own[place + 1];
    return fact.from <= to && (next === undefined || next.by >= from);
  });
  const early = own[0] === undefined || own[0].by >= from ? [undefined] : [];
  return [...early, ...relevant.map(({ value }) => value)];
}

/** Whether a test held for whatever the thing may have been from `from` to `to`; absent things fail it. */
export function certainly<T>(
  facts: readonly Fact<T>[],
  name: string,
  { from, to }: Pick<Span, "from" | "to">,
  test: (value: T) => boolean,
): boolean {
  return possible(facts, name, from, to).every((value) => value !== undefined && test(value));
}

/** The latest value at a moment. */
export function valueAt<T>(facts: readonly Fact<T>[], name: string, at: number): T | undefined {
  return facts.filter((fact) => fact.name === name && fact.from <= at).at(-1)?.value;
}

export function namesOf<T>(facts: readonly Fact<T>[]): readonly string[] {
  return [...new Set(facts.map(({ name }) => name))];
}

export function overlaps(spans: readonly Span[], from: number, to: number): boolean {
  return spans.some((span) => span.from <= to && span.to >= from);
}

/** Whether a node matches a resource and is well, by the rules for candidates. */
export function matches(resource: ResourceState, node: NodeState, name: string): boolean {
  return refusals(resource, node, name).length === 0;
}

export type Refusal = "recoverable" | "final";

/** Why a node is no candidate. Under a grace period a holder keeps its address while all are recoverable. */
export function refusals(resource: ResourceState, node: NodeState, name: string): readonly Refusal[] {
  const rules: readonly (readonly [applies: boolean, refusal: Refusal])[] = [
    [resource.kind !== "routed" && !resource.groups.includes(node.group), "final"],
    [node.cordoned, "final"],
    // A RoutedIP asks for a node that is Ready and schedulable; taints are about pods to come, and its endpoints are there.
    [resource.kind !== "routed" && node.taint === "hard", "final"],
    [resource.kind !== "routed" && node.taint === "pressure", "recoverable"],
    [!node.ready, "recoverable"],
    [resource.needsPod && node.pod !== "ready", "recoverable"],
    [resource.kind === "routed" && (resource.endpoints[name] ?? "absent") !== "ready", "recoverable"],
    [resource.check !== undefined && !answers(resource.check, node), "recoverable"],
  ];
  return rules.flatMap(([applies, refusal]) => (applies ? [refusal] : []));
}

/** Whether probes of a node succeed. A service that hangs accepts connections, which is all that a TCP check asks for. */
export function answers({ type }: Pick<CheckSettings, "type">, { service }: NodeState): boolean {
  return service === "answers" || (type === "TCP" && service === "hangs");
}

/** Why a node is refused, other than for its probes. */
export function refusedWithoutCheck(resource: ResourceState, node: NodeState, name: string): boolean {
  const { check: _probes, ...others } = resource;
  return !matches(others, node, name);
}

/** The node that a droplet stood for at a moment. */
export function nodeOfDroplet(history: History, droplet: number, at: number): string | undefined {
  return namesOf(history.nodes).find((name) => valueAt(history.nodes, name, at)?.droplet === droplet);
}

/** The last change of an address's holder before a moment. */
export function holderBefore(history: History, ip: string, at: number): HolderFact | undefined {
  return history.holders.filter((fact) => fact.ip === ip && fact.at < at).at(-1);
}

/** The resource that knows an address at a moment, as far as the storm's watch had shown. */
export function ownerOf(history: History, ip: string, at: number): ObjectFact | undefined {
  const latest = new Map<string, ObjectFact>();
  for (const fact of history.objects) if (fact.at <= at) latest.set(fact.uid, fact);
  const owners = [...latest.values()].filter(({ known, deleted }) => !deleted && known.includes(ip));
  return owners.length === 1 ? owners[0] : undefined;
}

/** The template that a call's address is listed in or was created for, with its spec where that was stable. */
export function stableSpec(history: History, name: string, from: number, to: number): ResourceState | undefined {
  const values = possible(history.resources, name, from, to);
  return values.length === 1 ? values[0] : undefined;
}

/** An assignment or the end of one, as asked for by a call. */
export interface Move {
  readonly call: Call;
  readonly ip: string;
  /** Droplet that the address is to go to; absent: to none. */
  readonly target?: number;
}

const ACTIONS = /^POST \/v2\/(reserved_ips|floating_ips|reserved_ipv6)\/\{[^}]+\}\/actions$/;
const RELEASES = /^DELETE \/v2\/(reserved_ips|floating_ips|reserved_ipv6)\/\{[^}]+\}$/;

/** Assignments and their ends, processed or not. */
export function movesOf(history: History): readonly Move[] {
  return settled(history).flatMap((call) => {
    if (!ACTIONS.test(call.route)) return [];
    const { type, droplet_id: target } = call.body as { type?: string; droplet_id?: number };
    const ip = decodeURIComponent(call.path.split("/")[3] ?? "");
    return [{ call, ip, ...(type === "assign" && target !== undefined && { target }) }];
  });
}

/** Calls whose outcome is complete. */
export function settled({ calls, until }: History): readonly Call[] {
  return calls.filter(({ at }) => at <= until);
}

/** Whether the cloud did what the call asks for; what the client was answered is another matter. */
export function isDone({ processed }: Call): boolean {
  return processed > 0;
}

export function isWrite({ method }: Call): boolean {
  return method !== "GET" && method !== "HEAD";
}

export function isRelease({ route }: Call): boolean {
  return RELEASES.test(route);
}
