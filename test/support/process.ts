import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

const DEADLINE_MS = 150_000;

/** The end of a process. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Options of a process. */
export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Processes of a suite; `after` ends the remaining ones. */
export class Processes {
  private readonly running = new Set<Process>();

  start(file: string, args: readonly string[], options: StartOptions): Process {
    const started = new Process(file, args, options);
    this.running.add(started);
    return started;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.running].map((process) => process.kill("SIGKILL")));
    this.running.clear();
  }
}

/** A process whose environment has only PATH. */
export class Process {
  out = "";
  err = "";
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;

  constructor(file: string, args: readonly string[], { cwd, env = {} }: StartOptions) {
    const PATH = process.env["PATH"] ?? "";
    this.child = spawn(file, args, { cwd, env: { PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    this.closed = once(this.child, "close");
    this.child.stdout?.on("data", (chunk: Buffer) => {
      this.out += chunk.toString();
    });
    this.child.stderr?.on("data", (chunk: Buffer) => {
      this.err += chunk.toString();
    });
  }

  /** Resolves when the process has ended by itself; rejects after some minutes. */
  async ended(): Promise<Ended> {
    const timer = setTimeout(() => this.child.kill("SIGKILL"), DEADLINE_MS);
    await this.closed;
    clearTimeout(timer);
    if (this.child.signalCode === "SIGKILL") throw new Error(`killed after ${DEADLINE_MS} ms: ${this.out}${this.err}`);
    return { code: this.child.exitCode, out: this.out, err: this.err };
  }

  /** Sends a signal; resolves when the process has ended. */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    await this.closed;
    return this.child.exitCode;
  }
}
