/** `npx tsx tools/recording/main.ts`: plays the sandbox's own story and updates the picture in the README. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { silentLogger } from "flipop-operator/logging";
import { playStory } from "flipop-sandbox/story";
import { excerpt } from "./excerpt.js";
import { terminalSvg } from "./svg.js";

const PICTURE = resolve(import.meta.dirname, "../../docs/images/sandbox.svg");
const lines: string[] = [];

process.exitCode = await playStory(
  { port: 0, once: true, keep: false, speed: 600 },
  {
    stop: new AbortController().signal,
    attended: false,
    out: { isTTY: true, columns: 100 },
    env: {},
    print: (text) => lines.push(text),
    complain: (text) => console.error(text),
    logger: silentLogger,
  },
);
if (process.exitCode === 0) {
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, terminalSvg(excerpt(lines.join("\n")), "npm start"));
}
