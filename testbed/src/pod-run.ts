import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Client } from "./client.js";
import { type RunningContainer, startContainer, type Termination, timestamp } from "./container-run.js";
import { containerEnv } from "./pod-env.js";
import { type ContainerState, type ContainerView, podStatus } from "./pod-status.js";
import { type Container, type Pod, podPath } from "./pod-types.js";
import type { Supervisor } from "./supervisor.js";

/** What a pod needs to be run. */
export interface PodRunSetup {
  readonly client: Client;
  readonly supervisor: Supervisor;
  /** Folder for the pod's files. */
  readonly folder: string;
  readonly podIP: string;
  readonly entrypoints: Readonly<Record<string, readonly string[]>>;
  /** Between two attempts of a container that cannot start or has failed. */
  readonly retryMs: number;
  /** Ends the run without a word to the API server, as a node does that loses its power. */
  readonly signal: AbortSignal;
}

/** One pod, from its first status to its last. */
export class PodRun {
  private readonly startTime: string;
  private readonly views: ContainerView[];
  private readonly running = new Map<string, RunningContainer>();
  private terminating = false;
  private gone = false;
  private pending: Promise<void> = Promise.resolve();

  constructor(
    private readonly setup: PodRunSetup,
    private readonly pod: Pod,
  ) {
    this.startTime = pod.status?.startTime ?? timestamp();
    const state = { waiting: { reason: "ContainerCreating" } };
    this.views = pod.spec.containers.map((container) => ({ container, restartCount: 0, state }));
    setup.signal.addEventListener("abort", () => void this.signal("SIGKILL"), { once: true });
  }

  /** Runs all containers to their end; resolves when the last status is told, or nobody wants to know it. */
  async run(): Promise<void> {
    const { initContainers = [] } = this.pod.spec;
    if (initContainers.length > 0) await this.refuse("init containers are not supported by the kubelet stand-in");
    // Of a process that an earlier stand-in has started nothing is known any more.
    else if (this.pod.status?.phase === "Running") await this.refuse("the process is lost", "ContainerStatusUnknown");
    else await Promise.all(this.views.map((_, index) => this.runContainer(index)));
    await this.pending;
    if (this.terminating) await this.confirmDeletion();
  }

  /** The pod is being deleted: SIGTERM, after the grace period SIGKILL. */
  async terminate(graceSeconds: number): Promise<void> {
    if (this.terminating) return;
    this.terminating = true;
    await this.signal("SIGTERM");
    await delay(graceSeconds * 1000, undefined, { signal: this.setup.signal, ref: false }).catch(() => undefined);
    await this.signal("SIGKILL");
  }

  /** The pod is gone from the API: its processes have no right to run. */
  async forget(): Promise<void> {
    this.gone = true;
    this.terminating = true;
    await this.signal("SIGKILL");
  }

  private get over(): boolean {
    return this.gone || this.setup.signal.aborted;
  }

  private async runContainer(index: number): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const ended = await this.startAndWait(index);
      if (this.over || (ended && !this.mayRestart(ended))) return;
      if (ended) {
        const message = `back-off restarting after exit code ${ended.exitCode}`;
        this.show(index, { waiting: { reason: "CrashLoopBackOff", message } }, attempt + 1);
      }
      await delay(this.setup.retryMs, undefined, { signal: this.setup.signal }).catch(() => undefined);
    }
  }

  private mayRestart({ exitCode }: Termination): boolean {
    return this.pod.spec.restartPolicy === "OnFailure" && exitCode !== 0 && !this.terminating;
  }

  /** Undefined when the container cannot be created yet, because something that it refers to is missing. */
  private async startAndWait(index: number): Promise<Termination | undefined> {
    const container = this.containerAt(index);
    const env = await this.environment(index, container);
    if (!env && !this.terminating) return undefined;
    if (this.terminating || !env) return this.neverStarted(index);
    const { supervisor, folder, entrypoints } = this.setup;
    const entrypoint = entrypoints[container.image] ?? [];
    const hostname = this.pod.metadata.name;
    const process = await startContainer({ supervisor, folder, hostname, env, entrypoint }, container);
    this.running.set(container.name, process);
    // The order to end may have come while the process was being started.
    if (this.over) await process.signal("SIGKILL");
    else if (this.terminating) await process.signal("SIGTERM");
    this.show(index, { running: { startedAt: process.startedAt } });
    const ended = await process.ended;
    this.running.delete(container.name);
    if (!this.mayRestart(ended)) this.show(index, { terminated: ended });
    return ended;
  }

  private async environment(index: number, container: Container): Promise<Record<string, string> | undefined> {
    try {
      return await containerEnv(this.setup.client, this.pod, container);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.show(index, { waiting: { reason: "CreateContainerConfigError", message } });
      return undefined;
    }
  }

  private neverStarted(index: number): Termination {
    const now = timestamp();
    const reason = "ContainerStatusUnknown";
    const ended = { exitCode: 137, reason, message: "never started", startedAt: now, finishedAt: now } as const;
    this.show(index, { terminated: ended });
    return ended;
  }

  private async refuse(message: string, reason: Termination["reason"] = "StartError"): Promise<void> {
    const now = timestamp();
    const terminated = { exitCode: 137, reason, message, startedAt: now, finishedAt: now };
    for (const [index] of this.views.entries()) this.show(index, { terminated });
    await this.pending;
  }

  private async signal(name: NodeJS.Signals): Promise<void> {
    // A supervisor that has ended has ended the processes too.
    await Promise.allSettled([...this.running.values()].map((process) => process.signal(name)));
  }

  private containerAt(index: number): Container {
    const view = this.views[index];
    if (!view) throw new Error(`no container ${index} in pod ${this.pod.metadata.name}`);
    return view.container;
  }

  /** Notes the state of a container and tells the API server, one status after the other. */
  private show(index: number, state: ContainerState, restartCount?: number): void {
    const view = this.views[index];
    if (!view) return;
    if (JSON.stringify(view.state) === JSON.stringify(state)) return;
    this.views[index] = { ...view, state, restartCount: restartCount ?? view.restartCount };
    const status = podStatus({ startTime: this.startTime, podIP: this.setup.podIP }, this.views);
    this.pending = this.pending.then(() => this.tell("PATCH", { metadata: { uid: this.pod.metadata.uid }, status }));
  }

  private async confirmDeletion(): Promise<void> {
    await this.tell("DELETE", { gracePeriodSeconds: 0, preconditions: { uid: this.pod.metadata.uid } });
  }

  /** Repeats until the API server has understood, however long it is away. */
  private async tell(method: "PATCH" | "DELETE", body: unknown): Promise<void> {
    const { client, signal } = this.setup;
    const path = podPath(this.pod);
    const request = () =>
      method === "PATCH" ? client.patch(`${path}/status`, body, "strategic") : client.delete(path, body);
    while (!this.over) {
      const answer = await request().catch(() => undefined);
      if (answer && isFinal(answer.status)) {
        complain(`${method} ${path}`, answer);
        return;
      }
      await delay(100, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Answers that another attempt would not change; a server that starts may know neither tokens nor roles yet. */
function isFinal(status: number): boolean {
  return status < 500 && ![401, 403, 429].includes(status);
}

/** A pod that is gone (404), or whose name another has (409), is no news; other refusals are mistakes of this file. */
function complain(request: string, { status, body }: Answer<unknown>): void {
  if (status < 300 || status === 404 || status === 409) return;
  process.stderr.write(`flipop-testbed: ${request}: ${status} ${JSON.stringify(body)}\n`);
}
