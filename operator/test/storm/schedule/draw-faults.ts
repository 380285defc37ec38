/** Faults of a schedule. Windows of trouble are short: what they leave behind is what the storm is about. */

import type { CloudName } from "../history.js";
import type { Draft } from "./draft.js";
import { CLOUD_FAULTS, type Happening, MISHAPS } from "./steps.js";

/** Shorter than the 5 s that lie between two reads which contradict the operator's own action. */
const LONGEST_STALE_MS = 3_500;

type Draw = (draft: Draft) => Happening;

/** With its share of all faults; they add up to 1. */
const FAULTS: readonly (readonly [share: number, draw: Draw])[] = [
  [0.33, cloudFault],
  [0.14, (draft) => ({ kind: "mishap", act: draft.of(MISHAPS) })],
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
