/** Executables that the tests need and that Go builds from their modules, once for each version. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 20 * 60_000;

/** Tests run these tools for seconds: a build without optimisation and debugging data takes a third less time. */
export const QUICK_BUILD = ["-trimpath", "-gcflags=all=-N -l -dwarf=false", "-ldflags=-s -w"];

export interface GoBinary {
  readonly name: string;
  /** The environment variable that names an executable to use. */
  readonly variable: string;
  /** The version to build if none is installed. */
  readonly version: string;
  /** What is built, for the log. */
  readonly module: string;
  /** Arguments of go that write the executable into the folder. */
  readonly build: (folder: string) => readonly string[];
  /** The folder in which go runs. @default the present one */
  readonly cwd?: string;
}

/** The executable: that of the variable, then of PATH, then of the user's cache. */
export function findBinary(binary: GoBinary, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { name, variable } = binary;
  const inPath = (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  return [env[variable] ?? "", ...inPath, join(cacheFolder(binary, env), name)].find(
    (file) => file !== "" && existsSync(file),
  );
}

/**
 * The executable. If there is none, go builds it once into the user's cache, which takes some minutes.
 * @param log receives a line before the build
 */
export async function findOrBuildBinary(
  binary: GoBinary,
  env: NodeJS.ProcessEnv = process.env,
  log: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Promise<string> {
  const found = findBinary(binary, env);
  if (found !== undefined) return found;
  const { name, variable, module, build, cwd } = binary;
  const folder = cacheFolder(binary, env);
  log(`no ${name} in ${variable}, on PATH or in ${folder}: building ${module} once, which takes some minutes`);
  await mkdir(folder, { recursive: true });
  const buildEnv = { ...env, GOBIN: folder, CGO_ENABLED: "0" };
  await run("go", [...build(folder)], { env: buildEnv, timeout: BUILD_TIMEOUT_MS, ...(cwd && { cwd }) });
  return join(folder, name);
}

function cacheFolder({ name, version }: GoBinary, env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? homedir();
  return join(env["XDG_CACHE_HOME"] ?? join(home, ".cache"), "flipop", name, version);
}
