import { readFile } from "node:fs/promises";
import { freePort } from "./ports.js";
import type { Exit, SupervisedProcess, Supervisor } from "./supervisor.js";
import { eventually } from "./wait.js";

const START_ATTEMPTS = 4;
const LOG_TAIL = 4000;

/** How to run one program of a control plane. */
export interface PartSpec {
  readonly name: string;
  readonly file: string;
  readonly log: string;
  /** The second port is for programs such as etcd that need two. */
  readonly args: (port: number, secondPort: number) => readonly string[];
  /** Resolves to true when the program answers; may throw before that. */
  readonly ready: (port: number) => Promise<boolean>;
  /** Called after each end of the program. */
  readonly ended?: () => void;
  /** @default - freePort */
  readonly pickPort?: () => Promise<number>;
}

/** A program of a control plane; tests can kill it and start it again with the same port and data. */
export class Part {
  private process: SupervisedProcess | undefined;
  private ports: readonly [number, number] | undefined;

  constructor(
    protected readonly supervisor: Supervisor,
    private readonly spec: PartSpec,
  ) {}

  /** Name of the program. */
  get name(): string {
    return this.spec.name;
  }

  /** Port on 127.0.0.1, the same for the whole life of the control plane. */
  get port(): number {
    if (!this.ports) throw new Error(`${this.name} has never been started`);
    return this.ports[0];
  }

  /** Process id, undefined while it does not run. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Starts the program and waits until it answers. Does nothing if it already runs. */
  async start(): Promise<void> {
    if (this.process) return;
    for (let attempt = 1; ; attempt += 1) {
      const ports = this.ports ?? (await this.pickPorts());
      const problem = await this.tryStart(ports);
      if (problem === undefined) {
        this.ports = ports;
        return;
      }
      // Another process may have taken the port after this one found it free.
      if (attempt >= START_ATTEMPTS || !problem.includes("address already in use")) throw new Error(problem);
    }
  }

  /** Ends the program and waits until it is gone. */
  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const running = this.process;
    if (!running) return;
    await running.signal(signal);
    await this.supervisor.held(running.exited);
  }

  /** Ends the program, by default with SIGKILL, and starts it again. */
  async restart(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    await this.kill(signal);
    await this.start();
  }

  /** Sends a signal without waiting: SIGSTOP freezes the program, SIGCONT continues it. */
  async signal(name: NodeJS.Signals): Promise<void> {
    await this.process?.signal(name);
  }

  /** Waits until the program answers. */
  async untilReady(timeoutMs = 60_000): Promise<void> {
    await this.ready(this.port, timeoutMs);
  }

  /** The end of the program's output. */
  async logTail(): Promise<string> {
    const text = await readFile(this.spec.log, "utf8").catch(() => "");
    return text.slice(-LOG_TAIL);
  }

  private async pickPorts(): Promise<readonly [number, number]> {
    const pick = this.spec.pickPort ?? (() => freePort());
    return [await pick(), await pick()];
  }

  /** Returns the problem. */
  private async tryStart([port, secondPort]: readonly [number, number]): Promise<string | undefined> {
    const { file, args, log } = this.spec;
    const child = await this.supervisor.run({ file, args: args(port, secondPort), log });
    this.process = child;
    const ended = child.exited.then((exit) => this.noteEnd(exit));
    const waiting = new AbortController();
    const ready = this.ready(port, 60_000, waiting.signal).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const problem = await this.supervisor.held(Promise.race([ended, ready]));
    waiting.abort();
    if (problem === undefined) return undefined;
    await child.signal("SIGKILL");
    await ended;
    return `${this.name} does not start: ${problem}\n${await this.logTail()}`;
  }

  private noteEnd({ code, signal }: Exit): string {
    this.process = undefined;
    this.spec.ended?.();
    return `it ended with ${signal ?? `code ${code}`}`;
  }

  private async ready(port: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const alive = () => {
      if (!this.process) throw new Error(`${this.name} does not run`);
      return this.spec.ready(port);
    };
    await eventually(alive, { what: `${this.name} to be ready`, timeoutMs, ...(signal && { signal }) });
  }
}
