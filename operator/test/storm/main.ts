/**
 * `npm run storm -- [--seed S] [--minutes M] [--round K] [--keep-going] [--out FOLDER]`: random events and faults on a
 * real API server, real operator processes and simulated clouds, in rounds of 3 minutes, judged by an oracle that knows
 * only the documentation. `--check FILE` judges a saved history again. Ends with 1 where a rule was broken.
 */

import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../support/seeded-random.js";
import type { History } from "./history.js";
import { judge } from "./oracle/index.js";
import { type Figures, figuresOf, figuresText, NO_FIGURES, save, sum, timeline } from "./report.js";
import { drawSchedule } from "./schedule/draw.js";
import { playRound, type RoundResult } from "./stage/round.js";

const MINUTE_MS = 60_000;
const ROUND_MINUTES = 3;
/** Of a round: the rest is for the start, the way to rest, and the end. */
const STORM_MS = 95_000;
const WORD = 2 ** 31;

interface Options {
  readonly seed: number;
  readonly rounds: readonly number[];
  readonly keepGoing: boolean;
  readonly out: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      minutes: { type: "string" },
      round: { type: "string" },
      "keep-going": { type: "boolean" },
      out: { type: "string" },
      check: { type: "string" },
    },
  });
  if (values.check !== undefined) return check(values.check);
  const seed = Number(values.seed ?? process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * WORD));
  const minutes = Number(values.minutes ?? ROUND_MINUTES);
  if (!Number.isSafeInteger(seed) || !(minutes > 0)) {
    console.error(`--seed ${values.seed} --minutes ${values.minutes}: give a whole number and a time above 0`);
    return 2;
  }
  const count = Math.max(1, Math.floor(minutes / ROUND_MINUTES));
  const rounds =
    values.round === undefined ? Array.from({ length: count }, (_, place) => place + 1) : [Number(values.round)];
  const out = values.out ?? join(tmpdir(), `flipop-storm-${seed}`);
  return storm({ seed, rounds, keepGoing: values["keep-going"] === true, out });
}

/** Of a round: any two rounds of any two seeds differ. */
function seedOf(seed: number, round: number): number {
  return Math.floor(seededRandom(seed * 7919 + round)() * WORD);
}

async function storm({ seed, rounds, keepGoing, out }: Options): Promise<number> {
  console.log(`storm: seed ${seed}, ${rounds.length} rounds`);
  let figures: Figures = NO_FIGURES;
  let failed = false;
  const seeds: number[] = [];
  for (const round of rounds) {
    const schedule = drawSchedule(seedOf(seed, round), STORM_MS);
    seeds.push(schedule.seed);
    const say = (text: string) => console.log(`storm: round ${round}: ${text}`);
    say(`seed ${schedule.seed}, ${schedule.steps.length} steps`);
    const startedAt = Date.now();
    const result = await playRound({ schedule, round, keepGoing, say });
    say(`${figuresText(figuresOf(result))}; ${((Date.now() - startedAt) / MINUTE_MS).toFixed(1)} minutes`);
    figures = sum(figures, figuresOf(result));
    const broken = await hasFailed(result, join(out, `round-${round}`), `--seed ${seed} --round ${round}`);
    failed = failed || broken;
    if (failed && !keepGoing) break;
  }
  console.log(`storm: ${figuresText(figures)}; seed ${seed}, seeds of the rounds ${seeds.join(" ")}`);
  return failed ? 1 : 0;
}

async function hasFailed(result: RoundResult, folder: string, again: string): Promise<boolean> {
  const { violations, mistakes, history } = result;
  if (violations.length === 0 && mistakes.length === 0) return false;
  await save(folder, result);
  for (const mistake of mistakes) console.error(`storm: a mistake of the storm itself: ${mistake}`);
  const [first] = violations;
  if (first !== undefined) console.error(`storm: ${first.check}: ${first.message}\n${timeline(history, first)}`);
  console.error(`storm: everything is in ${folder}; again: npm run storm -- ${again}`);
  return true;
}

/** Judges a saved history once more. */
async function check(file: string): Promise<number> {
  const history = JSON.parse(await readFile(file, "utf8")) as History;
  const violations = judge(history);
  for (const violation of violations) {
    console.log(`${violation.check}: ${violation.message}\n${timeline(history, violation)}\n`);
  }
  console.log(`storm: ${violations.length} violations in ${file}`);
  return violations.length > 0 ? 1 : 0;
}

process.exit(await main());
