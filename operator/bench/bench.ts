import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { stringify } from "yaml";
import { IMAGE_ENV } from "../image-env.js";
import { bundledOperator } from "../test/support/bundle.js";
import { buildChildren, type Child } from "./build-children.js";
import { MeasuredProcess } from "./measured-process.js";
import type { Row } from "./table.js";

/** A part of the benchmark that can be chosen by name. */
export interface Case {
  readonly name: string;
  /** For `--list`. */
  readonly about: string;
  run(bench: Bench): Promise<readonly Row[]>;
}

/** This machine cannot run a case. The message gives the reason. */
export class SkippedCase extends Error {
  override readonly name = "SkippedCase";
}

/** What the command line says. */
export interface BenchOptions {
  /** How often the leader is killed. */
  readonly kills: number;
  /** How long a quiet operator is watched. */
  readonly quietMinutes: number;
  /** Executable of the Go operator. @default - ours runs alone */
  readonly goFile: string | undefined;
}

export interface StandInSpec {
  readonly pods: number;
  readonly bytes: number;
  /** @default none */
  readonly eventsPerSecond?: number;
}

/** What a sync of one process showed. */
export interface Sync {
  readonly seconds: number;
  /** Used by the process, however busy the machine was with others. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly blockMs: number;
  readonly objects: number;
  readonly heapPerObject: number;
}

const START_SECONDS = 20;
/** Where a process gets more than this for a sync, it has lost. */
const SYNC_SECONDS = 120;

/** Makes the processes of the cases, and ends them. */
export class Bench {
  private readonly processes = new Set<MeasuredProcess>();
  private cloud: DigitalOceanSimulator | undefined;

  private constructor(
    /** Temporary. */
    readonly dir: string,
    private readonly scriptOf: (child: Child) => string,
    readonly options: BenchOptions,
  ) {}

  static async create(options: BenchOptions): Promise<Bench> {
    const dir = mkdtempSync(join(tmpdir(), "flipop-bench-"));
    return new Bench(dir, await buildChildren(join(dir, "children")), options);
  }

  start(child: Child, kubeconfig: string): MeasuredProcess {
    // The library runs as an application has it: its heap does not fit the image's settings.
    const env = child === "library" ? {} : IMAGE_ENV;
    return this.startScript(this.scriptOf(child), [], { ...env, KUBECONFIG: kubeconfig });
  }

  /** A process without a cluster. */
  startChild(child: Child, args: readonly string[]): MeasuredProcess {
    return this.startScript(this.scriptOf(child), args, {});
  }

  startScript(script: string, args: readonly string[], env: Readonly<Record<string, string>>): MeasuredProcess {
    const started = new MeasuredProcess({ script, args, env });
    this.processes.add(started);
    return started;
  }

  /** The operator as the image has it, with a simulated cloud that gets no requests. */
  async startOperator(kubeconfig: string): Promise<MeasuredProcess> {
    this.cloud ??= await startDigitalOceanSimulator();
    const { url, token } = this.cloud;
    const args = ["run", "--namespace=default", "--metrics-bind-addr=127.0.0.1:0", "--health-bind-addr=127.0.0.1:0"];
    const env = { ...IMAGE_ENV, KUBECONFIG: kubeconfig, DIGITALOCEAN_API_URL: url, DIGITALOCEAN_ACCESS_TOKEN: token };
    return this.startScript(await bundledOperator(), args, env);
  }

  /** Resolves when it serves. */
  async standIn({ pods, bytes, eventsPerSecond = 0 }: StandInSpec) {
    const args = [pods, bytes, eventsPerSecond].map(String);
    const server = this.startChild("stand-in", args);
    const { port } = await server.message("listening", START_SECONDS);
    return { server, kubeconfig: this.kubeconfig(`http://127.0.0.1:${port}`) };
  }

  /** One sync of a fresh process. */
  async sync(child: Child, kubeconfig: string): Promise<Sync> {
    const measured = this.start(child, kubeconfig);
    try {
      const { seconds, blockMs, objects } = await measured.message("synced", SYNC_SECONDS);
      const { peakMb } = measured.memory();
      const cpuSeconds = measured.cpuSeconds();
      const { heapPerObject } = await measured.message("at rest", START_SECONDS);
      return { seconds, cpuSeconds, blockMs, objects, peakMb, heapPerObject };
    } finally {
      await measured.kill();
    }
  }

  async endProcesses(): Promise<void> {
    await Promise.all([...this.processes].map((process) => process.kill()));
    this.processes.clear();
  }

  async close(): Promise<void> {
    await this.endProcesses();
    await this.cloud?.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private kubeconfig(server: string): string {
    const file = join(this.dir, `${new URL(server).port}.kubeconfig`);
    const config = {
      "current-context": "bench",
      clusters: [{ name: "bench", cluster: { server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "bench", user: {} }],
      contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    };
    writeFileSync(file, stringify(config));
    return file;
  }
}
