import { dirname } from "node:path";
import { deadExports } from "./dead-exports.js";
import { type ImportGraph, importCycles } from "./imports.js";
import { linesByArea, MOST_LINES_OF_AN_AREA } from "./line-limits.js";

/** The source files: their lines by path, and who imports whom. */
export interface Sources {
  readonly lines: ReadonlyMap<string, number>;
  readonly imports: ImportGraph;
  /** The text of every TypeScript file, tests included. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A number of the repo and its target. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** Maximum value. */
  readonly target: number;
  /** The places that count, for a value above the target. */
  readonly details: readonly string[];
  /** Details that are not in a list of exceptions; undefined: the number is only printed. */
  readonly refused?: readonly string[];
}

const MOST_FILES_OF_A_FOLDER = 20;
const MOST_LINES_OF_A_FILE = 300;
const SMALL_FILE = 40;

/** All numbers that need only the sources. */
export function measure(sources: Sources): readonly Measurement[] {
  const structure = [cycles(sources), folders(sources), longFiles(sources), smallFiles(sources)];
  return [size(sources), areas(sources), ...structure, unusedExports(sources)];
}

/** The sum of the limits of the operator's areas is its target. */
function size({ lines }: Sources): Measurement {
  const value = [...lines].filter(([file]) => isOperator(file)).reduce((sum, [, count]) => sum + count, 0);
  const limits = Object.entries(MOST_LINES_OF_AN_AREA).filter(([area]) => area.startsWith("operator/"));
  const target = limits.reduce((sum, [, limit]) => sum + limit, 0);
  return { name: "lines of operator/src", value, target, details: [] };
}

function areas({ lines }: Sources): Measurement {
  const sums = [...linesByArea(lines)].map(([area, count]) => ({
    area,
    count,
    limit: MOST_LINES_OF_AN_AREA[area] ?? 0,
  }));
  const text = ({ area, count, limit }: (typeof sums)[number]): string => `${area}: ${count} lines, at most ${limit}`;
  const refused = sums.filter(({ count, limit }) => count > limit).map(text);
  return {
    name: "areas above their limit of lines",
    value: refused.length,
    target: 0,
    details: sums.map(text),
    refused,
  };
}

function unusedExports({ texts }: Sources): Measurement {
  const details = deadExports(texts);
  return { name: "exports that no code uses", value: details.length, target: 0, details, refused: details };
}

function isOperator(file: string): boolean {
  return file.startsWith("operator/src/");
}

function cycles({ imports }: Sources): Measurement {
  const details = importCycles(imports).map((group) => group.join(" "));
  return { name: "import cycles", value: details.length, target: 0, details, refused: details };
}

function folders({ texts }: Sources): Measurement {
  const counts = new Map<string, number>();
  for (const file of texts.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const large = [...counts].filter(([, count]) => count > MOST_FILES_OF_A_FOLDER);
  const details = large.map(([folder, count]) => `${folder}: ${count}`);
  const name = `folders with more than ${MOST_FILES_OF_A_FOLDER} files`;
  return { name, value: large.length, target: 0, details, refused: details };
}

function longFiles({ lines }: Sources): Measurement {
  const details = [...lines]
    .filter(([, count]) => count > MOST_LINES_OF_A_FILE)
    .map(([file, count]) => `${file}: ${count}`);
  const name = `files with more than ${MOST_LINES_OF_A_FILE} lines`;
  return { name, value: details.length, target: 0, details, refused: details };
}

/** It loads the commands of the command line, each from its own file. */
const COMMANDS = "operator/src/commands/commands.ts";

/** Small files with one importer whose names explain an idea: a person decided it. */
const IDEAS = new Set([
  "operator/src/controllers/routed-ip/firewall/desired-firewall.ts",
  "operator/src/providers/layers/refused-token-remedy.ts",
  "operator/src/records/remarked-sets.ts",
  "operator/src/records/snapshot-parts.ts",
  "operator/src/routing/firewalls/firewall-registry.ts",
]);

/** Such a file is acceptable if its name explains an idea, as that of each command does. */
function smallFiles({ lines, imports }: Sources): Measurement {
  const importers = new Map<string, number>();
  for (const targets of imports.values())
    for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1);
  const commands = new Set(imports.get(COMMANDS));
  const details = [...lines]
    .filter(([file, count]) => isOperator(file) && count < SMALL_FILE && importers.get(file) === 1)
    .filter(([file]) => !commands.has(file) && !IDEAS.has(file))
    .map(([file, count]) => `${file}: ${count}`);
  return { name: `files under ${SMALL_FILE} lines with one importer`, value: details.length, target: 0, details };
}
