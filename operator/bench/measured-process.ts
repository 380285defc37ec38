import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Message } from "./child-report.js";
import { cpuSecondsOf, type Memory, memoryOf } from "./usage.js";

export interface ProcessSpec {
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process of its own, looked at from outside. */
export class MeasuredProcess {
  readonly startedAtMs = performance.timeOrigin + performance.now();
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly messages: Message[] = [];
  private readonly waiting = new Set<() => void>();
  private ended = false;

  constructor({ script, args = [], env = {} }: ProcessSpec) {
    const { PATH = "", HOME = "" } = process.env;
    this.child = spawn(process.execPath, [script, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH, HOME, ...env },
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.take(line));
    this.child.on("exit", () => {
      this.ended = true;
      this.wake();
    });
  }

  /** Waits for a message of that kind. Rejects when the process fails, ends, or takes longer than that. */
  async message<K extends Message["kind"]>(kind: K, seconds: number): Promise<Extract<Message, { kind: K }>> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const found = this.messages.find((message) => message.kind === kind);
      if (found !== undefined) return found as Extract<Message, { kind: K }>;
      const failure = this.messages.find((message) => message.kind === "failed");
      if (failure !== undefined) throw new Error(failure.error);
      if (this.ended) throw new Error(`the process ended without "${kind}"`);
      if (performance.now() > end) throw new Error(`no "${kind}" within ${seconds} s`);
      await this.notifier(end - performance.now());
    }
  }

  memory(): Memory {
    return memoryOf(this.pid);
  }

  /** Seconds of CPU used so far. */
  cpuSeconds(): number {
    return cpuSecondsOf(this.pid);
  }

  private get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error("the process did not start");
    return pid;
  }

  /** Closes its standard input, which asks it to end. */
  finish(): void {
    this.child.stdin.end();
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }

  private take(line: string): void {
    // Anything else, such as a log, is of no interest here.
    if (!line.startsWith('{"kind":')) return;
    this.messages.push(JSON.parse(line) as Message);
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private notifier(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
