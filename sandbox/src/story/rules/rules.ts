/** What must hold from the first second of a story to its last. Pure: facts in, violations out. */

import { storyTime } from "../scenario/duration.js";
import type { Fact, PoolView } from "./facts.js";
import { closed, meddled, stranded } from "./routed-rules.js";

export interface Rule {
  /** What holds. */
  readonly title: string;
  /** Where it did not, in words, with the story time. */
  readonly violations: (facts: readonly Fact[]) => readonly string[];
}

export interface Verdict {
  readonly title: string;
  /** None: it held. */
  readonly violations: readonly string[];
}

/** A holder that has been well for this long, ms, may not lose its address; the operator may not know of less. */
const KNOWN_WELL_MS = 5_000;

export const RULES: readonly Rule[] = [
  { title: "no node ever held more than one address of a family", violations: overfull },
  { title: "never more addresses created than desired", violations: overcreated },
  { title: "no record set was ever empty", violations: emptied },
  { title: "no address left a healthy holder", violations: disturbed },
  {
    title: "no RoutedIP was left on a node whose end of service was known, with another node ready",
    violations: stranded,
  },
  { title: "the firewall of a RoutedIP was open wherever its address was", violations: closed },
  { title: "no firewall rule of somebody else was removed", violations: meddled },
  { title: "at rest nothing was written", violations: restless },
  { title: "everything ended in the expected state", violations: failures },
];

export function verdictsOf(facts: readonly Fact[]): readonly Verdict[] {
  return RULES.map(({ title, violations }) => ({ title, violations: violations(facts) }));
}

function overfull(facts: readonly Fact[]): readonly string[] {
  const holders = new Map<string, string>();
  return facts.flatMap((fact) => {
    if (fact.kind === "gone") holders.delete(fact.ip);
    if (fact.kind !== "moved") return [];
    const { at, ip, to } = fact;
    holders.delete(ip);
    if (to === undefined) return [];
    const others = [...holders].filter(([other, node]) => node === to && isIpv6(other) === isIpv6(ip));
    holders.set(ip, to);
    return others.map(([other]) => `${storyTime(at)} ${to} held ${other} and ${ip}`);
  });
}

function overcreated(facts: readonly Fact[]): readonly string[] {
  const made = new Set<string>();
  let entitled = 0;
  return facts.flatMap((fact) => {
    if (fact.kind === "gone") made.delete(fact.ip);
    if (fact.kind === "pools") entitled = fact.pools.reduce((sum, pool) => sum + pool.entitled, 0);
    if (fact.kind !== "made") return [];
    made.add(fact.ip);
    if (made.size <= entitled) return [];
    return [`${storyTime(fact.at)} ${fact.ip} was created: ${made.size} in all, ${entitled} wanted`];
  });
}

function emptied(facts: readonly Fact[]): readonly string[] {
  const filled = new Set<string>();
  return facts.flatMap((fact) => {
    if (fact.kind !== "records") return [];
    if (fact.values.length > 0) filled.add(fact.set);
    if (fact.values.length > 0 || fact.by !== "operator" || !filled.has(fact.set)) return [];
    return [`${storyTime(fact.at)} ${fact.set} was empty`];
  });
}

function disturbed(facts: readonly Fact[]): readonly string[] {
  let pools: readonly PoolView[] = [];
  /** Since when each node is eligible, by pool and node. */
  let since = new Map<string, number>();
  return facts.flatMap((fact) => {
    if (fact.kind === "pools") {
      pools = fact.pools;
      since = new Map(eligibles(pools).map((key) => [key, since.get(key) ?? fact.at]));
    }
    if (fact.kind !== "ordered" || fact.from === undefined || fact.from === fact.to) return [];
    const { ip, from, at } = fact;
    const pool = pools.find(({ ips }) => ips.includes(ip));
    const well = pool && since.get(keyOf(pool, from));
    if (pool === undefined || well === undefined || at - well < KNOWN_WELL_MS) return [];
    return [`${storyTime(at)} ${pool.pool}: ${ip} was taken from ${from}, which was well since ${storyTime(well)}`];
  });
}

function eligibles(pools: readonly PoolView[]): readonly string[] {
  return pools.flatMap((pool) => [...pool.eligible].map((node) => keyOf(pool, node)));
}

function keyOf({ pool }: PoolView, node: string): string {
  return `${pool} ${node}`;
}

function restless(facts: readonly Fact[]): readonly string[] {
  let resting = false;
  return facts.flatMap((fact) => {
    if (fact.kind === "rest-begins") resting = true;
    if (fact.kind === "rest-ends") resting = false;
    if (!resting) return [];
    if (fact.kind === "kube-write") return [`${storyTime(fact.at)} ${fact.what}`];
    return fact.kind === "call" && fact.writes ? [`${storyTime(fact.at)} ${fact.what}`] : [];
  });
}

function failures(facts: readonly Fact[]): readonly string[] {
  return facts.flatMap((fact) => (fact.kind === "failure" ? [`${storyTime(fact.at)} ${fact.what}`] : []));
}

function isIpv6(ip: string): boolean {
  return ip.includes(":");
}
