/** The operator as a process of its own: the bundle, with the command line and the identity of an install. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, type Exit, eventually, freePort, type SupervisedProcess } from "flipop-testbed";
import { IMAGE_ENV } from "../../../image-env.js";
import { bundledOperator } from "../../support/bundle.js";
import type { Install } from "./install.js";

export interface OperatorOptions {
  /** Of the clouds. */
  readonly env: Readonly<Record<string, string>>;
  /** After those of the install. @default none */
  readonly flags?: readonly string[];
  /** @default the bundle of this checkout */
  readonly executable?: string;
}

/** A line of its log. */
export interface LogLine {
  readonly level: string | number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const START_MS = 60_000;
let count = 0;

export class OperatorProcess {
  /** Starts the process; it may not be ready yet. */
  static async start(plane: ControlPlane, install: Install, options: OperatorOptions): Promise<OperatorProcess> {
    const [health, metrics] = [await freePort(), await freePort()];
    const log = join(plane.dir, `${install.namespace}-${++count}.log`);
    const running = await plane.supervisor.run({
      file: process.execPath,
      args: [
        options.executable ?? (await bundledOperator()),
        ...install.args,
        `--kubeconfig=${install.kubeconfig}`,
        `--health-bind-addr=127.0.0.1:${health}`,
        `--metrics-bind-addr=127.0.0.1:${metrics}`,
        "--log-format=json",
        "--debug",
        ...(options.flags ?? []),
      ],
      env: {
        PATH: process.env["PATH"] ?? "",
        ...IMAGE_ENV,
        FLIPOP_NAMESPACE: install.namespace,
        ...options.env,
      },
      log,
    });
    return new OperatorProcess(running, { health, metrics, log });
  }

  private ended: Exit | undefined;

  private constructor(
    private readonly running: SupervisedProcess,
    private readonly where: { readonly health: number; readonly metrics: number; readonly log: string },
  ) {
    void running.exited.then((exit) => {
      this.ended = exit;
    });
  }

  get pid(): number {
    return this.running.pid;
  }

  /** How it ended; undefined while it lives. */
  get exit(): Exit | undefined {
    return this.ended;
  }

  /** Resolves when it has ended. */
  get exited(): Promise<Exit> {
    return this.running.exited;
  }

  /** All that it has said. */
  log(): Promise<string> {
    return readFile(this.where.log, "utf8").catch(() => "");
  }

  /** Lines of the log that hold a text. */
  async lines(text = ""): Promise<readonly LogLine[]> {
    const lines = (await this.log()).split("\n").filter((line) => line.startsWith("{") && line.includes(text));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** Answer of `/readyz?verbose`; undefined where nothing listens. */
  readyz(): Promise<HttpAnswer | undefined> {
    return ask(`http://127.0.0.1:${this.where.health}/readyz?verbose`);
  }

  /** Answer of `/healthz`; undefined where nothing listens. */
  healthz(): Promise<HttpAnswer | undefined> {
    return ask(`http://127.0.0.1:${this.where.health}/healthz`);
  }

  /** Text of `/metrics`. */
  async metrics(): Promise<string> {
    return (await ask(`http://127.0.0.1:${this.where.metrics}/metrics`))?.body ?? "";
  }

  /** Sum of all series of a metric whose labels hold each of the texts, such as `code="403"`. */
  async metric(name: string, ...labels: readonly string[]): Promise<number> {
    const lines = (await this.metrics()).split("\n").filter((line) => isSeriesOf(line, name, labels));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  /** Waits until it leads; a standby never does while the other one lives. */
  async leads(): Promise<void> {
    await this.until("it to lead", async () => (await this.metric("leader_election_master_status")) === 1);
  }

  /** Waits for something of this process; fails at once when it has ended. */
  async until(what: string, attempt: () => Promise<boolean> | boolean): Promise<void> {
    const alive = () => this.ended === undefined;
    const done = await eventually(async () => (alive() ? (await attempt()) && "done" : "ended"), {
      what: `the operator: ${what}`,
      timeoutMs: START_MS,
    }).catch(async (error: unknown) => {
      throw new Error(`${String(error)}; log:\n${await this.log()}`);
    });
    if (done === "ended") throw new Error(`the operator ended (${JSON.stringify(this.ended)}):\n${await this.log()}`);
  }

  /** As the kubelet ends a pod. */
  async stop(): Promise<Exit> {
    await this.running.signal("SIGTERM");
    return this.running.exited;
  }

  /** Without warning. */
  async kill(): Promise<void> {
    await this.running.signal("SIGKILL");
    await this.running.exited;
  }

  /** SIGSTOP freezes it, SIGCONT lets it go on. */
  async signal(name: NodeJS.Signals): Promise<void> {
    await this.running.signal(name);
  }
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

async function ask(url: string): Promise<HttpAnswer | undefined> {
  try {
    const answer = await fetch(url, { headers: { connection: "close" } });
    return { status: answer.status, body: await answer.text() };
  } catch {
    return undefined;
  }
}

function isSeriesOf(line: string, name: string, labels: readonly string[]): boolean {
  const rest = line.slice(name.length);
  return line.startsWith(name) && /^[{ ]/.test(rest) && labels.every((label) => rest.includes(label));
}
