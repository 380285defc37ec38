/** What the standby replica says of a suspicion of the leader. Pure. */

import { FALLEN_LEADER_MS, STANDBY_VALID_MS } from "../../timings.js";

/**
 * `unreached`: the standby does not reach the target either. `reached`: it does. `pending`: its first answer is due.
 * `absent`: there is no standby that could tell. `fallen`: the former leader ran on the node, and fell silent.
 */
export type StandbyWitness = "unreached" | "reached" | "pending" | "absent" | "fallen";

/** A leader whose Lease ran out, so that this process took it. */
export interface FallenLeader {
  /** Name of the node that it ran on. */
  readonly node: string;
  /** Monotonic ms: when this process took the Lease. */
  readonly at: number;
}

export interface StandbyFacts {
  /** Whether the leader has not yet had an answer, or its end, to its first question. */
  readonly isAsked: boolean;
  /** The latest answer. */
  readonly answer?: {
    readonly ok: boolean;
    /** Monotonic ms of the leader: the probe of the standby began after that. */
    readonly began: number;
    /** Name of the node that the standby runs on. */
    readonly node: string;
  };
  readonly fallen?: FallenLeader | undefined;
}

export interface SuspectedNode {
  readonly name: string;
  /** Monotonic ms: when the suspicion began. */
  readonly since: number;
  /** Name of the node that the leader runs on. */
  readonly leaderNode: string;
}

export function standbyWitness(facts: StandbyFacts, suspected: SuspectedNode, now: number): StandbyWitness {
  const said = answerOf(facts, suspected, now);
  return said === "absent" && hasFallen(facts, suspected) ? "fallen" : said;
}

/** The suspicion must be older than a few lost packets: they say nothing about a process that only restarts. */
function hasFallen({ fallen, answer }: StandbyFacts, { name, since, leaderNode }: SuspectedNode): boolean {
  if (fallen?.node !== name || name === leaderNode || answer?.node === name) return false;
  return fallen.at - since >= FALLEN_LEADER_MS;
}

function answerOf(
  { isAsked, answer }: StandbyFacts,
  { name, since, leaderNode }: SuspectedNode,
  now: number,
): StandbyWitness {
  if (answer === undefined || answer.began < since || now - answer.began > STANDBY_VALID_MS) {
    return isAsked ? "pending" : "absent";
  }
  // A fault of the node that both replicas share fails the probes of both.
  if (!answer.ok) return answer.node === leaderNode ? "absent" : "unreached";
  // On the suspected node itself, the standby reaches the service without the network.
  return answer.node === name ? "absent" : "reached";
}
