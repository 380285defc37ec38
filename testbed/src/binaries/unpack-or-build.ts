import { execFile } from "node:child_process";
import { chmod, link, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../paths.js";
import { Supervisor } from "../supervisor.js";
import { withLock } from "./lock.js";
import { fileName, type LookupContext, missingParts } from "./lookup-context.js";
import { KUBERNETES_VERSION, PARTS } from "./versions.js";

const GO_MINIMUM = [1, 25] as const;
const PROGRESS_MS = 60_000;

/** Writes one executable with all parts to the given file. */
type Producer = (file: string, supervisor: Supervisor) => Promise<void>;

/** Unpacks the prebuilt executable into the cache. */
export async function publishUnpacked(context: LookupContext): Promise<void> {
  await publish(context, async (file, supervisor) => {
    // xz writes to its standard output, which goes to the log file of a supervised process: that file is the result.
    await succeed(supervisor, { file: "xz", args: ["-dkc", context.archive], output: file, env: context.env });
  });
}

/** Builds the executable from the Go module into the cache. */
export async function publishBuilt(context: LookupContext): Promise<void> {
  await requireGo(context);
  await publish(context, (file, supervisor) => build(context, file, supervisor));
}

/**
 * Fills the cache folder completely or not at all, by one process at a time. It writes to a temporary folder, which the
 * supervisor removes if this process dies, and then renames it.
 */
async function publish(context: LookupContext, produce: Producer): Promise<void> {
  const { cacheFolder } = context;
  await withLock(`${cacheFolder}.lock`, async () => {
    // Another process may have filled it while this one waited.
    if ((await missingParts(cacheFolder, PARTS)).length === 0) return;
    const prefix = `.${basename(cacheFolder)}-`;
    const supervisor = await Supervisor.start({ parent: dirname(cacheFolder), prefix });
    try {
      const staged = join(supervisor.dir, "done");
      await mkdir(staged);
      const file = join(staged, fileName("controlplane"));
      await produce(file, supervisor);
      await chmod(file, 0o755);
      for (const part of PARTS) await linkPart(staged, part);
      await rm(cacheFolder, { recursive: true, force: true });
      await rename(staged, cacheFolder);
    } finally {
      await supervisor.close();
    }
  });
}

async function linkPart(folder: string, part: string): Promise<void> {
  const target = join(folder, fileName(part));
  // On Windows, symbolic links need a privilege, but hard links do not.
  if (process.platform === "win32") await link(join(folder, fileName("controlplane")), target);
  else await symlink("controlplane", target);
}

async function requireGo({ goModule, env }: LookupContext): Promise<void> {
  const { stdout } = await promisify(execFile)("go", ["env", "GOVERSION"], { cwd: goModule, env: goEnvironment(env) });
  const [, major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  const [wantMajor, wantMinor] = GO_MINIMUM;
  if (major < wantMajor || (major === wantMajor && minor < wantMinor)) {
    throw new Error(`${stdout.trim()} is too old: install Go ${wantMajor}.${wantMinor} or newer`);
  }
}

async function build(context: LookupContext, file: string, supervisor: Supervisor): Promise<void> {
  const { goModule, cacheFolder, log } = context;
  const began = performance.now();
  log(
    `building the control plane ${KUBERNETES_VERSION} from ${goModule}: 5 to 10 minutes, once; kept in ${cacheFolder}`,
  );
  const progress = setInterval(() => log(`still building after ${elapsed(began)}`), PROGRESS_MS);
  try {
    await succeed(supervisor, {
      file: "go",
      args: ["build", "-buildvcs=false", "-trimpath", "-ldflags", linkerFlags(), "-o", file, "."],
      cwd: goModule,
      env: goEnvironment(context.env),
    });
  } finally {
    clearInterval(progress);
  }
  log(`built in ${elapsed(began)}`);
}

/** Without the version, the API server would report v0.0.0 and reject --emulated-version. */
function linkerFlags(): string {
  return `-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`;
}

function goEnvironment(env: Environment): Record<string, string> {
  // The build is for this machine, even if the caller cross-compiles, and uses only the testbed's go.mod.
  const { GOOS: _os, GOARCH: _arch, ...rest } = env;
  return defined({ ...rest, GOWORK: "off", CGO_ENABLED: "0" });
}

interface Task {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Environment;
  /** @default - a log file, whose end goes into the error */
  readonly output?: string;
}

async function succeed(supervisor: Supervisor, task: Task): Promise<void> {
  const log = task.output ?? join(supervisor.dir, "log");
  await writeFile(log, "");
  const { file, args, cwd = supervisor.dir } = task;
  const child = await supervisor.run({ file, args, cwd, log, env: defined(task.env) });
  const { code, signal } = await supervisor.held(child.exited);
  if (code === 0) return;
  const detail = task.output ? "" : `: ${(await readFile(log, "utf8")).slice(-2000).trim()}`;
  throw new Error(`${file} ended with ${signal ?? `code ${code}`}${detail}`);
}

function defined(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function elapsed(began: number): string {
  const seconds = Math.round((performance.now() - began) / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
