/** `tsx tools/helm/main.ts`: makes dist/helm/flipop from the construct library, as `npm run synth` makes plain manifests. */
import { writeChart } from "./chart.js";

const FOLDER = "dist/helm/flipop";

await writeChart(FOLDER);
process.stdout.write(`  - ${FOLDER}\n`);
