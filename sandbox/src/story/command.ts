/** Plays a story, and stays for kubectl where somebody sits at a terminal. */

import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { EXIT, INTERRUPTED } from "flipop-operator/exit";
import { errorText, type Logger } from "flipop-operator/logging";
import type { SandboxOptions } from "../cli-options.js";
import { KubeconfigFile } from "../kubeconfig-file.js";
import { startProblem } from "../start-problem.js";
import { MANIFESTS, STORY } from "./embedded.js";
import { hints } from "./next-steps.js";
import { ScenarioError } from "./scenario/field.js";
import { readScenario } from "./scenario/read-scenario.js";
import type { Scenario } from "./scenario/scenario.js";
import { Story } from "./story.js";
import { styleOf } from "./terminal-text.js";

/** What the command has to do with the world outside. */
export interface CommandContext {
  /** Aborts on Ctrl-C. */
  readonly stop: AbortSignal;
  /** Whether somebody is there to press it. */
  readonly attended: boolean;
  readonly out: { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes lines, without the newline at their end. */
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** For the simulators' own mistakes. */
  readonly logger: Logger;
}

/** Story seconds in a real one: fast enough not to bore, slow enough to follow. */
const WATCHED_SPEED = 30;
const UNWATCHED_SPEED = 600;

/** Resolves to the exit code: 1 also where something did not hold that must. */
export async function playStory(options: SandboxOptions, context: CommandContext): Promise<number> {
  try {
    const scenario = load(options.scenario);
    const watched = context.out.isTTY === true;
    const speed = options.speed ?? (watched ? (scenario.speed ?? WATCHED_SPEED) : UNWATCHED_SPEED);
    const { print, logger, out, env } = context;
    const style = styleOf(out, env);
    const story = await Story.prepare({ scenario, speed, port: options.port, style, print, logger });
    return await perform(story, options, context).finally(() => story.close());
  } catch (error) {
    if (context.stop.aborted) return INTERRUPTED;
    const told = error instanceof ScenarioError ? error.problems : [startProblem(error, options.port)];
    for (const problem of told) context.complain(`flipop: ${problem}`);
    return EXIT.failed;
  }
}

async function perform(story: Story, options: SandboxOptions, context: CommandContext): Promise<number> {
  const file = new KubeconfigFile(options.kubeconfig, story.stage.world.kubernetes.kubeconfig());
  try {
    const passed = await story.play(context.stop);
    if (options.keep || (context.attended && !options.once)) await stay(story, file.path, context);
    return passed ? EXIT.ok : EXIT.failed;
  } finally {
    file.remove();
  }
}

/** Until Ctrl-C, with the operator at work. */
async function stay(story: Story, kubeconfig: string, { stop, print }: CommandContext): Promise<void> {
  story.toRealTime();
  const { world } = story.stage;
  print(hints({ world, aHolder: story.aHolder, kubeconfig }));
  await new Promise<void>((done) => {
    if (stop.aborted) done();
    stop.addEventListener("abort", () => done(), { once: true });
  });
}

/** The story that the program carries, or one from a file. */
function load(file: string | undefined): Scenario {
  if (file === undefined) return readScenario({ name: "story.yaml", text: STORY, readFile: embedded });
  const folder = dirname(file);
  return readScenario({
    name: basename(file),
    text: read(file, "--scenario"),
    readFile: (path) => read(resolve(folder, path), "manifest"),
  });
}

function embedded(path: string): string {
  const text = MANIFESTS[path];
  if (text === undefined) throw new Error(`the program does not carry ${path}`);
  return text;
}

function read(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const problem = absent ? `${file} does not exist: correct the path` : `cannot read ${file}: ${errorText(error)}`;
    throw new ScenarioError([`${what}: ${problem}`]);
  }
}
