/**
 * `tsx tools/helm/main.ts`: generates the chart dist/helm/flipop from the construct library. `npm run synth` generates
 * plain manifests.
 */
import { writeChart } from "./chart.js";

const FOLDER = "dist/helm/flipop";

await writeChart(FOLDER);
process.stdout.write(`  - ${FOLDER}\n`);
