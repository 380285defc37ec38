/** Faults of a schedule. Windows of trouble are short: what they leave behind is what the storm is about. */

import type { CloudName } from "../history.js";
import type { Draft } from "./draft.js";
import { CLOUD_FAULTS, type Happening, MISHAPS, PROBE_ACTS, type ProbeAct } from "./steps.js";

/** Shorter than the 5 s that lie between two reads which contradict the operator's own action. */
const LONGEST_STALE_MS = 3_500;

/** How long an act lasts: longer than a failure takes to be noticed, but for a flap. */
const PROBE_MS: Readonly<Record<ProbeAct, readonly [least: number, most: number]>> = {
  flap: [100, 3_000],
  close: [3_000, 12_000],
  hang: [3_000, 12_000],
  die: [4_000, 25_000],
  "cut off": [2_000, 15_000],
  "close unwitnessed": [3_000, 7_000],
};

type Draw = (draft: Draft) => Happening;

/** With its share of all faults; they add up to 1. */
const FAULTS: readonly (readonly [share: number, draw: Draw])[] = [
  [0.25, cloudFault],
  [0.12, probeFault],
  [0.1, (draft) => ({ kind: "mishap", act: draft.of(MISHAPS) })],
  [0.12, (draft) => ({ kind: "actions", act: draft.chance(0.6) ? "fail" : "slow", ms: between(draft, 2_000, 8_000) })],
  [0.03, (draft) => once(draft, { kind: "token", cloud: cloudOf(draft), ms: between(draft, 1_000, 6_000) })],
  [0.03, (draft) => once(draft, { kind: "quota", ms: between(draft, 2_000, 6_000) })],
  [0.17, operatorFault],
  [0.18, serverFault],
];

export function faultEvent(draft: Draft): Happening {
  let roll = draft.next();
  for (const [share, draw] of FAULTS) {
    roll -= share;
    if (roll < 0) return draw(draft);
  }
  return cloudFault(draft);
}

/** A second refused token or quota in a row makes the operator wait for 300 s, as documented: longer than a round has. */
function once(draft: Draft, happening: Happening): Happening {
  const key = happening.kind === "token" ? `token ${happening.cloud}` : happening.kind;
  if (draft.spent.has(key)) return cloudFault(draft);
  draft.spent.add(key);
  return happening;
}

function cloudFault(draft: Draft): Happening {
  const fault = draft.of(CLOUD_FAULTS);
  const ms = fault === "stale reads" ? between(draft, 500, LONGEST_STALE_MS) : between(draft, 500, 7_000);
  const routes = draft.of(["all", "writes", "writes", "reads"] as const);
  return { kind: "cloud", cloud: cloudOf(draft), fault, routes, probability: draft.of([0.3, 0.6, 1]), ms };
}

function probeFault(draft: Draft): Happening {
  const act = draft.of(PROBE_ACTS);
  const [least, most] = PROBE_MS[act];
  return { kind: "probe", act, pick: draft.next(), ms: between(draft, least, most) };
}

function operatorFault(draft: Draft): Happening {
  const which = draft.chance(0.75) ? "leader" : "standby";
  const act = draft.of(["kill", "kill", "terminate", "stop"] as const);
  return { kind: "operator", act, which, ms: between(draft, 500, 9_000) };
}

function serverFault(draft: Draft): Happening {
  if (draft.seesAll) return { kind: "server", act: "refuse status", ms: between(draft, 300, 4_000) };
  const act = draft.chance(0.12)
    ? "restart"
    : draft.of(["reset", "freeze", "refuse status", "refuse status", "errors", "delay"] as const);
  return { kind: "server", act, ms: between(draft, 300, 4_000) };
}

function cloudOf(draft: Draft): CloudName {
  return draft.chance(0.75) ? "digitalocean" : "cloudflare";
}

function between(draft: Draft, least: number, most: number): number {
  return Math.round(least + draft.next() * (most - least));
}
