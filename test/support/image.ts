import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BuiltImage, buildImage } from "../../tools/image/build.js";
import { ARCHITECTURES, type Architecture } from "../../tools/image/pinned-packages.js";
import { run } from "../../tools/packs/run-command.js";

const ROOT = resolve(import.meta.dirname, "../..");

/** The platform of this machine, if the image supports it. */
export const HERE: Architecture | undefined = process.arch === "x64" ? "amd64" : byName(process.arch);

/** Bundles the operator, or another workspace, into a folder. */
export function bundleInto(folder: string, workspace = "operator"): string {
  const bundle = join(folder, workspace);
  mkdirSync(bundle, { recursive: true });
  run(process.execPath, ["--import", "tsx", "bundle.ts", "--outdir", bundle], { cwd: join(ROOT, workspace) });
  return bundle;
}

/** Packs a bundle, dated 1970. */
export function imageOf(bundle: string, architectures: readonly Architecture[] = ARCHITECTURES): Promise<BuiltImage> {
  return buildImage({ architectures, bundle, epochSeconds: 0 });
}

function byName(name: string): Architecture | undefined {
  return ARCHITECTURES.find((architecture) => architecture === name);
}
