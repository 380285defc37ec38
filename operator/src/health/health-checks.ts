/**
 * The health checks of all resources: one prober, one watch of each holder's Lease, the standby replica as a witness, and
 * the control probes. Without a resource that has a health check, it opens no socket, no watch and no timer.
 */

import type { Clock, Timer } from "../clock.js";
import { type KubeClient, StatusError } from "../kube/client.js";
import type { Logger } from "../logging.js";
import { CONTROL_FAULT_MS, CONTROL_PROBE_MS, SECOND_MS } from "../timings.js";
import { MachineStates, type MachineStatesProps } from "./machine-states.js";
import { NodeLeases, type NodeLeaseWatch } from "./node-leases.js";
import type { Prober } from "./prober.js";
import { ResourceHealth } from "./resource-health.js";
import { standbyWitness } from "./standby/evidence.js";
import { StandbyWitness, type StandbyWitnessProps } from "./standby/standby-witness.js";
import type { ProbeTarget } from "./target.js";
import type { LeaseFacts } from "./witness.js";

export interface HealthChecksProps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly prober: Prober;
  /** For the control probe: the API server. */
  readonly client: Pick<KubeClient, "request">;
  /** Opens the watch of one node's Lease. */
  readonly openLease: (node: string) => NodeLeaseWatch;
  /** How the clouds are asked about machines. @default they are not */
  readonly clouds?: Pick<MachineStatesProps, "leads" | "readerOf">;
  /** Whether the own node answers. @default it is not asked */
  readonly ownNode?: () => Promise<boolean>;
  /** How to ask the standby replica. @default it is not asked */
  readonly standby?: Omit<StandbyWitnessProps, "onAnswer">;
}

export class HealthChecks {
  private readonly resources = new Set<ResourceHealth>();
  private readonly leases: NodeLeases;
  private readonly machines: MachineStates | undefined;
  private readonly standby: StandbyWitness | undefined;
  private timer: Timer | undefined;
  /** Monotonic ms: when the control probe failed last. */
  private faultAt: number | undefined;
  /** Monotonic ms: since when each control probe has been answered. Absent: the latest one was not. */
  private answeringSince: number | undefined;
  private controlled = false;
  private closed = false;

  constructor(private readonly props: HealthChecksProps) {
    const { clock, logger, openLease, standby, clouds } = props;
    const reconsider = (node: string) => this.each((resource) => resource.reconsider(node));
    const onAnswer = (target: ProbeTarget, failure?: string) =>
      this.each((resource) => resource.heardFromStandby(target, failure));
    this.standby = standby && new StandbyWitness({ ...standby, onAnswer });
    this.leases = new NodeLeases({ clock, open: openLease, onRenewed: reconsider });
    this.machines = clouds && new MachineStates({ clock, logger, ...clouds, onOff: reconsider });
  }

  /** @param onChange what is known of a node has changed. */
  resource(onChange: (node: string) => void): ResourceHealth {
    const { clock, prober } = this.props;
    const resource: ResourceHealth = new ResourceHealth({
      ...{ clock, prober, onChange },
      ...{ leaseOf: (node) => this.leaseOf(node), machines: this.machines },
      standbyOf: (name, target, since) => {
        if (this.standby === undefined) return "absent";
        const node = { name, since, leaderNode: this.standby.ownNode };
        return standbyWitness(this.standby.facts(target), node, clock.monotonic());
      },
      controlFailed: () => this.controlFailed,
      onDemand: () => this.follow(),
      onClose: () => {
        this.resources.delete(resource);
        this.follow();
      },
    });
    this.resources.add(resource);
    return resource;
  }

  /** Whether an address depends on any node that this process probes. */
  get isProbingHolders(): boolean {
    return this.leases.size > 0;
  }

  /** The operator did not reach the API server or its own node lately: its probes prove nothing. */
  get controlFailed(): boolean {
    return this.faultAt !== undefined && this.props.clock.monotonic() - this.faultAt < CONTROL_FAULT_MS;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const resource of [...this.resources]) resource.close();
    this.timer?.cancel();
    this.timer = undefined;
    this.machines?.close();
    this.props.prober.close();
    this.standby?.close();
    await this.leases.close();
  }

  /** A kubelet cannot renew its Lease while the API server does not answer, and the watch may not notice that. */
  private leaseOf(node: string): LeaseFacts {
    const { answeringSince } = this;
    const { connectedSince, ...facts } = this.leases.facts(node);
    if (connectedSince === undefined || answeringSince === undefined) return facts;
    return { ...facts, connectedSince: Math.max(connectedSince, answeringSince) };
  }

  /** Follows the Leases that the resources ask for, the suspected nodes first, and asks the standby about these. */
  private follow(): void {
    if (this.closed) return;
    const wanted = [...this.resources].flatMap((resource) => resource.holders());
    const suspected = wanted.filter(({ isSuspected }) => isSuspected);
    this.askStandby();
    const names = [...new Set([...suspected, ...wanted].map(({ name }) => name))];
    this.leases
      .watch(names)
      .catch((error: unknown) => this.props.logger.error({ error }, "Failed to end the watch of a Lease"));
    if (names.length > 0) this.timer ??= this.nextTick();
  }

  private askStandby(): void {
    const holders = [...this.resources].flatMap((resource) => resource.holders());
    this.standby?.suspect(holders.flatMap(({ isSuspected, target }) => (isSuspected ? [target] : [])));
  }

  private nextTick(): Timer {
    return this.props.clock.setTimer(CONTROL_PROBE_MS, () => this.tick());
  }

  private tick(): void {
    this.timer = undefined;
    if (this.leases.size === 0) this.answeringSince = undefined;
    if (this.closed || this.leases.size === 0) return;
    this.leases.noteConnections();
    this.standby?.refresh();
    void this.control();
    // Time, and the connections of the watches, may have changed what the witnesses say.
    if ([...this.resources].some((resource) => resource.isSuspicious)) {
      // A standby that has become the leader may have suspected nodes before.
      this.askStandby();
      this.each((resource) => resource.reconsiderAll());
    }
    this.timer = this.nextTick();
  }

  private async control(): Promise<void> {
    if (this.controlled) return;
    this.controlled = true;
    const { clock, ownNode } = this.props;
    const sentAt = clock.monotonic();
    const [apiAnswers, nodeAnswers] = await Promise.all([this.isAnswered(), ownNode?.() ?? true]);
    this.controlled = false;
    if (apiAnswers) this.answeringSince ??= sentAt;
    else this.answeringSince = undefined;
    if (apiAnswers && nodeAnswers) return;
    this.faultAt = clock.monotonic();
    this.each((resource) => resource.reconsiderAll());
  }

  /** Any answer of the API server will do: the path to it works. */
  private async isAnswered(): Promise<boolean> {
    const deadlineSeconds = CONTROL_PROBE_MS / SECOND_MS;
    try {
      await this.props.client.request({ method: "GET", path: "/version", deadlineSeconds, maxAttempts: 1 });
      return true;
    } catch (error) {
      return error instanceof StatusError;
    }
  }

  private each(action: (resource: ResourceHealth) => void): void {
    for (const resource of [...this.resources]) action(resource);
  }
}
