/** Plays a scenario in the sandbox, and records what Prometheus would have scraped. */

import { readFile } from "node:fs/promises";
import { silentLogger } from "flipop-operator/logging";
import { readScenario } from "../../sandbox/src/story/scenario/read-scenario.js";
import { Story } from "../../sandbox/src/story/story.js";
import { type Samples, samplesIn } from "./series.js";

/** Story time between two scrapes: that of the Prometheus operator. */
export const INTERVAL_SECONDS = 30;
/** Story seconds in a real one. */
const SPEED = 600;

export interface Recording {
  /** Samples of each scrape by series; without an operator there are none. */
  readonly scrapes: readonly Samples[];
  /** For each act, how many scrapes came before it, by its title. */
  readonly acts: ReadonlyMap<string, number>;
  /** What the story printed. */
  readonly lines: readonly string[];
}

/** @param wanted names of the metrics to record. */
export async function record(file: string, wanted: ReadonlySet<string>): Promise<Recording> {
  const scenario = readScenario({ name: file, text: await readFile(file, "utf8"), readFile: () => "" });
  const titles = new Map(scenario.acts.map(({ title, steps: [first] }) => [first, title]));
  const recording = { scrapes: [] as Samples[], acts: new Map<string, number>(), lines: [] as string[] };
  const { scrapes, acts, lines } = recording;
  const story = await Story.prepare({
    ...{ scenario, speed: SPEED, port: 0, logger: silentLogger, style: { width: 120, colours: false } },
    print: (line) => lines.push(line),
    before: (step) => {
      const title = titles.get(step);
      if (title !== undefined) acts.set(title, scrapes.length);
    },
  });
  const ended = new AbortController();
  const scraping = scrapeUntil(ended.signal, story, async () => {
    const { identity = "", text = "" } = (await story.scrape()) ?? {};
    scrapes.push(samplesIn(text, wanted, `flipop-7d4b9c-${identity.replace("flipop-", "")}`));
  });
  try {
    await story.play(ended.signal);
  } finally {
    ended.abort();
    await scraping;
    await story.close();
  }
  return recording;
}

async function scrapeUntil(ended: AbortSignal, { stage }: Story, scrape: () => Promise<void>): Promise<void> {
  const { clock } = stage;
  const start = clock.monotonic();
  for (let count = 1; !ended.aborted; count++) {
    await scrape();
    const at = start + count * INTERVAL_SECONDS * 1000;
    await clock.sleep(Math.max(0, at - clock.monotonic()), ended).catch(() => undefined);
  }
}
