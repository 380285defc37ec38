/** A pool that has no address yet, where a node waits for one: for a test, and for the benchmark. */

import { inWorld } from "../world.js";

export interface FirstAddressFigures {
  /** Calls that change something at the provider. */
  readonly mutating: number;
  /** Addresses that the node holds. */
  readonly held: number;
}

export function runFirstAddress(): Promise<FirstAddressFigures> {
  return inWorld({}, async (world) => {
    world.addNode("node-1");
    world.addPool("web", { desiredIPs: 1 });
    world.start();
    await world.fulfilled("web");
    const { state, journal } = world.digitalocean;
    const { id } = world.droplet("node-1");
    return {
      mutating: journal.count({ mutating: true }),
      held: state.addresses().filter(({ dropletId }) => dropletId === id).length,
    };
  });
}
