import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The part of the bundle's metafile that this tool reads. */
export interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Keys are paths from the operator's folder. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The commit of the sources; empty without Git. */
  readonly commit: string;
}

/** The metafile of the bundle. */
export function readMetafile(folder: string): Metafile {
  const file = join(folder, "metafile.json");
  if (!existsSync(file)) throw new Error(`no bundle in ${folder}: run npm run build`);
  return JSON.parse(readFileSync(file, "utf8")) as Metafile;
}

/**
 * Files of the bundle in the image, by their path in the bundle's folder. Source maps are not included, because they
 * would double the size.
 */
export function bundleFiles(
  folder: string,
  { outputs }: Pick<Metafile, "outputs">,
): Readonly<Record<string, Uint8Array>> {
  const names = Object.keys(outputs).map((path) => relative("dist", path));
  const kept = names.filter((name) => !name.endsWith(".map")).sort();
  return Object.fromEntries(kept.map((name) => [name, readFileSync(join(folder, name))]));
}
