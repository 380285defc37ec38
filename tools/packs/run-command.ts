import { spawnSync } from "node:child_process";

/** Where and how a command runs. */
export interface RunOptions {
  /** @default - the current folder */
  readonly cwd?: string;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** jsii prints a banner on Node 20, which is past its end of life but still supported by the library. */
const QUIET = { JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: "20" };

/** Runs a command and returns its standard output. If the command fails, the error contains the end of its output. */
export function run(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): string {
  const options = { encoding: "utf8", env: { ...process.env, ...QUIET, ...env }, maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (status === 0) return stdout;
  const said = error?.message ?? `${stdout}${stderr}`.trim().split("\n").slice(-40).join("\n");
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd ?? process.cwd()}:\n${said}`);
}

/** Whether a command can be run. */
export function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
