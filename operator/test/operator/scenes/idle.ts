/** Addresses that are where they should be, for an hour in which nothing happens: for a test, and for the benchmark. */

import { inWorld } from "../world.js";

export const IDLE = { addresses: 20, nodes: 25 } as const;
const HOUR_MS = 3_600_000;

export interface IdleFigures {
  readonly calls: number;
  /** Writes to the Kubernetes API, by anybody. */
  readonly writes: number;
}

export function runIdleHour(): Promise<IdleFigures> {
  return inWorld({ perMinute: 250 }, async (world) => {
    for (let node = 0; node < IDLE.nodes; node++) world.addNode(`node-${node}`);
    const { digitalocean, kubernetes, clock } = world;
    const ips = Array.from({ length: IDLE.addresses }, () => digitalocean.state.addAddress().ip);
    world.addPool("web", { ips });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    const [mark, revision] = [digitalocean.journal.mark, kubernetes.revision];
    await clock.sleep(HOUR_MS);
    return { calls: digitalocean.journal.count({ after: mark }), writes: kubernetes.revision - revision };
  });
}
