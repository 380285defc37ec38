/** Searches docs, comments and strings for the banned constructions of tools/words/rules.ts. `npm run words` */
import { allFindings } from "./check.js";

const findings = allFindings();
for (const [file, each] of findings)
  for (const { line, found, instead } of each) console.log(`${file}:${line}: "${found}": ${instead}`);
if (findings.size > 0) process.exitCode = 1;
