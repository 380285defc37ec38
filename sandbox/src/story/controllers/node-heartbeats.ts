/** The kubelets of the nodes: each renews the Lease of its node, and the node answers probes, until its machine stops. */

import type { Timer } from "flipop-operator/clock";
import type { OperatorOptions } from "flipop-operator/operator";
import { at, textOf } from "../../kubernetes/json.js";
import { groupOf, type Stage } from "../stage.js";

type Probe = NonNullable<OperatorOptions["probe"]>;

const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "kube-node-lease" };
/** A kubelet renews its Lease so many times while the Lease lasts. */
const RENEWALS = 4;
const SECOND_MS = 1_000;

export class Kubelets {
  private readonly silent = new Set<string>();
  private readonly timers = new Map<string, Timer>();
  private changes = 0;

  constructor(private readonly stage: Stage) {}

  /** Changes whenever a machine stops or starts. */
  get revision(): number {
    return this.changes;
  }

  start(): void {
    for (const { name, leaseMs } of this.stage.scenario.nodes) this.renew(name, leaseMs);
  }

  stop(): void {
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
  }

  /** The machine of the node does nothing any more, or works again. */
  setSilent(node: string, isSilent: boolean): void {
    if (isSilent) this.silent.add(node);
    else this.silent.delete(node);
    this.changes++;
  }

  isSilent(node: string): boolean {
    return this.silent.has(node);
  }

  /** In place of a socket: a machine that works answers at once, any other one never. */
  readonly probe: Probe = (target, signal) =>
    new Promise((resolve) => {
      const node = this.nodeAt(target.host);
      if (node !== undefined && !this.silent.has(node)) {
        resolve({ ok: true });
        return;
      }
      const ended = () => resolve({ ok: false, error: (signal.reason as Error).message });
      if (signal.aborted) ended();
      else signal.addEventListener("abort", ended, { once: true });
    });

  /** @param host address of a node, or of a pod on it */
  private nodeAt(host: string): string | undefined {
    const { nodes, world } = this.stage;
    const node = nodes.find(({ status }) => status.addresses?.some(({ address }) => address === host));
    if (node !== undefined) return node.metadata.name;
    const pod = world.kubernetes.list("v1", "Pod").find((one) => at(one, "status", "podIP") === host);
    return pod === undefined ? undefined : textOf(at(pod, "spec", "nodeName"));
  }

  private renew(group: string, leaseMs: number): void {
    const working = this.stage.nodes.filter(
      ({ metadata: { name } }) => groupOf(name) === group && !this.silent.has(name),
    );
    for (const { metadata } of working) this.renewOne(metadata.name, leaseMs);
    const { clock } = this.stage;
    this.timers.set(
      group,
      clock.setTimer(leaseMs / RENEWALS, () => this.renew(group, leaseMs)),
    );
  }

  private renewOne(name: string, leaseMs: number): void {
    const { kubernetes } = this.stage.world;
    // Kubernetes has microseconds here.
    const renewTime = new Date(this.stage.clock.now()).toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseMs / SECOND_MS, renewTime };
    const ref = { ...LEASE, name };
    if (kubernetes.get(ref) !== undefined) kubernetes.change(ref, (object) => ({ ...object, spec }));
    else kubernetes.create({ ...LEASE, namespace: undefined, metadata: { name, namespace: LEASE.namespace }, spec });
  }
}
