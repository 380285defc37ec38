import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The version to build if none is installed. */
export const HELM_VERSION = "v3.22.0";
const MODULE = `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`;
const BUILD_TIMEOUT_MS = 20 * 60_000;

/** The helm executable: `HELM`, then PATH, then the user's cache. */
export function findHelm(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const inPath = (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "helm"));
  return [env["HELM"] ?? "", ...inPath, join(helmCache(env), "helm")].find((file) => file !== "" && existsSync(file));
}

/**
 * The helm executable. If there is none, it is built once from its Go module into the user's cache (5 minutes).
 * @param log receives a line before the build
 */
export async function findOrBuildHelm(
  env: NodeJS.ProcessEnv = process.env,
  log: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Promise<string> {
  const found = findHelm(env);
  if (found !== undefined) return found;
  const folder = helmCache(env);
  log(`no helm in HELM, on PATH or in ${folder}: building ${MODULE} once, which takes some minutes`);
  await mkdir(folder, { recursive: true });
  const buildEnv = { ...env, GOBIN: folder, CGO_ENABLED: "0" };
  await run("go", ["install", "-trimpath", "-ldflags=-s -w", MODULE], { env: buildEnv, timeout: BUILD_TIMEOUT_MS });
  return join(folder, "helm");
}

/** The cache folder of a built helm. */
function helmCache(env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] ?? homedir();
  return join(env["XDG_CACHE_HOME"] ?? join(home, ".cache"), "flipop", "helm", HELM_VERSION);
}
