/** Simulates an app in one call, for its tests: `import { simulate } from "flipop-sandbox/testing"`. */

import { silentLogger } from "flipop-operator/logging";
import { findNode } from "../story/resolve-refs.js";
import { verdictsOf } from "../story/rules/rules.js";
import { Story } from "../story/story.js";
import { type Failure, lateMoves, movesOf } from "./address-moves.js";
import { objectsOf } from "./app-objects.js";
import { checkInput } from "./check-options.js";
import type { AppLike, SimulateOptions, Simulation, Time } from "./options.js";
import { type FailureStep, scenarioOf } from "./scenario-of.js";

export type { AppLike, Move, SimulatedNodes, SimulateOptions, Simulation, Time } from "./options.js";

/** Simulated seconds in a real one. */
const SPEED = 600;
const DEFAULT_MOVE_MS = 2_000;

/**
 * Plays an app with the real operator, on a Kubernetes API and clouds that are simulated in this process. Rejects with an
 * AssertionError that lists what went wrong if an address did not move in time, or if a rule did not hold: no node ever
 * held two addresses of a family, no record set was ever empty, no address left a healthy node, and others. Rejects with an
 * Error if an option has an unknown name, a wrong type or no effect.
 *
 * @param app a cdk8s App or Chart, or the objects of manifests
 */
export async function simulate(app: AppLike | readonly object[], options: SimulateOptions = {}): Promise<Simulation> {
  checkInput(app, options);
  const { scenario, failure } = scenarioOf(objectsOf(app), options);
  const lines: string[] = [];
  let failed: Failure | undefined;
  const story = await Story.prepare({
    ...{ scenario, speed: SPEED, port: 0, logger: silentLogger, style: { width: 120, colours: false } },
    print: (text) => lines.push(text),
    before: (step) => {
      if (step === failure) failed = failureIn(story, failure);
    },
  });
  try {
    const { cloudTakes } = options;
    const { durations } = story.stage.world.digitalocean.state.settings;
    durations.assign = cloudTakes === undefined ? DEFAULT_MOVE_MS : secondsOf(cloudTakes) * 1000;
    await story.play(new AbortController().signal);
    return report(story, { lines, failed, options });
  } finally {
    await story.close();
  }
}

/** Without `integral: false`, cdk8s throws for parts of a second. */
function secondsOf(time: Time): number {
  return time.toSeconds({ integral: false });
}

function failureIn({ stage, holders }: Story, { node: ref }: FailureStep): Failure {
  const node = findNode(stage, ref);
  const ips = [...holders].filter(([, holder]) => holder === node).map(([ip]) => ip);
  return { atMs: stage.clock.monotonic(), node, ips };
}

interface Played {
  readonly lines: readonly string[];
  readonly failed: Failure | undefined;
  readonly options: SimulateOptions;
}

function report(story: Story, { lines, failed, options: { movesWithin } }: Played): Simulation {
  const log = lines.join("\n");
  const verdicts = verdictsOf(story.facts);
  const moves = failed ? movesOf(story.facts, failed) : [];
  const late = failed && movesWithin ? lateMoves(moves, failed, secondsOf(movesWithin)) : [];
  const broken = verdicts.flatMap(({ title, violations }) => violations.map((violation) => `${title}: ${violation}`));
  const problems = [...late, ...broken];
  if (problems.length > 0) throw new SimulationError(problems, log);
  return { moves, holders: new Map(story.holders), rules: verdicts.map(({ title }) => title), log };
}

/** What a simulation found. */
export class SimulationError extends Error {
  /** Test runners show an error of this name as a failed assertion. */
  override readonly name = "AssertionError";

  /** @param log what happened, in lines with the simulated time */
  constructor(
    readonly problems: readonly string[],
    readonly log: string,
  ) {
    super(`the simulation found:\n${problems.map((problem) => `  ${problem}`).join("\n")}\n\n${log}`);
  }
}
