import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { templates } from "./chart-templates.js";
import { chartYaml, HELPERS, notes } from "./fixed-files.js";
import { refusals } from "./refusals/refusals.js";
import { valuesSchema, valuesYaml } from "./values-files.js";

/** The files of the Helm chart by their paths. */
export function chartFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["Chart.yaml", chartYaml()],
    ["values.yaml", valuesYaml()],
    ["values.schema.json", valuesSchema()],
    ["templates/_helpers.tpl", HELPERS],
    ["templates/_refusals.tpl", refusals()],
    ["templates/NOTES.txt", notes()],
    ...[...templates()].map(([file, text]) => [`templates/${file}`, text] as const),
  ]);
}

/** Writes the Helm chart, after deleting all files in the folder. */
export async function writeChart(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of chartFiles()) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
