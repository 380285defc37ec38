/**
 * The last act of a round: a holder fails in a world at rest, and its address must be on its way soon. In half of the
 * rounds the account has little budget left by then, and record sets want all of it: moves go first.
 */

import { setTimeout as delay } from "node:timers/promises";
import { GROUP_VERSION } from "cdk8s-flipop/api";
import { DOMAIN } from "../clouds.js";
import type { Call, History, ResourceState, Violation } from "../history.js";
import { BOUNDS, SECOND_MS } from "../oracle/bounds.js";
import type { Picture, PictureResource } from "../oracle/picture.js";
import { enabledAddresses } from "../oracle/picture.js";
import { FirewallLookup } from "../oracle/rest.js";
import { mayHaveFailed } from "../oracle/rest-health.js";
import { isDone, matches, movesOf } from "../truth.js";
import { insist } from "./insist.js";
import { LABEL } from "./nodes.js";
import { photograph } from "./photograph.js";
import type { Stage } from "./stage.js";

interface Case {
  readonly ip: string;
  readonly node: string;
  readonly pool: string;
  readonly act: "unready" | "die";
  /** Until its address must be on its way. */
  readonly boundMs: number;
}

export interface FailoverOptions {
  /** Whether the account is to be short of budget. */
  readonly short: boolean;
  /** Whether the node is to die without Kubernetes noticing, where a pool has a health check. */
  readonly silent: boolean;
}

/** Of 250 in DigitalOcean's minute: with more, a move may have to wait for the account. */
const MOST_CALLS = 180;
const MINUTE_MS = 60_000;
const LOOK_MS = 100;
/** Calls that are left in the account's hour, and the record sets that want more than that. */
const LEFT_CALLS = 15;
const BURST_SETS = ["burst-1", "burst-2", "burst-3"] as const;
/** Until the record sets have begun. */
const BURST_MS = 400;

export async function failover(stage: Stage, { short, silent }: FailoverOptions): Promise<readonly Violation[]> {
  const { recorder, nodes, replicas } = stage.parts;
  while (silent && Date.now() - replicas.completeSince < BOUNDS.standbyMs) await delay(LOOK_MS);
  const history = recorder.history();
  const found = caseIn(await photograph(stage), history, silent);
  const recent = history.calls.filter(({ at, cloud }) => cloud === "digitalocean" && at > Date.now() - MINUTE_MS);
  if (found === undefined || recent.length > MOST_CALLS) return [];
  if (short) await drain(stage, history);
  const how = found.act === "die" ? "dies silently" : "fails";
  recorder.step(`failover: ${found.node} ${how}, which holds ${found.ip} of ${found.pool}`);
  await nodes.fail(found.node, found.act);
  const failedAt = Date.now();
  const end = failedAt + found.boundMs;
  while (Date.now() < end) {
    await delay(LOOK_MS);
    const moves = movesOf(recorder.history());
    if (moves.some(({ ip, target, call }) => ip === found.ip && target !== undefined && call.at >= failedAt)) return [];
  }
  const budget = short ? "with a reserve of the budget" : "with enough budget";
  const message = `${found.ip} of ${found.pool} was not sent anywhere ${Date.now() - failedAt} ms after ${found.node} ${how}, with a free candidate, without faults, ${budget}`;
  return [{ check: "failover", at: Date.now(), message }];
}

/** Leaves the leader few calls, less than the reserve for moves, and makes record sets that want more. */
async function drain(stage: Stage, { calls }: History): Promise<void> {
  const { clouds, replicas, resources, recorder } = stage.parts;
  const counts = (call: Call) =>
    call.cloud === "digitalocean" && call.caller === replicas.leader && (call.fault === undefined || isDone(call));
  clouds.digitalocean.state.settings.limits.perHour = calls.filter(counts).length + LEFT_CALLS;
  recorder.step(`failover: ${LEFT_CALLS} calls are left in the hour`);
  for (const name of BURST_SETS) {
    const dnsRecordSet = { provider: "digitalocean", zone: DOMAIN, recordName: `${name}.${DOMAIN}` };
    const spec = { dnsRecordSet, match: { nodeLabel: LABEL } };
    const body = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata: { name }, spec };
    await insist(() => stage.client.must.create(resources.collection("set"), body));
  }
  await delay(BURST_MS);
}

/** A pool without grace, one of its holders, and a candidate to go to. */
function caseIn(picture: Picture, history: History, silent: boolean): Case | undefined {
  const evaluate = new FirewallLookup(picture, history);
  // One more failure may be a mass failure, which stops moves.
  const mayStop = mayHaveFailed(picture, history).length + 1 >= BOUNDS.massFailure.least;
  const cases = picture.resources
    .filter(({ state }) => state.kind === "pool" && !state.paused && state.graceSeconds === 0)
    .filter(({ state }) => state.ignoresMassFailure || !mayStop)
    .flatMap((resource) => casesOf(evaluate, resource, silent));
  return cases.find(({ act }) => act === "die") ?? cases[0];
}

function casesOf(evaluate: FirewallLookup, resource: PictureResource, silent: boolean): readonly Case[] {
  const { name: pool, state } = resource;
  if (evaluate.free(state) === undefined) return [];
  return enabledAddresses(resource).flatMap((ip) => {
    const node = evaluate.nodeOf(evaluate.picture.holders[ip]);
    if (node === undefined || evaluate.isByHand(ip) || !matches(state, node.state, node.name)) return [];
    const act = silent && state.check !== undefined ? "die" : "unready";
    return [{ ip, node: node.name, pool, act, boundMs: boundOf(state, act) }];
  });
}

function boundOf({ coolOffSeconds, check }: ResourceState, act: Case["act"]): number {
  const coolOffMs = coolOffSeconds * SECOND_MS;
  if (act === "unready" || check === undefined) return BOUNDS.failoverMs + coolOffMs;
  const { failureThreshold, intervalSeconds } = check;
  // The bound is for the defaults: two probes, a second apart.
  const slower = (failureThreshold * intervalSeconds - 2) * SECOND_MS;
  return BOUNDS.silentDeathMs + slower + coolOffMs;
}
