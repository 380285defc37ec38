import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";

const EXAMPLES = resolve(import.meta.dirname, "../../examples");
/** Files of the examples folder that are not examples: the app behind `npm run synth` and the words of `npm start`. */
const NO_EXAMPLES = ["manifests", "tour"];

/** The part of an object in a manifest that the tests read. */
export interface ManifestObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Names of all examples: their files without ending. */
export function exampleNames(): readonly string[] {
  const names = readdirSync(EXAMPLES).flatMap((file) => (file.endsWith(".ts") ? [file.slice(0, -3)] : []));
  return names.filter((name) => !NO_EXAMPLES.includes(name));
}

/** The synthesised files: text by name. */
export type Manifests = ReadonlyMap<string, string>;

/** Runs an example in this process. Node loads a module once, so each example can run only once in a process. */
export async function synthExample(name: string): Promise<Manifests> {
  const outdir = mkdtempSync(join(tmpdir(), "flipop-example-"));
  process.env["CDK8S_OUTDIR"] = outdir;
  try {
    await import(pathToFileURL(join(EXAMPLES, `${name}.ts`)).href);
    return readManifests(outdir);
  } finally {
    delete process.env["CDK8S_OUTDIR"];
    rmSync(outdir, { recursive: true });
  }
}

/** The manifests in a folder. */
export function readManifests(folder: string): Manifests {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  return new Map(files.sort().map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/** The objects of all files, in their order. */
export function objectsOf(manifests: Manifests): readonly ManifestObject[] {
  const documents = [...manifests.values()].flatMap((text) => parseAllDocuments(text));
  return documents.map((document) => document.toJS() as ManifestObject);
}
