/** Which source file imports which, and the circles among them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** The root of the repo. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** The folders with source code; the tests are apart from them. */
export const SOURCE_FOLDERS = ["constructs/src", "operator/src", "sandbox/src", "testbed/src", "tools", "projenrc"];

/** The files that each file imports, types included. Paths are relative to the root of the repo. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The imports between the files of these folders. A folder that does not exist has no files. */
export function importGraph(folders: readonly string[] = SOURCE_FOLDERS): ImportGraph {
  const files = folders.flatMap(sourceFiles);
  const known = new Set(files);
  return new Map(files.map((file) => [file, importsOf(file).filter((one) => known.has(one))]));
}

/** The TypeScript files below a folder, sorted. */
function sourceFiles(folder: string): readonly string[] {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
    .map((file) => join(folder, file))
    .sort();
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** The text of every TypeScript file of the repo by path, tests and examples included. */
export function allTexts(): ReadonlyMap<string, string> {
  const folders = ["constructs", "operator", "sandbox", "testbed", "tools", "projenrc", "test", "examples", ".ci"];
  const built = /(^|\/)(node_modules|lib|dist)\//;
  const files = folders.flatMap(sourceFiles).filter((file) => !file.endsWith(".d.ts") && !built.test(file));
  return new Map([...files, ".projenrc.ts"].map((file) => [file, textOf(file)]));
}

/** How many lines each file of the graph has. */
export function linesOf(graph: ImportGraph): ReadonlyMap<string, number> {
  return new Map([...graph.keys()].map((file) => [file, textOf(file).trimEnd().split("\n").length]));
}

function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(textOf(file));
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .flatMap((name) => {
      const base = resolve(ROOT, dirname(file), name.replace(/\.js$/, ""));
      return [`${base}.ts`, join(base, "index.ts")].filter((path) => existsSync(path)).slice(0, 1);
    })
    .map((path) => relative(ROOT, path));
}

/** Every group of files that import each other in a circle, each group sorted. This is Tarjan's algorithm. */
export function importCycles(graph: ImportGraph): readonly (readonly string[])[] {
  return new CycleSearch(graph).run();
}

class CycleSearch {
  private readonly order = new Map<string, number>();
  /** The earliest file of the path that each file reaches. */
  private readonly earliest = new Map<string, number>();
  private readonly path: string[] = [];
  private readonly found: (readonly string[])[] = [];

  constructor(private readonly graph: ImportGraph) {}

  run(): readonly (readonly string[])[] {
    for (const file of this.graph.keys()) if (!this.order.has(file)) this.visit(file);
    return this.found;
  }

  private visit(file: string): void {
    const own = this.order.size;
    this.order.set(file, own);
    this.earliest.set(file, own);
    this.path.push(file);
    for (const next of this.graph.get(file) ?? []) this.follow(file, next);
    if (this.earliest.get(file) !== own) return;
    const group = this.path.splice(this.path.indexOf(file));
    if (group.length > 1 || this.graph.get(file)?.includes(file)) this.found.push(group.sort());
  }

  private follow(file: string, next: string): void {
    if (!this.order.has(next)) this.visit(next);
    else if (!this.path.includes(next)) return;
    this.earliest.set(file, Math.min(this.earliest.get(file) ?? 0, this.earliest.get(next) ?? 0));
  }
}
