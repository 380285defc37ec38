/**
 * What the clouds report of the machines of suspected holders. It sends no call without a suspicion, one call at a time for
 * each machine, and few for each suspicion. A failed call does not count.
 */

import type { Clock } from "../clock.js";
import type { Logger } from "../logging.js";
import { sharedRead } from "../providers/call.js";
import type { ProviderRegistry } from "../providers/registry.js";
import type { AddressProvider, MachineState, ProviderId } from "../providers/types.js";
import { MACHINE_ANSWER_MS, MACHINE_ASKS, MACHINE_ASKS_APART_MS, MAX_MACHINE_ASKS, SECOND_MS } from "../timings.js";
import type { NodeHealth } from "./witness.js";

/** Of the account that the machine belongs to. */
export type MachineReader = Pick<AddressProvider, "machineState">;

export interface MachineStatesProps {
  readonly clock: Pick<Clock, "monotonic" | "setTimer">;
  readonly logger: Pick<Logger, "debug">;
  /** A standby replica decides nothing, so it asks nothing. */
  readonly leads: () => boolean;
  /** For resources that name no account of their own. */
  readonly readerOf: (machine: ProviderId) => MachineReader | undefined;
  /** The cloud reports that the machine of the node is off. */
  readonly onOff: (node: string) => void;
}

/** A holder whose probes fail. */
export interface SuspectedHolder {
  readonly node: string;
  /** Absent: unknown. */
  readonly machine: ProviderId | undefined;
  readonly health: NodeHealth;
  /** @default that of the environment */
  readonly reader: MachineReader | undefined;
}

interface Asked {
  /** Whoever suspects the machine. */
  readonly suspects: Set<object>;
  asks: number;
  /** Monotonic ms. */
  askedAt: number;
  open?: AbortController;
  offAt?: number;
}

export class MachineStates {
  private readonly machines = new Map<ProviderId, Asked>();
  private openCalls = 0;

  constructor(private readonly props: MachineStatesProps) {}

  /** Monotonic ms: when the operator sent the call to which the cloud answered that the machine is off. */
  offAt(machine: ProviderId | undefined): number | undefined {
    return machine === undefined ? undefined : this.machines.get(machine)?.offAt;
  }

  /** Call it again while the suspicion lasts: it asks when that is due. */
  suspect(by: object, holder: SuspectedHolder): void {
    const { machine, health } = holder;
    if (machine === undefined || !this.props.leads()) return;
    const asked = this.askedOf(machine);
    asked.suspects.add(by);
    if (isUndecided(health) && this.isDue(asked)) this.ask(asked, { ...holder, machine });
  }

  /** The suspicion is over: a call that runs ends, and its answer does not count. */
  clear(by: object, machine: ProviderId | undefined): void {
    const asked = machine === undefined ? undefined : this.machines.get(machine);
    if (asked?.suspects.delete(by) !== true || asked.suspects.size > 0) return;
    asked.open?.abort(new Error("the suspicion is over"));
    delete asked.open;
    delete asked.offAt;
    asked.asks = 0;
  }

  close(): void {
    for (const { open } of this.machines.values()) open?.abort(new Error("the operator ends"));
    this.machines.clear();
  }

  private askedOf(machine: ProviderId): Asked {
    const known = this.machines.get(machine);
    if (known !== undefined) return known;
    const now = this.props.clock.monotonic();
    for (const [other, { suspects, askedAt }] of this.machines) {
      if (suspects.size === 0 && now - askedAt >= MACHINE_ASKS_APART_MS) this.machines.delete(other);
    }
    const made: Asked = { suspects: new Set(), asks: 0, askedAt: Number.NEGATIVE_INFINITY };
    this.machines.set(machine, made);
    return made;
  }

  /** A machine that is suspected again at once is not asked about again at once. */
  private isDue({ open, offAt, asks, askedAt }: Asked): boolean {
    if (open !== undefined || offAt !== undefined || asks >= MACHINE_ASKS) return false;
    return this.openCalls < MAX_MACHINE_ASKS && this.props.clock.monotonic() - askedAt >= MACHINE_ASKS_APART_MS;
  }

  private ask(asked: Asked, { machine, node, reader }: SuspectedHolder & { readonly machine: ProviderId }): void {
    const { clock, readerOf } = this.props;
    const from = reader ?? readerOf(machine);
    if (from?.machineState === undefined) return;
    const controller = new AbortController();
    const late = new Error(`no answer within ${MACHINE_ANSWER_MS / SECOND_MS} s`);
    const timer = clock.setTimer(MACHINE_ANSWER_MS, () => controller.abort(late));
    Object.assign(asked, { open: controller, asks: asked.asks + 1, askedAt: clock.monotonic() });
    this.openCalls += 1;
    const context = { ...sharedRead(`the probes of node ${node} fail`), signal: controller.signal };
    void this.answered(asked, { node, controller, state: from.machineState(context, machine) }).finally(() => {
      timer.cancel();
      this.openCalls -= 1;
      if (asked.open === controller) delete asked.open;
    });
  }

  private async answered(asked: Asked, { node, controller, state }: OpenCall): Promise<void> {
    try {
      if ((await state) !== "off" || asked.open !== controller) return;
      asked.offAt = asked.askedAt;
      this.props.onOff(node);
    } catch (error) {
      this.props.logger.debug({ node, error }, "Failed to read the state of a machine");
    }
  }
}

interface OpenCall {
  readonly node: string;
  readonly controller: AbortController;
  readonly state: Promise<MachineState | undefined>;
}

/** A kubelet that renews its Lease, and a node that the standby replica reaches, run on a machine that is on. */
function isUndecided(health: NodeHealth): boolean {
  return health.is === "suspected" || (health.is === "doubted" && health.doubt === "NoWitness");
}

/** The provider of the environment whose machines have such ids. */
export function readerAmong(
  providers: Pick<ProviderRegistry, "names" | "get">,
  machine: ProviderId,
): MachineReader | undefined {
  const scheme = machine.slice(0, machine.indexOf("://"));
  return providers.names
    .map((name) => providers.get(name, "addresses").addresses)
    .find((addresses) => addresses?.capabilities.providerIdScheme === scheme && addresses.machineState !== undefined);
}
