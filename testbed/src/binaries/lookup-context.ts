import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { controlPlaneCache, type Environment, packageRoot, repoRoot } from "../paths.js";
import { PARTS, type PartName } from "./versions.js";

/** All inputs of a look-up; a test can replace each of them. */
export interface LookupContext {
  readonly env: Environment;
  /** The programs that the folder must contain. */
  readonly parts: readonly PartName[];
  readonly cacheFolder: string;
  /** The prebuilt executable, compressed with xz. */
  readonly archive: string;
  /** The platform of the prebuilt executable. */
  readonly archivePlatform: string;
  /** Folder of the Go module. */
  readonly goModule: string;
  readonly log: (line: string) => void;
}

/** The look-up of this repository on this machine, with replaced parts. */
export function lookupContext(overrides: Partial<LookupContext> = {}): LookupContext {
  const env = overrides.env ?? process.env;
  return {
    env,
    parts: PARTS,
    cacheFolder: controlPlaneCache(env),
    archive: resolve(repoRoot, "..", "shared", "controlplane", "controlplane.xz"),
    archivePlatform: "linux-x64",
    goModule: join(packageRoot, "controlplane"),
    log: (line) => process.stderr.write(`flipop-testbed: ${line}\n`),
    ...overrides,
  };
}

/** Name of a program's file on this platform. */
export function fileName(name: string): string {
  return process.platform === "win32" ? `${name}.exe` : name;
}

/** The programs that the folder lacks. */
export async function missingParts(folder: string, parts: readonly PartName[]): Promise<PartName[]> {
  const present = await Promise.all(parts.map((part) => isExecutable(join(folder, fileName(part)))));
  return parts.filter((_, index) => !present[index]);
}

/** Whether a program is on the PATH. */
export async function onPath(program: string, env: Environment): Promise<boolean> {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = await Promise.all(folders.map((folder) => isExecutable(join(folder, fileName(program)))));
  return found.includes(true);
}

/** Whether there is a readable file. */
export function isReadable(file: string): Promise<boolean> {
  return accessible(file, constants.R_OK);
}

function isExecutable(file: string): Promise<boolean> {
  return accessible(file, constants.X_OK);
}

function accessible(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
