import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ETCD_VERSION, KUBERNETES_VERSION } from "./binaries/versions.js";

/** Folder of this package. */
export const packageRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Folder of the repository. */
export const repoRoot = dirname(packageRoot);

/** The environment variables that a look-up reads. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's cache folder on this platform. */
export function userCacheFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  if (platform === "darwin") return join(homeOf(env), "Library", "Caches");
  if (platform === "win32") return env.LOCALAPPDATA ?? join(homeOf(env), "AppData", "Local");
  return join(homeOf(env), ".cache");
}

/** The cache folder of the control plane for this version and platform. */
export function controlPlaneCache(env: Environment): string {
  const key = `${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}-${process.platform}-${process.arch}`;
  return join(userCacheFolder(env), "flipop", "controlplane", key);
}

function homeOf(env: Environment): string {
  return env.HOME ?? env.USERPROFILE ?? homedir();
}
