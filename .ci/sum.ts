/** Prints what failed, and the sum over all suites that ran since the results were last removed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addCounts, NONE, parseCounts, sumLine } from "./counts.js";

const results = join(import.meta.dirname, "results");
const files = existsSync(results) ? readdirSync(results) : [];
const counts = files.map((file) => parseCounts(readFileSync(join(results, file), "utf8"))).reduce(addCounts, NONE);
for (const test of counts.failedTests) console.log(`FAILED: ${test}`);
console.log(sumLine(counts));
