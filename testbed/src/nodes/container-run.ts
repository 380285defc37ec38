import { mkdir, readFile, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import type { Exit, SupervisedProcess, Supervisor } from "../supervisor.js";
import { expand } from "./pod-env.js";
import type { Container } from "./pod-types.js";

const MESSAGE_BYTES = 4096;
const FALLBACK_BYTES = 2048;
const FALLBACK_LINES = 80;

/** The inputs for a container's process. */
export interface ContainerSetup {
  readonly supervisor: Supervisor;
  /** Folder of the pod, its working directory. */
  readonly folder: string;
  readonly hostname: string;
  readonly env: Readonly<Record<string, string>>;
  /** The image's entrypoint, for a container without a command. */
  readonly entrypoint: readonly string[];
}

/** The end of a container, in the form of its status. */
export interface Termination {
  readonly exitCode: number;
  readonly reason: "Completed" | "Error" | "StartError" | "ContainerStatusUnknown";
  readonly message: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** One start of a container's process. */
export interface RunningContainer {
  readonly startedAt: string;
  readonly ended: Promise<Termination>;
  signal(name: NodeJS.Signals): Promise<void>;
}

/** The time in the format of the API. */
export function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}

/** File with the output of a container, over all its restarts. */
export function containerLog(folder: string, container: string): string {
  return join(folder, `${container}.log`);
}

/** Runs the container's command as a local process. */
export async function startContainer(setup: ContainerSetup, container: Container): Promise<RunningContainer> {
  const startedAt = timestamp();
  try {
    const child = await spawnProcess(setup, container);
    const ended = child.exited.then((exit) => termination(setup, container, { exit, startedAt }));
    return { startedAt, ended, signal: (name) => child.signal(name) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failure = { exitCode: 128, reason: "StartError", message, startedAt, finishedAt: timestamp() } as const;
    return { startedAt, ended: Promise.resolve(failure), signal: () => Promise.resolve() };
  }
}

async function spawnProcess(setup: ContainerSetup, container: Container): Promise<SupervisedProcess> {
  const { supervisor, folder, hostname } = setup;
  const messageFile = messagePath(setup, container);
  await mkdir(folder, { recursive: true });
  await writeFile(messageFile, "");
  // A local process has no own /dev/termination-log, so the path is replaced wherever it appears.
  const local = (text: string) =>
    text.replaceAll(container.terminationMessagePath ?? "/dev/termination-log", messageFile);
  const words = [...(container.command ?? setup.entrypoint), ...(container.args ?? [])];
  const [file, ...args] = words.map((word) => local(expand(word, setup.env)));
  if (file === undefined) throw new Error(`no command, and no entrypoint is known for the image ${container.image}`);
  const own = Object.fromEntries(Object.entries(setup.env).map(([name, value]) => [name, local(value)]));
  const env = { PATH: process.env.PATH ?? "", HOME: folder, HOSTNAME: hostname, ...own };
  return supervisor.run({ file, args, env, cwd: folder, log: containerLog(folder, container.name) });
}

async function termination(
  setup: ContainerSetup,
  container: Container,
  { exit, startedAt }: { readonly exit: Exit; readonly startedAt: string },
): Promise<Termination> {
  const exitCode = exitCodeOf(exit);
  const written = await tail(messagePath(setup, container), MESSAGE_BYTES);
  const fallback = exitCode !== 0 && written === "" && container.terminationMessagePolicy === "FallbackToLogsOnError";
  const message = fallback ? await logEnd(setup, container) : written;
  return { exitCode, reason: exitCode === 0 ? "Completed" : "Error", message, startedAt, finishedAt: timestamp() };
}

function messagePath({ folder }: ContainerSetup, container: Container): string {
  return join(folder, `${container.name}.termination`);
}

async function logEnd({ folder }: ContainerSetup, container: Container): Promise<string> {
  const text = await tail(containerLog(folder, container.name), FALLBACK_BYTES);
  return text.trimEnd().split("\n").slice(-FALLBACK_LINES).join("\n");
}

async function tail(file: string, bytes: number): Promise<string> {
  const content = await readFile(file).catch(() => Buffer.alloc(0));
  return content.subarray(-bytes).toString("utf8");
}

/** 128 plus the number of the signal, as in shells and container runtimes. */
function exitCodeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 9);
}
