/** The replicas of the operator in the simulated network. */

import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorProcess } from "../../test/e2e/support/operator-process.js";
import type { World } from "../../test/e2e/support/world.js";
import { QUIET } from "../in-world.js";

/** The fast profile of the operator's own Lease. */
const FAST_LEASE = [
  "--leader-elect-lease-duration=5",
  "--leader-elect-renew-deadline=3",
  "--leader-elect-retry-period=1",
];
/** Until the standby has its Lease, and the leader has read it: 5 s each, and some more to probe the first holders. */
const ACQUAINTED_MS = 12_000;

export interface OperatorsOptions {
  /** The operator uses the fast profile of its Lease. @default false */
  readonly isFast?: boolean;
  /** There is no standby. @default false */
  readonly isAlone?: boolean;
}

/** A leader and a standby, as the constructs install them: each knows its node and answers the other. */
export class Operators {
  private leader: OperatorProcess | undefined;
  private standby: OperatorProcess | undefined;
  private started = 0;

  constructor(
    private readonly world: World,
    private readonly options: OperatorsOptions,
  ) {}

  /** @returns the leader */
  async start(): Promise<OperatorProcess> {
    const leader = await this.launch(`operator-${this.started}`);
    this.leader = leader;
    await leader.leads();
    if (this.options.isAlone === true) return leader;
    this.standby = await this.launch(`operator-${this.started}`);
    await standing(this.standby);
    await sleep(ACQUAINTED_MS);
    return leader;
  }

  /** Lets a replica on this node lead, with a standby elsewhere. @returns how to kill it */
  async leadOn(node: string): Promise<() => Promise<void>> {
    const { world, leader, standby } = this;
    const doomed = await this.launch(node);
    await standing(doomed);
    for (const process of [standby, leader]) if (process !== undefined) await world.stop(process);
    await doomed.leads();
    this.leader = await this.launch(`operator-${this.started}`);
    await standing(this.leader);
    this.standby = undefined;
    return () => world.kill(doomed);
  }

  private launch(node: string): Promise<OperatorProcess> {
    this.started += 1;
    const witness = [`--node-name=${node}`, "--witness-bind-addr=127.0.0.1:0"];
    return this.world.launch([...(this.options.isFast === true ? [...QUIET, ...FAST_LEASE] : QUIET), ...witness]);
  }
}

async function standing(process: OperatorProcess): Promise<void> {
  await process.until("it to stand by", async () => (await process.lines("standing by")).length > 0);
}
