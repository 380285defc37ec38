import { spawn } from "node:child_process";
import { readText } from "./client/streams.js";

/** Options of a kubectl call. */
export interface KubectlOptions {
  /** @default - the admin */
  readonly identity?: string;
  /** Text for its standard input, for `-f -`. */
  readonly input?: string;
  /** @default 60000 */
  readonly timeoutMs?: number;
}

/** The result of a kubectl call. */
export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; -1 after a timeout. */
  readonly code: number;
}

/** Common inputs of all kubectl calls. */
export interface KubectlSetup {
  readonly file: string;
  readonly kubeconfig: string;
  /** Folder for its caches, so that it neither reads nor writes the user's own. */
  readonly home: string;
}

/**
 * Runs kubectl until it exits. It is not a child of the supervisor, so this process reads its output directly. When
 * this process dies, the API server stops too, and kubectl exits because it has no server.
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
  // kubectl may exit without reading its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, code] = await Promise.all([readText(child.stdout), readText(child.stderr), ended]);
  return { stdout, stderr, code };
}
