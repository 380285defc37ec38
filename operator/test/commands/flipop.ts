/** The bundled executable, run as a user runs it, on a cluster of a test. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledOperator } from "../support/bundle.js";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that runs. */
export class Running {
  out = "";
  err = "";
  private readonly closed: Promise<unknown>;

  constructor(private readonly child: ChildProcess) {
    this.closed = once(child, "close");
    child.stdout?.on("data", (chunk: Buffer) => {
      this.out += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.err += chunk.toString();
    });
  }

  async ended(): Promise<Ended> {
    await this.closed;
    // Of Node itself, such as one of a leak: nothing that a user should see.
    if (/^\(node:\d+\)/m.test(this.err)) throw new Error(`the process printed a warning:\n${this.err}`);
    return { code: this.child.exitCode, out: this.out, err: this.err };
  }

  end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended();
  }
}

export class Flipop {
  private readonly home = mkdtempSync(join(tmpdir(), "flipop-cli-"));
  private readonly env: Record<string, string>;

  /** @param kubeconfig text of the file; absent: no cluster is configured */
  constructor(kubeconfig?: string, env: Readonly<Record<string, string>> = {}) {
    this.env = { PATH: process.env["PATH"] ?? "", HOME: this.home, ...env };
    if (kubeconfig === undefined) return;
    this.env["KUBECONFIG"] = this.file("kubeconfig", kubeconfig);
  }

  /** Its path. */
  get kubeconfig(): string | undefined {
    return this.env["KUBECONFIG"];
  }

  /** Writes a file, and resolves to its path. */
  file(name: string, text: string): string {
    const path = join(this.home, name);
    writeFileSync(path, text);
    return path;
  }

  async start(...args: readonly string[]): Promise<Running> {
    const options = { cwd: this.home, env: this.env, stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"] };
    return new Running(spawn(process.execPath, [await bundledOperator(), ...args], options));
  }

  async run(...args: readonly string[]): Promise<Ended> {
    return (await this.start(...args)).ended();
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
