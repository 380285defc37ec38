/** kubectl with the kubeconfig of an emulator, in a home of its own. */

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { executable, resolveBinaries, type SuiteContext, skip } from "flipop-testbed";
import { after, before } from "mocha";
import { type Emulator, startEmulator } from "../../src/kubernetes/index.js";

export class Kubectl {
  private constructor(
    private readonly file: string,
    private readonly home: string,
  ) {}

  /** Skips the suite on a machine without kubectl. On CI, that is an error. */
  static async find(suite: SuiteContext): Promise<Kubectl> {
    const resolution = await resolveBinaries({ parts: ["kubectl"] });
    if (resolution.kind !== "found") {
      if (process.env.CI === "true") throw new Error("no kubectl for this suite");
      return skip(suite, "no kubectl for a suite of the sandbox");
    }
    const home = await mkdtemp(join(tmpdir(), "flipop-kubectl-"));
    return new Kubectl(executable(resolution.binaries, "kubectl"), home);
  }

  private get config(): string {
    return join(this.home, "config");
  }

  connect(kubeconfig: string): Promise<void> {
    return writeFile(this.config, kubeconfig);
  }

  /** Throws what kubectl says when it fails. */
  async run(args: string, input = ""): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const env = { PATH: process.env.PATH ?? "", HOME: this.home, KUBECONFIG: this.config, KUBERC: "off" };
    const child = spawn(this.file, args.split(" "), { env, timeout: 60_000 });
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`kubectl ${args}: ${code}\n${stdout}${stderr}`);
    return { stdout, stderr };
  }

  close(): Promise<void> {
    return rm(this.home, { recursive: true });
  }
}

export interface UsedKubectl {
  readonly emulator: () => Emulator;
  /** All that kubectl writes. */
  readonly kubectl: (args: string, input?: string) => Promise<string>;
}

/** kubectl on an emulator of its own. Call it in a `describe`. */
export function useKubectl(seed: (emulator: Emulator) => void = () => undefined): UsedKubectl {
  let emulator: Emulator;
  let connection: Kubectl;
  before(async function () {
    connection = await Kubectl.find(this);
    emulator = await startEmulator();
    await connection.connect(emulator.kubeconfig());
    seed(emulator);
  });
  after(async () => {
    await emulator?.close();
    await connection?.close();
  });
  const kubectl = async (args: string, input?: string) => {
    const { stdout, stderr } = await connection.run(args, input);
    return stdout + stderr;
  };
  return { emulator: () => emulator, kubectl };
}

/** The cells of a table. */
export function cells(output: string): readonly (readonly string[])[] {
  const lines = output.trim().split("\n");
  return lines.map((line) => line.trim().split(/\s{2,}/));
}

/** What kubectl says when it fails. */
export async function failure(run: Promise<string>): Promise<string> {
  const output = await run.catch((error: unknown) => error);
  if (output instanceof Error) return output.message;
  throw new Error(`kubectl did not fail: ${String(output)}`);
}
