import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.js";

/** The part of esbuild's metafile that this file reads. */
export interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

const PACKAGE = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licences of all packages in a bundle, which must come with it. It throws for a package without one. */
export function licencesOf({ outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[1] ?? []));
  return [...folders].sort().map(licenceIn).join("\n");
}

function licenceIn(path: string): string {
  const folder = join(ROOT, path);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file)) : [];
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (texts.length === 0 && manifest.license === undefined) throw new Error(`${path} has no licence`);
  // Some packages name their licence without its text; flipop's own has the same text.
  if (texts.length === 0 && manifest.license?.includes("Apache-2.0")) texts.push("The Apache licence is in LICENSE.");
  const title = `${manifest.name} ${manifest.version} (${manifest.license ?? "see below"})`;
  return [title, "=".repeat(title.length), "", ...texts.map((text) => `${text}\n`)].join("\n");
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}
