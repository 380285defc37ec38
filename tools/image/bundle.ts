import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What esbuild says of a bundle, as far as it is read here. */
export interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** By path from the operator's folder. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** What is in the bundle. */
export function readMetafile(folder: string): Metafile {
  const file = join(folder, "metafile.json");
  if (!existsSync(file)) throw new Error(`no bundle in ${folder}: npm run build makes it`);
  return JSON.parse(readFileSync(file, "utf8")) as Metafile;
}

/** Files of the bundle that the image carries, by their path in its folder: source maps would double it. */
export function bundleFiles(folder: string, { outputs }: Metafile): Readonly<Record<string, Uint8Array>> {
  const names = Object.keys(outputs).map((path) => relative("dist", path));
  const kept = names.filter((name) => !name.endsWith(".map")).sort();
  return Object.fromEntries(kept.map((name) => [name, readFileSync(join(folder, name))]));
}
