/** Prints the failures, and the sum over all suites since the last removal of the results. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addCounts, NONE, parseCounts, sumLine } from "./counts.js";

const results = join(import.meta.dirname, "results");
const files = existsSync(results) ? readdirSync(results) : [];
const counts = files.map((file) => parseCounts(readFileSync(join(results, file), "utf8"))).reduce(addCounts, NONE);
for (const test of counts.failedTests) console.log(`FAILED: ${test}`);
console.log(sumLine(counts));
