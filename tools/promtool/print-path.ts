/** `tsx tools/promtool/print-path.ts`: prints the path of promtool, and builds promtool first if there is none. */
import { findOrBuildPromtool } from "./promtool-binary.js";

process.stdout.write(`${await findOrBuildPromtool()}\n`);
