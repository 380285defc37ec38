import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Client } from "../client/client.js";
import type { Supervisor } from "../supervisor.js";
import { type RunningContainer, startContainer, type Termination, timestamp } from "./container-run.js";
import { containerEnv } from "./pod-env.js";
import { type ContainerState, type ContainerView, podStatus } from "./pod-status.js";
import { type Container, type Pod, podPath } from "./pod-types.js";

/** The inputs for running a pod. */
export interface PodRunSetup {
  readonly client: Client;
  readonly supervisor: Supervisor;
  /** Folder for the pod's files. */
  readonly folder: string;
  readonly podIP: string;
  readonly entrypoints: Readonly<Record<string, readonly string[]>>;
  /** Between two attempts of a container that cannot start or has failed. */
  readonly retryMs: number;
  /** Ends the run without a report to the API server, like a power failure of a node. */
  readonly signal: AbortSignal;
}

/** The run of one pod, from its first status to its last. */
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

  /** Runs all containers until they exit; resolves when the last status is written, or the run is aborted. */
  async run(): Promise<void> {
    const { initContainers = [] } = this.pod.spec;
    if (initContainers.length > 0) await this.refuse("init containers are not supported by the kubelet stand-in");
    // This stand-in knows nothing about a process that an earlier stand-in started.
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

  /** The pod no longer exists in the API: its processes must end. */
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

  /** Undefined if the container cannot be created yet because a referenced object is missing. */
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
    // The request to end may have arrived during the start of the process.
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
    // The end of the supervisor has also ended the processes.
    await Promise.allSettled([...this.running.values()].map((process) => process.signal(name)));
  }

  private containerAt(index: number): Container {
    const view = this.views[index];
    if (!view) throw new Error(`no container ${index} in pod ${this.pod.metadata.name}`);
    return view.container;
  }

  /** Records the state of a container and reports it to the API server, one status after the other. */
  private show(index: number, state: ContainerState, restartCount?: number): void {
    const view = this.views[index];
    if (!view) return;
    if (JSON.stringify(view.state) === JSON.stringify(state)) return;
    this.views[index] = { ...view, state, restartCount: restartCount ?? view.restartCount };
    const status = podStatus({ startTime: this.startTime, podIP: this.setup.podIP }, this.views);
    this.pending = this.pending.then(() => this.report("PATCH", { metadata: { uid: this.pod.metadata.uid }, status }));
  }

  private async confirmDeletion(): Promise<void> {
    await this.report("DELETE", { gracePeriodSeconds: 0, preconditions: { uid: this.pod.metadata.uid } });
  }

  /** Repeats the request until the API server accepts it, for any duration of an outage. */
  private async report(method: "PATCH" | "DELETE", body: unknown): Promise<void> {
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

/** Responses that another attempt would not change; a starting server may know neither tokens nor roles yet. */
function isFinal(status: number): boolean {
  return status < 500 && ![401, 403, 429].includes(status);
}

/** A deleted pod (404) or another pod of the same name (409) is expected; other errors are defects of this file. */
function complain(request: string, { status, body }: Answer<unknown>): void {
  if (status < 300 || status === 404 || status === 409) return;
  process.stderr.write(`flipop-testbed: ${request}: ${status} ${JSON.stringify(body)}\n`);
}
