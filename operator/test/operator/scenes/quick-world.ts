/** A world in which quiet hours pass in seconds, and work takes no longer than it does on a usual clock. */

import { StoryClock } from "../../../src/sandbox/story/clock.js";
import { World, type WorldOptions } from "../world.js";

/** Of the clock while nothing is asked of any API. */
const SPEED = 600;

export interface QuickWorld {
  readonly world: World;
  close(): Promise<void>;
}

export async function startQuickWorld(options: Omit<WorldOptions, "speed" | "clock"> = {}): Promise<QuickWorld> {
  const clock = new StoryClock({ start: Date.now(), speed: SPEED });
  const world = await World.create({ ...options, clock });
  world.digitalocean.journal.subscribe(() => clock.traffic());
  world.kubernetes.setFaults(() => {
    clock.traffic();
    return undefined;
  });
  clock.run();
  const close = async () => {
    await world.close();
    clock.stop();
  };
  return { world, close };
}

/** A scene in a world of its own. */
export async function inQuickWorld<T>(options: WorldOptions, scene: (world: World) => Promise<T>): Promise<T> {
  const { world, close } = await startQuickWorld(options);
  try {
    return await scene(world);
  } finally {
    await close();
  }
}
