/**
 * `npm run storm -- [--seed S] [--minutes M] [--round-minutes R] [--round K] [--keep-going] [--out FOLDER]`: random events and faults on a
 * real API server, real operator processes and simulated clouds, in rounds of 3 minutes or more, judged by an oracle that knows
 * only the documentation. `--check FILE` judges a saved history again. Ends with 1 where a rule was broken.
 */

import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../support/seeded-random.js";
import { leaveCounts, missingControlPlane } from "./ci.js";
import type { History, Violation } from "./history.js";
import { judge } from "./oracle/index.js";
import type { Picture } from "./oracle/picture.js";
import { unsettled } from "./oracle/rest.js";
import { figuresOf, figuresText, NO_FIGURES, save, sum, timeline } from "./report.js";
import { drawSchedule } from "./schedule/draw.js";
import { playRound, type RoundResult } from "./stage/round.js";

const MINUTE_MS = 60_000;
/** At least, and by default. */
const ROUND_MINUTES = 3;
/** Of a round: for the start, the way to rest, and the end. The rest is the storm. */
const CALM_MS = 95_000;
const WORD = 2 ** 31;
/** Exit codes. */
const [BROKEN, USAGE] = [1, 2];

interface Options {
  readonly seed: number;
  readonly rounds: readonly number[];
  readonly roundMinutes: number;
  readonly keepGoing: boolean;
  readonly out: string;
}

interface Round {
  readonly result: RoundResult;
  readonly seed: number;
  /** Why it failed; empty: it did not. */
  readonly problems: readonly string[];
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  if (values.check !== undefined) return check(values.check);
  const options = optionsOf(values);
  if (options === undefined) {
    console.error(
      "storm: --seed and --round take whole numbers, --minutes a number above 0, --round-minutes one from 3 on",
    );
    return USAGE;
  }
  const missing = await missingControlPlane();
  return missing === undefined ? storm(options) : skip(missing);
}

const FLAGS = {
  seed: { type: "string" },
  minutes: { type: "string" },
  "round-minutes": { type: "string" },
  round: { type: "string" },
  "keep-going": { type: "boolean" },
  out: { type: "string" },
  check: { type: "string" },
} as const;

interface Values {
  readonly seed?: string;
  readonly minutes?: string;
  readonly "round-minutes"?: string;
  readonly round?: string;
  readonly "keep-going"?: boolean;
  readonly out?: string;
}

/** Undefined: something is no number. */
function optionsOf(values: Values): Options | undefined {
  const seed = Number(values.seed ?? process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * WORD));
  const roundMinutes = Number(values["round-minutes"] ?? ROUND_MINUTES);
  const rounds = roundsIn(values, roundMinutes);
  if (![seed, ...rounds].every(Number.isSafeInteger) || rounds.length === 0) return undefined;
  const { "keep-going": keepGoing = false, out = join(tmpdir(), `flipop-storm-${seed}`) } = values;
  return { seed, rounds, roundMinutes, keepGoing, out };
}

/** None for what is no number. */
function roundsIn({ round, minutes }: Values, roundMinutes: number): readonly number[] {
  if (!(roundMinutes >= ROUND_MINUTES)) return [];
  if (round !== undefined) return [Number(round)];
  const count = Math.max(1, Math.floor(Number(minutes ?? roundMinutes) / roundMinutes));
  return Array.from({ length: count || 0 }, (_, place) => place + 1);
}

function skip(why: string): number {
  console.log(`SKIPPED, no control plane for the storm: ${why}`);
  leaveCounts({ passed: 0, failed: 0, skipped: 1 }, []);
  return process.env["CI"] === "true" ? BROKEN : 0;
}

/** Of a round: any two rounds of any two seeds differ. */
function seedOf(seed: number, round: number): number {
  return Math.floor(seededRandom(seed * 7919 + round)() * WORD);
}

async function storm(options: Options): Promise<number> {
  const { seed, rounds, keepGoing } = options;
  console.log(`storm: seed ${seed}, ${rounds.length} rounds`);
  const played: Round[] = [];
  for (const round of rounds) {
    played.push(await play(options, round));
    if (played.at(-1)?.problems.length !== 0 && !keepGoing) break;
  }
  const figures = played.map(({ result }) => figuresOf(result)).reduce(sum, NO_FIGURES);
  const seeds = played.map((round) => round.seed).join(" ");
  console.log(`storm: ${figuresText(figures)}; seed ${seed}, seeds of the rounds ${seeds}`);
  const failed = played.filter(({ problems }) => problems.length > 0);
  const failures = failed.map(({ problems, seed: drawn }) => `storm, seed ${drawn}: ${problems[0]}`);
  leaveCounts({ passed: played.length - failed.length, failed: failed.length, skipped: 0 }, failures);
  return failed.length > 0 ? BROKEN : 0;
}

async function play({ seed, roundMinutes, keepGoing, out }: Options, round: number): Promise<Round> {
  const schedule = drawSchedule(seedOf(seed, round), roundMinutes * MINUTE_MS - CALM_MS);
  const say = (text: string) => console.log(`storm: round ${round}: ${text}`);
  say(`seed ${schedule.seed}, ${schedule.steps.length} steps`);
  const startedAt = Date.now();
  const result = await playRound({ schedule, round, keepGoing, say });
  say(`${figuresText(figuresOf(result))}; ${((Date.now() - startedAt) / MINUTE_MS).toFixed(1)} minutes`);
  const { violations, mistakes, history } = result;
  const problems = [...mistakes, ...violations.map(({ check: name, message }) => `${name}: ${message}`)];
  if (problems.length === 0) return { result, seed: schedule.seed, problems };
  const again = roundMinutes === ROUND_MINUTES ? "" : ` --round-minutes ${roundMinutes}`;
  const folder = join(out, `round-${round}`);
  await save(folder, result);
  for (const mistake of mistakes) console.error(`storm: a mistake of the storm itself: ${mistake}`);
  const [first] = violations;
  if (first !== undefined) console.error(`storm: ${first.check}: ${first.message}\n${timeline(history, first)}`);
  console.error(`storm: everything is in ${folder}; again: npm run storm -- --seed ${seed} --round ${round}${again}`);
  return { result, seed: schedule.seed, problems };
}

/** Judges a saved history once more. */
async function check(file: string): Promise<number> {
  const history = JSON.parse(await readFile(file, "utf8")) as History;
  const violations = [...judge(history), ...(await unrest(file, history))];
  for (const violation of violations) {
    console.log(`${violation.check}: ${violation.message}\n${timeline(history, violation)}\n`);
  }
  console.log(`storm: ${violations.length} violations in ${file}`);
  return violations.length > 0 ? BROKEN : 0;
}

/** What the last picture of the round shows, where a picture lies beside the history. */
async function unrest(file: string, history: History): Promise<readonly Violation[]> {
  const text = await readFile(join(dirname(file), "picture.json"), "utf8").catch(() => "{}");
  const picture = JSON.parse(text) as Partial<Picture>;
  const { at } = picture;
  if (at === undefined) return [];
  return unsettled(picture as Picture, history).map((message) => ({ check: "convergence", at, message }));
}

process.exit(await main());
