/** What a simulation shows about the addresses of the failed node. Pure. */

import type { Fact } from "../story/rules/facts.js";
import type { Move } from "./options.js";

/** The failure: what the failed node held at that time. */
export interface Failure {
  readonly atMs: number;
  readonly node: string;
  readonly ips: readonly string[];
}

/** The first move of each address of the failed node to another node. */
export function movesOf(facts: readonly Fact[], { atMs, node, ips }: Failure): readonly Move[] {
  return ips.flatMap((ip) => {
    const found = facts.find(
      (fact) => fact.kind === "moved" && fact.ip === ip && fact.at >= atMs && fact.to !== undefined && fact.to !== node,
    );
    if (found?.kind !== "moved" || found.to === undefined) return [];
    return [{ ip, from: node, to: found.to, seconds: (found.at - atMs) / 1000 }];
  });
}

/** Where the addresses did not move in time, in words. */
export function lateMoves(moves: readonly Move[], { node, ips }: Failure, limit: number): readonly string[] {
  if (ips.length === 0)
    return [`${node} held no address when it failed: name another node, or "holder of NAMESPACE/NAME"`];
  return ips.flatMap((ip) => {
    const move = moves.find((one) => one.ip === ip);
    if (move === undefined) return [`${ip} did not leave ${node}`];
    if (move.seconds <= limit) return [];
    return [`${ip} moved from ${node} to ${move.to} after ${seconds(move.seconds)}, not within ${seconds(limit)}`];
  });
}

function seconds(value: number): string {
  return `${Math.round(value * 10) / 10} s`;
}
