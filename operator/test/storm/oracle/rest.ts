/** What must be so once the faults have ended: where it is not, the sentences say what is wrong. Pure. */

import type { History, HolderFact, ResourceState } from "../history.js";
import { matches } from "../truth.js";
import { createdByOperator } from "./addresses.js";
import { enabledAddresses, type Picture, type PictureNode, type PictureResource, spareAddresses } from "./picture.js";
import { unseenByHand } from "./records.js";
import { healthProblems, isFit, waitsForMassFailure } from "./rest-health.js";

/** Empty: the world is as the resources ask. */
export function unsettled(picture: Picture, history: History): readonly string[] {
  const evaluate = new FirewallLookup(picture, history);
  return [
    ...picture.lingering
      .filter((name) => !waitsForMissing(history, name))
      .map((name) => `${name} is deleted and still there`),
    ...picture.resources.flatMap((resource) => ofResource(evaluate, resource)),
    ...wrongAnnotations(evaluate),
    ...leaks(evaluate),
  ];
}

/**
 * A created address that a person released, or a leader that ended before it could record its own release: the operator looks
 * for the address for 10 minutes before the deletion ends.
 */
function waitsForMissing({ objects, holders, processes }: History, name: string): boolean {
  const created = objects.findLast((fact) => fact.name === name)?.created ?? [];
  return created.some((ip) => {
    const last = holders.findLast((fact) => fact.ip === ip);
    if (last === undefined || last.holder !== undefined) return false;
    return last.by === "hand" || processes.some(({ exit }) => exit !== undefined && exit.at > last.at);
  });
}

/** A picture with the questions that all checks ask it. */
export class FirewallLookup {
  /** The latest change of each address. */
  private readonly latest = new Map<string, HolderFact>();
  /** Machines that a person took an address from, or gave one: the operator may not know yet. */
  private readonly touched = new Set<number>();

  constructor(
    readonly picture: Picture,
    readonly history: History,
  ) {
    for (const fact of history.holders) {
      if (fact.by === "hand") this.touch(this.latest.get(fact.ip), fact);
      this.latest.set(fact.ip, fact);
    }
  }

  /** Whether a person changed the address last. The operator looks at a healthy address every 5 minutes only. */
  isByHand(ip: string): boolean {
    return this.latest.get(ip)?.by === "hand" && this.history.holders.filter((fact) => fact.ip === ip).length > 1;
  }

  nodeOf(droplet: number | null | undefined): PictureNode | undefined {
    return this.picture.nodes.find(({ state, hasMachine }) => hasMachine && state.droplet === droplet);
  }

  candidates(state: ResourceState): readonly PictureNode[] {
    return this.picture.nodes.filter((node) => matches(state, node.state, node.name));
  }

  /** Candidates that no health check may keep waiting. */
  fitNodes(state: ResourceState): readonly PictureNode[] {
    return this.candidates(state).filter((node) => isFit(this.picture, this.history, state, node));
  }

  /**
   * A candidate that holds nothing, as the operator should know, and that no address yet to be created may need.
   * @param spare addresses that give their nodes to others
   */
  free(state: ResourceState, spare: ReadonlySet<string> = new Set()): PictureNode | undefined {
    const free = this.freeCandidates(state, spare);
    return free[missingAddresses(this.picture, state.family)];
  }

  private freeCandidates(state: ResourceState, spare: ReadonlySet<string>): readonly PictureNode[] {
    const holding = Object.entries(this.picture.holders).filter(
      ([ip]) => familyOf(ip) === state.family && !spare.has(ip),
    );
    const taken = new Set(holding.map(([, droplet]) => droplet));
    return this.fitNodes(state).filter(
      ({ hasMachine, state: { droplet } }) => hasMachine && !taken.has(droplet) && !this.touched.has(droplet),
    );
  }

  private touch(...facts: readonly (HolderFact | undefined)[]): void {
    for (const fact of facts) if (typeof fact?.holder === "number") this.touched.add(fact.holder);
  }
}

/** Addresses that resources still lack, because a creation waits for a person: an older resource keeps nodes for them. */
function missingAddresses({ resources }: Picture, family: ResourceState["family"]): number {
  const lacking = resources.map((resource) => {
    const { kind, desired, family: own, paused } = resource.state;
    if (own !== family || kind === "set" || paused) return 0;
    if (kind === "routed") return resource.object.status?.routedIP === undefined ? 1 : 0;
    return Math.max(0, desired - enabledAddresses(resource).length);
  });
  return lacking.reduce((sum, count) => sum + count, 0);
}

export function familyOf(ip: string): "ipv4" | "ipv6" {
  return ip.includes(":") ? "ipv6" : "ipv4";
}

function ofResource(evaluate: FirewallLookup, resource: PictureResource): readonly string[] {
  if (resource.state.paused) return [];
  const checks = { pool: poolProblems, set: setProblems, routed: routedProblems };
  const found = waitsForMassFailure(resource) ? [] : checks[resource.state.kind](evaluate, resource);
  const ofHealth = healthProblems(evaluate.picture, evaluate.history, resource);
  return [...ofHealth, ...found].map((problem) => `${resource.name}: ${problem}`);
}

function poolProblems(evaluate: FirewallLookup, resource: PictureResource): readonly string[] {
  const { state, object } = resource;
  const enabled = enabledAddresses(resource);
  const spare = spareAddresses(evaluate.picture, resource, enabled);
  const placed = enabled.flatMap((ip) => placeProblems(evaluate, resource, { ip, spare }));
  const short = state.desired > enabled.length && !isAmbiguous(evaluate, resource);
  const missing = short
    ? [`it has ${enabled.length} of ${state.desired} addresses (${conditionText(object, "Fulfilled")})`]
    : [];
  const problems = [...placed, ...missing];
  return problems.length > 0
    ? problems
    : [...statusProblems(evaluate, resource, enabled), ...recordProblems(evaluate, resource, enabled)];
}

interface Wanted {
  readonly ip: string;
  readonly spare: ReadonlySet<string>;
}

/** An address is on a candidate and says so, or there is no candidate for it. */
function placeProblems(
  evaluate: FirewallLookup,
  { state, object }: PictureResource,
  { ip, spare }: Wanted,
): readonly string[] {
  if (evaluate.isByHand(ip)) return [];
  if (!(ip in evaluate.picture.holders)) return [`${ip} is not in the account`];
  const entry = object.status?.ips?.[ip];
  const holder = fittingHolder(evaluate, state, ip);
  if (holder === undefined) return misplaced(evaluate, state, { ip, spare }, JSON.stringify(entry));
  if (entry?.state === "active" && entry.nodeName === holder.name) return [];
  return [`${ip} is on ${holder.name}, and the status says ${JSON.stringify(entry)}`];
}

/** The node that holds an address and matches. */
function fittingHolder(evaluate: FirewallLookup, state: ResourceState, ip: string): PictureNode | undefined {
  const node = evaluate.nodeOf(evaluate.picture.holders[ip]);
  return node !== undefined && matches(state, node.state, node.name) ? node : undefined;
}

function misplaced(
  evaluate: FirewallLookup,
  state: ResourceState,
  { ip, spare }: Wanted,
  reported: string,
): readonly string[] {
  const free = evaluate.free(state, spare);
  const where = evaluate.nodeOf(evaluate.picture.holders[ip])?.name ?? "no node";
  return free === undefined ? [] : [`${ip} is on ${where} and could be on ${free.name}; its status is ${reported}`];
}

/** Where all is well at the cloud, the status says so and holds no error. */
function statusProblems(
  evaluate: FirewallLookup,
  resource: PictureResource,
  enabled: readonly string[],
): readonly string[] {
  const { object, state } = resource;
  const { status } = object;
  const active = enabled.filter((ip) => status?.ips?.[ip]?.state === "active");
  if (active.length < enabled.length || enabled.some((ip) => evaluate.isByHand(ip))) return [];
  if (state.desired > enabled.length || isAmbiguous(evaluate, resource)) return [];
  const bad = (status?.conditions ?? []).filter(
    ({ type, status: value }) => ["Ready", "Fulfilled"].includes(type) && value !== "True",
  );
  const error = status?.error === undefined ? [] : [`status.error is "${status.error}" though all is well`];
  return [
    ...bad.map(({ type, reason, message }) => `${type} is not True though all is well: ${reason}: ${message}`),
    ...error,
  ];
}

/** An open creation whose address could be another one that is new, too, waits for a person, as documented. */
function isAmbiguous({ history }: FirewallLookup, { object }: PictureResource): boolean {
  const isOpen = object.status?.conditions?.some(({ reason }) => reason === "CreationUnsettled") === true;
  const created = new Set(createdByOperator(history).map(({ ip }) => ip));
  const byHand = history.holders.some(({ ip, by }) => by === "hand" && !created.has(ip));
  return isOpen && (byHand || leftOpen(history) > 0);
}

/** The last that is known of the resource is an open creation. */
function isCreating({ objects }: History, name: string): boolean {
  return objects.findLast((fact) => fact.name === name)?.pending === true;
}

/** Resources that were deleted while a creation was open: its address stays in the account, as documented. */
function leftOpen({ objects }: History): number {
  const last = new Map(objects.map((fact) => [fact.uid, fact]));
  return [...last.values()].filter(({ deleted, pending }) => deleted && pending).length;
}

function conditionText({ status }: PictureResource["object"], name: string): string {
  const condition = status?.conditions?.find(({ type }) => type === name);
  return `${name}: ${condition?.reason} ${condition?.message}`;
}

/** The record set of a pool holds its active addresses, unless a person edited it last. */
function recordProblems(
  evaluate: FirewallLookup,
  resource: PictureResource,
  enabled: readonly string[],
): readonly string[] {
  const { state } = resource;
  const serves = (ip: string) => fittingHolder(evaluate, state, ip) !== undefined;
  const active = enabled.filter(serves);
  const spare = spareAddresses(evaluate.picture, resource, enabled);
  const standIns = valuesOf(evaluate, state).filter((ip) => spare.has(ip) && serves(ip));
  const expected = [...active, ...standIns.slice(0, enabled.length - active.length)];
  return enabled.some((ip) => evaluate.isByHand(ip)) ? [] : recordSetProblems(evaluate, state, expected);
}

function recordKey({ dns, family }: ResourceState): string {
  return `${family === "ipv6" ? "AAAA" : "A"} ${dns?.fqdn}`;
}

function valuesOf({ picture }: FirewallLookup, state: ResourceState): readonly string[] {
  return picture.records[`${state.dns?.cloud} ${recordKey(state)}`] ?? [];
}

function recordSetProblems(
  evaluate: FirewallLookup,
  state: ResourceState,
  expected: readonly string[],
): readonly string[] {
  const { dns } = state;
  if (dns === undefined || expected.length === 0) return [];
  const key = recordKey(state);
  const last = evaluate.history.records.findLast((fact) => fact.cloud === dns.cloud && fact.key === key);
  const values = valuesOf(evaluate, state);
  const wanted = [...expected].sort();
  const unseen = unseenByHand(evaluate.history, { cloud: dns.cloud, key });
  const known = (all: readonly string[]) => all.filter((value) => !unseen.has(value)).join(" ");
  if (last?.by === "hand" || known(values) === known(wanted)) return [];
  return [`${key} holds [${values.join(", ")}] instead of [${wanted.join(", ")}]`];
}

function setProblems(evaluate: FirewallLookup, { state }: PictureResource): readonly string[] {
  const fit = new Set(evaluate.fitNodes(state));
  const values = valuesOf(evaluate, state);
  // A node that failed lately may be published or not.
  const expected = evaluate.candidates(state).filter((node) => fit.has(node) || values.includes(node.externalIp));
  return recordSetProblems(
    evaluate,
    state,
    expected.map(({ externalIp }) => externalIp),
  );
}

function routedProblems(evaluate: FirewallLookup, resource: PictureResource): readonly string[] {
  const { state, object } = resource;
  const ip = object.status?.routedIP;
  if (ip === undefined)
    return isAmbiguous(evaluate, resource) ? [] : [`it has no address (${conditionText(object, "Assigned")})`];
  if (evaluate.isByHand(ip)) return [];
  const { state: reported, assignedNode } = object.status ?? {};
  const shown = `${reported} on ${assignedNode}`;
  const holder = fittingHolder(evaluate, state, ip);
  if (holder === undefined) return misplaced(evaluate, state, { ip, spare: new Set() }, shown);
  if (reported === "active" && assignedNode === holder.name) return recordSetProblems(evaluate, state, [ip]);
  return [`${ip} is on ${holder.name}, and the status says ${shown}`];
}

/** A node's annotation names an address that its machine holds. */
function wrongAnnotations(evaluate: FirewallLookup): readonly string[] {
  return evaluate.picture.nodes.flatMap(({ name, state, annotations }) =>
    Object.values(annotations).flatMap((ip) => {
      if (evaluate.picture.holders[ip] === state.droplet || evaluate.isByHand(ip)) return [];
      return [`${name} has the annotation of ${ip}, which is not on its machine`];
    }),
  );
}

/** Every address of the account is known to a resource, or a person made it, or a person must say whose it is. */
function leaks(evaluate: FirewallLookup): readonly string[] {
  const { picture, history } = evaluate;
  const known = new Set(history.objects.flatMap((fact) => fact.known));
  const unknown = createdByOperator(history).filter(({ ip }) => ip in picture.holders && !known.has(ip));
  const open = picture.resources.filter((resource) => isAmbiguous(evaluate, resource)).length;
  const goes = picture.lingering.filter((name) => waitsForMissing(history, name) && isCreating(history, name)).length;
  if (unknown.length <= open + goes + leftOpen(history)) return [];
  return unknown.map(({ ip }) => `${ip} was created by the operator and no resource has ever known it`);
}
