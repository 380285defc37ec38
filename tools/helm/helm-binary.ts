import { findBinary, findOrBuildBinary, type GoBinary, QUICK_BUILD } from "../binaries/go-binary.js";

/** The version to build if none is installed. */
export const HELM_VERSION = "v3.22.0";
const MODULE = `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`;

const HELM: GoBinary = {
  ...{ name: "helm", variable: "HELM", version: HELM_VERSION, module: MODULE },
  build: () => ["install", ...QUICK_BUILD, MODULE],
};

/** The helm executable: `HELM`, then PATH, then the user's cache. */
export function findHelm(env?: NodeJS.ProcessEnv): string | undefined {
  return findBinary(HELM, env);
}

/** The helm executable, which go builds if there is none. */
export function findOrBuildHelm(env?: NodeJS.ProcessEnv, log?: (line: string) => void): Promise<string> {
  return findOrBuildBinary(HELM, env, log);
}
