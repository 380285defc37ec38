/** What the whole story came to. Pure. */

import { CLOUDS, type CloudName } from "../scenario/scenario.js";
import type { Fact, PoolView } from "./facts.js";

export interface CallTotals {
  readonly all: number;
  readonly writes: number;
  /** Without an answer, or with one that is an error. */
  readonly failed: number;
}

export interface AddressTotals {
  readonly ip: string;
  /** The pool that it belongs to; undefined: none. */
  readonly pool: string | undefined;
  /** Where it is at the end. */
  readonly holder: string | undefined;
  /** From one node to another, by the operator. */
  readonly moves: number;
  /** ms in which it was on no node that serves it, since it first was. */
  readonly downMs: number;
}

export interface Totals {
  readonly calls: Readonly<Record<CloudName, CallTotals>>;
  readonly created: number;
  readonly released: number;
  readonly moves: number;
  readonly kubeWrites: number;
  /** In the order in which they appeared. */
  readonly addresses: readonly AddressTotals[];
}

/** @param until ms of story time at the end */
export function totalsOf(facts: readonly Fact[], until: number): Totals {
  const sum = (kind: Fact["kind"]) => facts.filter((fact) => fact.kind === kind).length;
  const addresses = addressesOf(facts, until);
  return {
    calls: { digitalocean: callsOf(facts, "digitalocean"), cloudflare: callsOf(facts, "cloudflare") },
    created: sum("made"),
    released: sum("gone"),
    moves: addresses.reduce((moves, address) => moves + address.moves, 0),
    kubeWrites: sum("kube-write"),
    addresses,
  };
}

/** Of both clouds together. */
export function allCalls({ calls }: Totals): number {
  return CLOUDS.reduce((sum, cloud) => sum + calls[cloud].all, 0);
}

function callsOf(facts: readonly Fact[], cloud: CloudName): CallTotals {
  const calls = facts.filter((fact) => fact.kind === "call").filter((call) => call.cloud === cloud);
  return {
    all: calls.length,
    writes: calls.filter(({ writes }) => writes).length,
    failed: calls.filter(({ status }) => status === undefined || status >= 400).length,
  };
}

interface Track {
  ip: string;
  pool: string | undefined;
  holder: string | undefined;
  moves: number;
  downMs: number;
  /** Has been served. */
  known: boolean;
  /** Undefined: it is up, or no resource needs it. */
  downSince: number | undefined;
}

function addressesOf(facts: readonly Fact[], until: number): readonly AddressTotals[] {
  const tracks = new Map<string, Track>();
  let pools: readonly PoolView[] = [];
  for (const fact of facts) {
    if (fact.kind === "pools") pools = fact.pools;
    else if (fact.kind === "moved") moved(trackOf(tracks, fact.ip), fact);
    else if (fact.kind === "gone") leave(trackOf(tracks, fact.ip), fact.at);
    else continue;
    for (const track of tracks.values()) look(track, pools, fact.at);
  }
  return [...tracks.values()].map((track) => {
    settle(track, until);
    const { ip, pool, holder, moves, downMs } = track;
    return { ip, pool, holder, moves, downMs };
  });
}

function trackOf(tracks: Map<string, Track>, ip: string): Track {
  const known = tracks.get(ip);
  if (known !== undefined) return known;
  const blank = { ip, pool: undefined, holder: undefined, moves: 0, downMs: 0, known: false, downSince: undefined };
  tracks.set(ip, blank);
  return blank;
}

function moved(track: Track, { from, to, by }: Extract<Fact, { readonly kind: "moved" }>): void {
  track.holder = to;
  // A move by way of no holder counts as one move, when it arrives.
  if (by === "operator" && to !== undefined && (from !== undefined || track.known)) track.moves++;
}

function leave(track: Track, at: number): void {
  settle(track, at);
  track.holder = undefined;
  track.known = false;
}

/** Whether it is missed, now that something changed. */
function look(track: Track, pools: readonly PoolView[], at: number): void {
  const pool = pools.find(({ ips }) => ips.includes(track.ip));
  track.pool = pool?.pool ?? track.pool;
  const up = pool !== undefined && track.holder !== undefined && pool.serving.has(track.holder);
  if (up) track.known = true;
  if (up || pool === undefined || !track.known) settle(track, at);
  else track.downSince ??= at;
}

function settle(track: Track, at: number): void {
  if (track.downSince !== undefined) track.downMs += at - track.downSince;
  track.downSince = undefined;
}
