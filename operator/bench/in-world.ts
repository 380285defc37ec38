/** The operator as a user has it, its own process and identity on a real API server, with simulated clouds. */

import { ControlPlane } from "flipop-testbed";
import { installKinds } from "../test/e2e/support/install.js";
import { World, type WorldOptions } from "../test/e2e/support/world.js";

/** Flags of an operator that is measured: a user does not debug it. */
export const QUIET = ["--debug=false"];

/** A control plane of the case's own. */
export async function onPlane<T>(run: (plane: ControlPlane) => Promise<T>): Promise<T> {
  const plane = await ControlPlane.start();
  try {
    await installKinds(plane.client());
    return await run(plane);
  } finally {
    await plane.stop();
  }
}

export async function inWorld<T>(
  plane: ControlPlane,
  options: WorldOptions,
  run: (world: World) => Promise<T>,
): Promise<T> {
  const world = await World.create(plane, options);
  try {
    return await run(world);
  } finally {
    await world.close();
  }
}

/** When a cloud call of that kind came in, performance.now(); the first one after the mark. */
export interface CallTimes {
  /** Forgets what came before. */
  mark(): void;
  /** @param route of the journal. @default any */
  first(route?: string): number | undefined;
  close(): void;
}

export function followCalls({ clouds: { digitalocean } }: World): CallTimes {
  let calls: { readonly route: string | undefined; readonly at: number }[] = [];
  const close = digitalocean.journal.subscribe(({ route }) => calls.push({ route, at: performance.now() }));
  return {
    mark: () => {
      calls = [];
    },
    first: (wanted) => calls.find(({ route }) => wanted === undefined || route === wanted)?.at,
    close,
  };
}
