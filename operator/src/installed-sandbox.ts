/** `flipop sandbox`: runs the sandbox where its package is installed. The operator's bundle and image have none of it. */
import { EXIT } from "./runtime/manager.js";

/** The part of package flipop-sandbox that `flipop sandbox` calls. */
export interface Sandbox {
  runSandbox(args: readonly string[]): Promise<number>;
}

const MISSING =
  "flipop: the sandbox is a package of its own, flipop-sandbox, which is not installed here: " +
  "clone https://github.com/flipop/flipop, then `npm ci && npm run build` and `node sandbox/dist/flipop-sandbox.mjs` there\n";

/** Resolves to the exit code. */
export async function runInstalledSandbox(
  args: readonly string[],
  err: (text: string) => void,
  load: () => Promise<Sandbox> = () => import("flipop-sandbox"),
): Promise<number> {
  const sandbox = await load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return undefined;
  });
  if (sandbox !== undefined) return sandbox.runSandbox(args);
  err(MISSING);
  return EXIT.failed;
}
