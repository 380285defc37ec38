/** Keeps the Lease by which the leader finds a standby replica: while this process probes holders and does not lead. */

import { pause } from "../../async.js";
import type { Clock } from "../../clock.js";
import type { LeaseLock } from "../../kube/write/lease.js";
import type { Logger } from "../../logging.js";
import { LeaseFence } from "../../runtime/fence.js";
import { Candidate, leaseCallMs } from "../../runtime/lease-candidate.js";
import type { Runnable } from "../../runtime/manager.js";
import { SECOND_MS, STANDBY_TIMINGS } from "../../timings.js";
import { holderOf, type Replica } from "./own-replica.js";

export interface StandbyLeaseProps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lock: LeaseLock;
  readonly identity: string;
  /** Whether this process stands by, and can answer. */
  readonly standsBy: () => boolean;
}

export class StandbyLease implements Runnable {
  readonly name = "standby-lease";
  private readonly candidate: Candidate;

  constructor(private readonly props: StandbyLeaseProps) {
    const { clock, lock, identity } = props;
    const fence = new LeaseFence(clock, STANDBY_TIMINGS.renewDeadlineMs);
    const onSlowPath = () => undefined;
    this.candidate = new Candidate({ lock, identity, clock, timings: STANDBY_TIMINGS, fence, onSlowPath });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.props;
    while (!signal.aborted) {
      await this.attempt(() => this.keep());
      await pause(clock, STANDBY_TIMINGS.retryMs, signal);
    }
    await this.attempt(() => this.candidate.release());
  }

  /** For the leader. */
  async read(): Promise<Replica | undefined> {
    const deadlineSeconds = leaseCallMs(STANDBY_TIMINGS.renewDeadlineMs) / SECOND_MS;
    return holderOf(await this.props.lock.get({ deadlineSeconds, maxAttempts: 1 }));
  }

  private async keep(): Promise<void> {
    if (this.props.standsBy()) await this.candidate.tryOnce();
    else await this.candidate.release();
  }

  /** Without the Lease, the leader has one witness less: that is no reason to stop. */
  private async attempt(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.props.logger.debug({ error }, "Failed to keep the Lease of the standby replica, retrying");
    }
  }
}
