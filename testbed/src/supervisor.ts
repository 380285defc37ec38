import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { packageRoot } from "./paths.js";

/** The command, and the file for its output. */
export interface ProcessSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** @default - the supervisor's folder */
  readonly cwd?: string;
  readonly log: string;
}

/** The end of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that runs under a supervisor. */
export interface SupervisedProcess {
  readonly pid: number;
  /** Resolves when the process has ended; never rejects. */
  readonly exited: Promise<Exit>;
  /** Sends a signal to the process and to all that it started. */
  signal(name: NodeJS.Signals): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly event?: "ready" | "exit";
  readonly error?: string;
  readonly pid?: number;
  readonly dir?: string;
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
}

interface Waiter {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** The parent of the supervisor's folder. */
export interface SupervisorOptions {
  /** @default - the system's folder for temporary files */
  readonly parent?: string;
  readonly prefix?: string;
}

/**
 * Runs processes that cannot outlive this one. They are children of a small separate process, which ends them and
 * removes its temporary folder after any end of this process.
 */
export class Supervisor {
  /** Starts the supervising process and waits for its folder. */
  static async start(options: SupervisorOptions = {}): Promise<Supervisor> {
    const script = join(packageRoot, "src", "supervisor.mjs");
    const args = [script, options.parent ?? tmpdir(), options.prefix ?? "flipop-testbed-"];
    // A separate session: Ctrl-C in a terminal reaches only the tests, which then stop the supervisor.
    const child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "inherit"],
      detached: true,
      env: cleanEnv(),
    });
    const supervisor = new Supervisor(child);
    await supervisor.ready;
    return supervisor;
  }

  private readonly waiters = new Map<number, Waiter>();
  private readonly exits = new Map<number, (exit: Exit) => void>();
  private readonly ready: Promise<void>;
  private readonly closed: Promise<void>;
  private folder = "";
  private lastId = 0;
  private holds = 0;

  private constructor(private readonly child: ChildProcess) {
    const ready = new Promise<Answer>((resolve, reject) => this.waiters.set(0, { resolve, reject }));
    this.ready = this.held(ready).then((answer) => {
      this.folder = answer.dir ?? "";
    });
    this.closed = new Promise((resolve) => {
      child.once("exit", () => resolve(this.fail("the supervisor of the test processes has ended")));
      child.once("error", (error) => resolve(this.fail(`the supervisor does not start: ${error.message}`)));
    });
    child.stdin?.on("error", () => undefined);
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => this.receive(line));
  }

  /** The temporary folder, removed with the supervisor. */
  get dir(): string {
    return this.folder;
  }

  /** Process id of the supervisor itself. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Starts a process; rejects if the executable does not exist. */
  async run(spec: ProcessSpec): Promise<SupervisedProcess> {
    const { pid = 0 } = await this.call({ op: "start", ...spec, env: spec.env ?? cleanEnv() });
    const exited = new Promise<Exit>((resolve) => this.exits.set(pid, resolve));
    return { pid, exited, signal: (signal) => this.call({ op: "signal", pid, signal }).then(() => undefined) };
  }

  /** Keeps this process alive until the promise settles; an idle supervisor does not. */
  held<T>(promise: Promise<T>): Promise<T> {
    this.hold(1);
    return promise.finally(() => this.hold(-1));
  }

  /** Ends all processes, removes the folder, and waits for both. */
  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.held(this.closed);
  }

  private call(command: object): Promise<Answer> {
    this.lastId += 1;
    const id = this.lastId;
    const answer = new Promise<Answer>((resolve, reject) => this.waiters.set(id, { resolve, reject }));
    if (this.child.exitCode !== null || !this.child.stdin?.writable) this.fail("the supervisor has ended");
    else this.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    return this.held(answer);
  }

  private receive(line: string): void {
    const answer = JSON.parse(line) as Answer;
    if (answer.event === "exit") {
      this.processEnded(answer);
      return;
    }
    const id = answer.event === "ready" ? 0 : (answer.id ?? 0);
    const waiter = this.waiters.get(id);
    this.waiters.delete(id);
    if (answer.error) waiter?.reject(new Error(answer.error));
    else waiter?.resolve(answer);
  }

  private processEnded({ pid = 0, code = null, signal = null }: Answer): void {
    // One read may contain two lines, so the exit may arrive before `run` has registered its promise.
    setImmediate(() => {
      this.exits.get(pid)?.({ code, signal });
      this.exits.delete(pid);
    });
  }

  private fail(message: string): void {
    for (const waiter of this.waiters.values()) waiter.reject(new Error(message));
    for (const resolve of this.exits.values()) resolve({ code: null, signal: "SIGKILL" });
    this.waiters.clear();
    this.exits.clear();
  }

  private hold(change: 1 | -1): void {
    this.holds += change;
    const verb = this.holds > 0 ? "ref" : "unref";
    this.child[verb]();
    (this.child.stdin as Socket | null)?.[verb]();
    (this.child.stdout as Socket | null)?.[verb]();
  }
}

/** The environment without variables that load a TypeScript loader or a coverage tool into helper processes. */
function cleanEnv(): Record<string, string> {
  const drop = new Set(["NODE_OPTIONS", "NODE_V8_COVERAGE"]);
  const entries = Object.entries(process.env).filter(([name, value]) => value !== undefined && !drop.has(name));
  return Object.fromEntries(entries) as Record<string, string>;
}
