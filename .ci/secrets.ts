/** Reads the logs of all suites. Exit code 1 if a line holds what looks like a credential. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redactor } from "../operator/src/logging.js";

const LOGS = join(import.meta.dirname, "logs");

const redactor = new Redactor();
let read = 0;
const found = readdirSync(LOGS).flatMap((file) => {
  const lines = readFileSync(join(LOGS, file), "utf8").split("\n");
  read += lines.length;
  return lines.flatMap((line, index) => (redactor.scrub(line) === line ? [] : [`${file}:${index + 1}`]));
});
// The line itself would be a leak of its own.
for (const place of found) console.log(`SECRET in the log of a suite: .ci/logs/${place}`);
console.log(`${read} lines of logs hold ${found.length === 0 ? "no secret" : `${found.length} secrets`}`);
process.exitCode = found.length > 0 ? 1 : 0;
