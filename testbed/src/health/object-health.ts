import { execFile, spawn } from "node:child_process";
import { devNull } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onPath } from "../binaries/lookup-context.js";
import { readText } from "../client/streams.js";
import { packageRoot } from "../paths.js";
import { type SuiteContext, skip } from "../shared-control-plane.js";

/** An object as the API server sends it, and the Lua script of an Argo CD health check. */
export interface HealthQuestion {
  readonly object: object;
  readonly script: string;
}

/** What the tools say about an object. */
export interface HealthAnswer {
  /** By kstatus itself, which Flux uses. */
  readonly kstatus: "Current" | "InProgress" | "Failed" | "Terminating" | "Unknown";
  /** What the script returns. */
  readonly argo: string;
  readonly message: string;
}

const MODULE = join(packageRoot, "health");
const BUILD_TIMEOUT_MS = 600_000;
const ENVIRONMENT = { ...process.env, GOWORK: "off", GOFLAGS: "-buildvcs=false -mod=readonly", CGO_ENABLED: "0" };

/** For a `before` hook: skips the suite where Go, or a module of the program, is not to be had; fails if CI=true. */
export async function healthOrSkip(context: SuiteContext): Promise<void> {
  context.timeout(BUILD_TIMEOUT_MS);
  const reason = (await onPath("go", process.env)) ? await buildProblem() : "no go on the PATH";
  if (reason === undefined) return;
  const line = `no kstatus for this suite: ${reason}`;
  if (process.env["CI"] === "true") throw new Error(line);
  skip(context, line);
}

/** Answers in the order of the questions. */
export async function judgeHealth(questions: readonly HealthQuestion[]): Promise<readonly HealthAnswer[]> {
  const child = spawn("go", ["run", "."], { cwd: MODULE, env: ENVIRONMENT, stdio: ["pipe", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  child.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
  const [out, errors, code] = await Promise.all([readText(child.stdout), readText(child.stderr), exited]);
  if (code !== 0) throw new Error(`testbed/health ended with code ${code}: ${errors}`);
  const lines = out.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as HealthAnswer);
}

async function buildProblem(): Promise<string | undefined> {
  try {
    await promisify(execFile)("go", ["build", "-o", devNull, "."], { cwd: MODULE, env: ENVIRONMENT });
    return undefined;
  } catch (error) {
    return String(error);
  }
}
