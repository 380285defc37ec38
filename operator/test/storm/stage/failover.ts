/** The last act of a round: a holder fails in a world at rest, and its address must be on its way soon. */

import { setTimeout as delay } from "node:timers/promises";
import type { Violation } from "../history.js";
import { BOUNDS, SECOND_MS } from "../oracle/bounds.js";
import type { Picture, PictureNode, PictureResource } from "../oracle/picture.js";
import { enabledAddresses, familyOf, missingAddresses } from "../oracle/rest.js";
import { matches, movesOf } from "../truth.js";
import { photograph } from "./photograph.js";
import type { Stage } from "./stage.js";

interface Case {
  readonly ip: string;
  readonly node: string;
  readonly pool: string;
  readonly coolOffMs: number;
}

/** Of 250 in DigitalOcean's minute: with more, a move may have to wait for the account. */
const MOST_CALLS = 180;
const MINUTE_MS = 60_000;
const LOOK_MS = 100;

export async function failover(stage: Stage): Promise<readonly Violation[]> {
  const { recorder, nodes } = stage.parts;
  const found = caseIn(await photograph(stage));
  const recent = recorder
    .history()
    .calls.filter(({ at, cloud }) => cloud === "digitalocean" && at > Date.now() - MINUTE_MS);
  if (found === undefined || recent.length > MOST_CALLS) return [];
  recorder.step(`failover: ${found.node} fails, which holds ${found.ip} of ${found.pool}`);
  await nodes.fail(found.node);
  const failedAt = Date.now();
  const end = failedAt + BOUNDS.failoverMs + found.coolOffMs;
  while (Date.now() < end) {
    await delay(LOOK_MS);
    const moves = movesOf(recorder.history());
    if (moves.some(({ ip, target, call }) => ip === found.ip && target !== undefined && call.at >= failedAt)) return [];
  }
  const message = `${found.ip} of ${found.pool} was not sent anywhere ${Date.now() - failedAt} ms after ${found.node} failed, with a free candidate and no faults`;
  return [{ check: "failover", at: Date.now(), message }];
}

/** A pool without grace, one of its holders, and a candidate to go to. */
function caseIn(picture: Picture): Case | undefined {
  return picture.resources
    .filter(({ state }) => state.kind === "pool" && !state.paused && state.graceSeconds === 0)
    .flatMap((resource) => casesOf(picture, resource))[0];
}

function casesOf(picture: Picture, resource: PictureResource): readonly Case[] {
  const { name: pool, state } = resource;
  const candidates = picture.nodes.filter((node) => node.hasMachine && matches(state, node.state, node.name));
  const taken = new Set(
    Object.entries(picture.holders).flatMap(([ip, droplet]) => (familyOf(ip) === state.family ? [droplet] : [])),
  );
  const isFree = ({ state: { droplet } }: PictureNode) => !taken.has(droplet);
  if (candidates.filter(isFree).length <= missingAddresses(picture, state.family)) return [];
  return enabledAddresses(resource).flatMap((ip) => {
    const node = candidates.find((candidate) => candidate.state.droplet === picture.holders[ip]);
    return node === undefined ? [] : [{ ip, node: node.name, pool, coolOffMs: state.coolOffSeconds * SECOND_MS }];
  });
}
