/** The resources of a round: kinds that tests of their own cover, with settings from the seed. */

import type { CheckSettings } from "../history.js";
import { GROUPS, type Template } from "./steps.js";

const PAIRS: readonly (readonly string[])[] = [["a", "b"], ["b", "c"], ["a", "c"], GROUPS];

interface Dice {
  chance(probability: number): boolean;
  of<T>(values: readonly T[]): T;
}

const NO_ADDRESSES = { desired: 0, listed: 0, coolOffSeconds: 0, release: false };

/** @param probability of a health check. */
function checkOf(dice: Dice, probability: number): { readonly check?: CheckSettings } {
  if (!dice.chance(probability)) return {};
  const check = {
    type: dice.of(["TCP", "HTTP"] as const),
    intervalSeconds: dice.of([1, 1, 1, 2]),
    failureThreshold: dice.of([2, 2, 3]),
    successThreshold: dice.of([1, 2, 2, 3]),
  };
  return { check };
}

/** Pools first: their place is their number. */
export function drawTemplates(dice: Dice): readonly Template[] {
  return [...pools(dice), ...others(dice)];
}

function pools(dice: Dice): readonly Template[] {
  const usual = () => ({
    kind: "pool" as const,
    groups: dice.of(PAIRS),
    needsPod: false,
    family: "ipv4" as const,
    coolOffSeconds: dice.of([0, 0, 1, 2.5]),
    graceSeconds: dice.of([0, 0, 2, 5]),
    release: dice.chance(0.5),
    ignoresMassFailure: dice.chance(0.5),
  });
  return [
    {
      ...usual(),
      ...checkOf(dice, 1),
      name: "listed",
      desired: 0,
      listed: 2,
      dns: { cloud: "digitalocean", deletes: false },
    },
    {
      ...usual(),
      ...checkOf(dice, 0.6),
      name: "made",
      desired: 2,
      listed: 0,
      dns: { cloud: "cloudflare", deletes: dice.chance(0.5) },
    },
    { ...usual(), ...checkOf(dice, 0.3), name: "mixed", needsPod: true, desired: 2, listed: 1 },
    {
      ...usual(),
      ...checkOf(dice, 0.5),
      name: "six",
      family: "ipv6",
      desired: 2,
      listed: 1,
      dns: { cloud: "cloudflare", deletes: true },
    },
  ];
}

function others(dice: Dice): readonly Template[] {
  const set = () => ({
    ...NO_ADDRESSES,
    kind: "set" as const,
    groups: dice.of(PAIRS),
    family: "ipv4" as const,
    graceSeconds: dice.of([0, 3]),
    ignoresMassFailure: dice.chance(0.5),
  });
  const routed = () => ({
    ...{ ...NO_ADDRESSES, kind: "routed" as const, groups: [], needsPod: false, family: "ipv4" as const },
    graceSeconds: dice.of([0, 0, 3]),
    ignoresMassFailure: dice.chance(0.5),
  });
  return [
    { ...set(), ...checkOf(dice, 0.3), name: "nodes", needsPod: false, dns: { cloud: "digitalocean", deletes: false } },
    { ...set(), ...checkOf(dice, 0.8), name: "serving", needsPod: true, dns: { cloud: "cloudflare", deletes: false } },
    { ...routed(), ...checkOf(dice, 0.8), name: "route-made", desired: 1, release: true },
    {
      ...routed(),
      ...checkOf(dice, 0.4),
      name: "route-given",
      listed: 1,
      dns: { cloud: "digitalocean", deletes: true },
    },
  ];
}
