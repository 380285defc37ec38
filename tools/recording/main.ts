/** `npx tsx tools/recording/main.ts`: plays the sandbox's own story and updates the picture in the README. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { playedExcerpt } from "./play.js";
import { terminalSvg } from "./svg.js";

const PICTURE = resolve(import.meta.dirname, "../../docs/images/sandbox.svg");

mkdirSync(dirname(PICTURE), { recursive: true });
writeFileSync(PICTURE, terminalSvg(await playedExcerpt(), "npm start"));
