import { spawn } from "node:child_process";
import { readText } from "./streams.js";

/** How kubectl is run. */
export interface KubectlOptions {
  /** @default - the admin */
  readonly identity?: string;
  /** Text for its standard input, for `-f -`. */
  readonly input?: string;
  /** @default 60000 */
  readonly timeoutMs?: number;
}

/** What kubectl said. */
export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; -1 when it ran out of time. */
  readonly code: number;
}

/** What every call of kubectl needs. */
export interface KubectlSetup {
  readonly file: string;
  readonly kubeconfig: string;
  /** Folder for its caches, so that it neither reads nor writes the user's own. */
  readonly home: string;
}

/**
 * Runs kubectl to its end. It is no child of the supervisor, so that its output comes straight here: when this process
 * dies, the API server does too, and kubectl ends for want of one.
 */
export async function runKubectl(
  setup: KubectlSetup,
  args: readonly string[],
  options: KubectlOptions,
): Promise<KubectlResult> {
  const env = { PATH: process.env.PATH ?? "", HOME: setup.home, KUBECONFIG: setup.kubeconfig, KUBERC: "off" };
  const timeout = options.timeoutMs ?? 60_000;
  const child = spawn(setup.file, args, { env, timeout, killSignal: "SIGKILL" });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? -1));
  });
  // It may end without having read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, code] = await Promise.all([readText(child.stdout), readText(child.stderr), ended]);
  return { stdout, stderr, code };
}
