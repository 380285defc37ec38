import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../client/client.js";
import type { WatchEvent } from "../client/watch.js";
import type { ControlPlane } from "../control-plane.js";
import { containerLog } from "./container-run.js";
import { FakeNode } from "./fake-nodes.js";
import { PodRun } from "./pod-run.js";
import { isJobPod, type Pod, podPath } from "./pod-types.js";

/** Options of the stand-in for the kubelet. */
export interface KubeletOptions {
  /** Runs the pods of this namespace only. @default - of all namespaces */
  readonly namespace?: string;
  /** The node to which it binds pending pods. @default - a new fake node */
  readonly nodeName?: string;
  /** The entrypoint of an image, for containers without a command. */
  readonly entrypoints?: Readonly<Record<string, readonly string[]>>;
  /** Between two attempts of a container that cannot start or has failed. @default 1000 */
  readonly retryMs?: number;
}

/**
 * A stand-in for scheduler and kubelet, for the pods of Jobs: binds them, runs the command of each container as a
 * local process with the variables of the pod's spec, and reports its end with exit code and termination message.
 *
 * Supported: command, args, env (values, keys of Secrets and ConfigMaps, fields), envFrom, `$(NAME)`, restartPolicy,
 * the termination message path and policy, deletion with grace period, scheduling gates. The termination message path
 * is replaced by a file's in command, args and values; a program with a hard-coded path does not find it. Not
 * supported: images (see `entrypoints`), volumes, probes, resources, security contexts. Init containers fail the pod.
 */
export class Kubelet {
  /** Watches and runs pods until `stop` or the end of the control plane. */
  static async start(plane: ControlPlane, options: KubeletOptions = {}): Promise<Kubelet> {
    const client = plane.client();
    const nodeName = options.nodeName ?? (await FakeNode.create(client)).name;
    const kubelet = new Kubelet(plane, client, nodeName, options);
    plane.beforeStop(() => kubelet.stop());
    return kubelet;
  }

  private readonly runs = new Map<string, PodRun>();
  private readonly finished = new Set<string>();
  private readonly abort = new AbortController();
  private readonly work = new Set<Promise<void>>();
  private lastAddress = 0;

  private constructor(
    private readonly plane: ControlPlane,
    private readonly client: Client,
    /** The node to which pending pods are bound. */
    readonly nodeName: string,
    private readonly options: KubeletOptions,
  ) {
    // Each running pod adds a listener.
    setMaxListeners(0, this.abort.signal);
    this.track(this.loop());
  }

  /** Ends all processes and the watch, like a power failure of a node; the pods keep their last status. */
  async stop(): Promise<void> {
    this.abort.abort();
    while (this.work.size > 0) await Promise.allSettled(this.work);
  }

  /** The output of a pod's container so far; `kubectl logs` does not work without a kubelet. */
  logs(podUid: string, container: string): Promise<string> {
    return readFile(containerLog(this.folder(podUid), container), "utf8");
  }

  private async loop(): Promise<void> {
    while (!this.abort.signal.aborted) {
      // The API server may be down or restarted; then the list is read again.
      await this.listAndWatch().catch(() => undefined);
      await delay(100, undefined, { signal: this.abort.signal }).catch(() => undefined);
    }
  }

  private async listAndWatch(): Promise<void> {
    const { namespace } = this.options;
    const path = namespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${namespace}/pods`;
    const { status, body } = await this.client.list<Pod>(path);
    if (status !== 200) return;
    this.forgetOthers(body.items);
    for (const pod of body.items) this.consider(pod);
    const { resourceVersion } = body.metadata;
    for await (const event of this.client.watch<Pod>(path, { resourceVersion }, this.abort.signal)) this.take(event);
  }

  private take({ type, object }: WatchEvent<Pod>): void {
    if (type === "ADDED" || type === "MODIFIED") this.consider(object);
    if (type === "DELETED") this.drop(object.metadata.uid);
  }

  private forgetOthers(pods: readonly Pod[]): void {
    const present = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of this.runs.keys()) if (!present.has(uid)) this.drop(uid);
  }

  private drop(uid: string): void {
    const run = this.runs.get(uid);
    if (run) this.track(run.forget());
  }

  private consider(pod: Pod): void {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (!isJobPod(pod) || hasEnded(pod) || this.finished.has(uid)) return;
    if (!pod.spec.nodeName) {
      this.track(this.bind(pod));
      return;
    }
    const run = this.runs.get(uid) ?? this.begin(pod);
    if (deletionTimestamp) this.track(run.terminate(deletionGracePeriodSeconds ?? 0));
  }

  private async bind(pod: Pod): Promise<void> {
    if ((pod.spec.schedulingGates ?? []).length > 0 || pod.metadata.deletionTimestamp) return;
    const { name, uid } = pod.metadata;
    const target = { apiVersion: "v1", kind: "Node", name: this.nodeName };
    // The server rejects the binding if the pod is already bound or deleted; either way an event follows.
    await this.client.create(`${podPath(pod)}/binding`, { metadata: { name, uid }, target }).catch(() => undefined);
  }

  private begin(pod: Pod): PodRun {
    const { uid } = pod.metadata;
    const { entrypoints = {}, retryMs = 1000 } = this.options;
    this.lastAddress = (this.lastAddress % 250) + 1;
    const run = new PodRun(
      {
        client: this.client,
        supervisor: this.plane.supervisor,
        folder: this.folder(uid),
        podIP: pod.status?.podIP ?? `10.245.0.${this.lastAddress}`,
        signal: this.abort.signal,
        ...{ entrypoints, retryMs },
      },
      pod,
    );
    this.runs.set(uid, run);
    this.track(run.run().finally(() => this.end(uid)));
    return run;
  }

  /** Late events of a finished pod show an earlier state; they must not start it again. */
  private end(uid: string): void {
    this.runs.delete(uid);
    this.finished.add(uid);
  }

  private folder(uid: string): string {
    return join(this.plane.dir, "pods", uid);
  }

  /** Tracks all background work, so that `stop` can wait for it. */
  private track(promise: Promise<void>): void {
    const settled = promise.catch(() => undefined).then(() => void this.work.delete(settled));
    this.work.add(settled);
  }
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
