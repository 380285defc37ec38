/** Pools that all match the same nodes, at the provider's real limits: for a test, and for the benchmark. */

import { inWorld, type World } from "../world.js";

export const OVERLAP = { pools: 6, addresses: 10, nodes: 60 } as const;
const PER_MINUTE = 250;

export interface OverlapFigures {
  /** Addresses that a node holds. */
  readonly assigned: number;
  /** Nodes that hold one. */
  readonly nodes: number;
  /** Assignments that were asked for. */
  readonly assignments: number;
  readonly calls: number;
  /** Of them, answered with 429. */
  readonly refused: number;
  /** On the virtual clock, from the start until all pools say that they have what they should. */
  readonly seconds: number;
}

export function runOverlap(): Promise<OverlapFigures> {
  return inWorld({ perMinute: PER_MINUTE }, async (world) => {
    for (let node = 0; node < OVERLAP.nodes; node++) world.addNode(`node-${node}`);
    const names = Array.from({ length: OVERLAP.pools }, (_, pool) => `pool-${pool}`);
    for (const name of names) world.addPool(name, { ips: addresses(world) });
    const begun = world.clock.monotonic();
    world.start();
    for (const name of names) await world.fulfilled(name);
    return { ...figures(world), seconds: (world.clock.monotonic() - begun) / 1000 };
  });
}

function addresses({ digitalocean }: World): readonly string[] {
  return Array.from({ length: OVERLAP.addresses }, () => digitalocean.state.addAddress().ip);
}

function figures({ digitalocean: { state, journal } }: World): Omit<OverlapFigures, "seconds"> {
  const holders = state.addresses().flatMap(({ dropletId }) => dropletId ?? []);
  return {
    assigned: holders.length,
    nodes: new Set(holders).size,
    assignments: journal.count({ on: "POST /v2/reserved_ips/{reserved_ip}/actions" }),
    calls: journal.count(),
    refused: journal.count({ status: 429 }),
  };
}
