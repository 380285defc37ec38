/** What must hold for RoutedIPs and their firewalls. Pure: facts in, violations out. */

import { storyTime } from "../scenario/duration.js";
import type { Author, Fact, FirewallState, PoolView } from "./facts.js";

/** A rule that a person took away is back by then, ms: the operator reads firewalls every minute. */
const HEALED_MS = 120_000;

/** After its grace an address leaves a node that fails within this time, ms. */
const LATE_MS = 60_000;

/** An address that should leave its node. */
interface Watch {
  readonly node: string;
  /** Still, though that will end. */
  readonly isServed: boolean;
  readonly since: number;
  told: boolean;
}

/** What is so at some moment. */
interface Moment {
  readonly at: number;
  readonly by: Author;
  /** A call has just failed. */
  readonly cloudFails: boolean;
  readonly routed: readonly PoolView[];
  readonly holders: ReadonlyMap<string, string | undefined>;
  readonly firewalls: ReadonlyMap<string, FirewallState>;
}

/**
 * An address stayed on a node until that stopped serving, though it was long known, or for long after it, while another
 * node was ready and free. Time in which the cloud fails does not count.
 */
export function stranded(facts: readonly Fact[]): readonly string[] {
  const watches = new Map<string, Watch>();
  return momentsOf(facts).flatMap((moment) =>
    moment.routed.flatMap((view) => {
      const before = watches.get(view.pool);
      const now = watchOf(moment, view, before);
      if (now === undefined) watches.delete(view.pool);
      else watches.set(view.pool, now);
      return now === undefined || before === undefined ? [] : strandedText(moment, view, { before, now });
    }),
  );
}

function watchOf(moment: Moment, view: PoolView, before: Watch | undefined): Watch | undefined {
  const node = holderOf(moment, view);
  if (node === undefined || view.eligible.has(node) || !hasAlternative(moment, view)) return undefined;
  const isServed = view.serving.has(node);
  const isSame = before?.node === node && before.isServed === isServed;
  return isSame && !moment.cloudFails ? before : { node, isServed, since: moment.at, told: false };
}

/** Each node holds one address of a family here, those of pools too. */
function hasAlternative({ holders }: Moment, { ips: [own], eligible }: PoolView): boolean {
  const taken = new Set([...holders].flatMap(([ip, node]) => (ip === own || node === undefined ? [] : [node])));
  return [...eligible].some((node) => !taken.has(node));
}

function strandedText(
  { at }: Moment,
  { pool, noticeMs = 0 }: PoolView,
  { before, now }: { readonly before: Watch; readonly now: Watch },
): readonly string[] {
  const { node, since } = before;
  if (now.isServed || now.node !== node) return [];
  if (before.isServed && at - since >= noticeMs) {
    const what = `its address is on ${node}, which stopped to serve as known since ${storyTime(since)}`;
    return [`${storyTime(at)} ${pool}: ${what}`];
  }
  if (now !== before || now.told || at - since < noticeMs + LATE_MS) return [];
  now.told = true;
  return [`${storyTime(at)} ${pool}: its address is on ${node}, which has not served since ${storyTime(since)}`];
}

/** An address pointed at a node whose firewall was closed; a person's doing counts when it lasts. */
export function closed(facts: readonly Fact[]): readonly string[] {
  const since = new Map<string, { readonly at: number; readonly by: Author; told: boolean }>();
  return momentsOf(facts).flatMap((moment) =>
    moment.routed.flatMap((view) => {
      const what = closedPart(moment, view);
      const { pool } = view;
      if (what === undefined) since.delete(pool);
      if (what === undefined) return [];
      const known = since.get(pool) ?? { at: moment.at, by: moment.by, told: false };
      since.set(pool, known);
      if (known.told || (known.by === "story" && moment.at - known.at < HEALED_MS)) return [];
      known.told = true;
      return [`${storyTime(moment.at)} ${pool}: ${what}`];
    }),
  );
}

/** A rule that a person made is gone by the operator's doing. */
export function meddled(facts: readonly Fact[]): readonly string[] {
  const states = new Map<string, FirewallState>();
  const theirs = new Set<string>();
  return facts.flatMap((fact) => {
    if (fact.kind !== "firewall") return [];
    const { at, name, rules, by } = fact;
    const before = states.get(name)?.rules ?? [];
    states.set(name, fact);
    const gone = before.filter((rule) => !rules.includes(rule)).map((rule) => `${name}: ${rule}`);
    const added = rules.filter((rule) => !before.includes(rule)).map((rule) => `${name}: ${rule}`);
    const taken = gone.filter((rule) => by === "operator" && theirs.has(rule));
    for (const rule of gone) theirs.delete(rule);
    if (by === "story") for (const rule of added) theirs.add(rule);
    return taken.map((rule) => `${storyTime(at)} somebody's rule was removed from ${rule}`);
  });
}

function closedPart(moment: Moment, view: PoolView): string | undefined {
  const node = holderOf(moment, view);
  const { firewall } = view;
  if (node === undefined || firewall === undefined || !view.serving.has(node)) return undefined;
  // Such as where clients reach the Service at NodePorts alone: nothing has to be opened.
  if (firewall.rules.length === 0) return undefined;
  const state = moment.firewalls.get(firewall.name);
  const missing = firewall.rules.filter((rule) => state?.rules.includes(rule) !== true);
  if (missing.length > 0) return `firewall ${firewall.name} lacks ${missing.join(", ")} while ${node} has the address`;
  return state?.nodes.includes(node) === true ? undefined : `${node} has the address and is not in ${firewall.name}`;
}

function holderOf({ holders }: Moment, { ips: [ip = ""] }: PoolView): string | undefined {
  return holders.get(ip);
}

/** Checked at each fact: a state that lasts too long is reported at the next fact. */
function momentsOf(facts: readonly Fact[]): readonly Moment[] {
  let routed: readonly PoolView[] = [];
  let holders: Moment["holders"] = new Map();
  let firewalls: Moment["firewalls"] = new Map();
  return facts.map((fact) => {
    if (fact.kind === "pools") routed = fact.pools.filter(({ noticeMs }) => noticeMs !== undefined);
    if (fact.kind === "moved") holders = new Map([...holders, [fact.ip, fact.to]]);
    if (fact.kind === "gone") holders = new Map([...holders].filter(([ip]) => ip !== fact.ip));
    if (fact.kind === "firewall") firewalls = new Map([...firewalls, [fact.name, fact]]);
    const by = fact.kind === "firewall" || fact.kind === "moved" ? fact.by : "operator";
    const cloudFails = fact.kind === "call" && fact.cloud === "digitalocean" && (fact.status ?? 500) >= 429;
    return { at: fact.at, by, cloudFails, routed, holders, firewalls };
  });
}
