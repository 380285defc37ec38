/** Control planes and worlds of a suite, made and ended by mocha's hooks. */

import { ControlPlane, controlPlaneOrSkip, type SuiteContext } from "flipop-testbed";
import { after, afterEach, before } from "mocha";
import { bundledOperator } from "../../support/bundle.js";
import { installKinds } from "./install.js";
import { World, type WorldOptions } from "./world.js";

export interface Worlds {
  readonly plane: ControlPlane;
  /** A world that is closed after the test. */
  create(options?: WorldOptions): Promise<World>;
  /** A world that lives as long as the suite. */
  keep(options?: WorldOptions): Promise<World>;
}

export interface WorldsOptions {
  /** A control plane of the suite's own, to be killed or given other kinds. @default false: shared */
  readonly own?: boolean;
  /** In place of the installation of our kinds. */
  readonly prepare?: (plane: ControlPlane) => Promise<void>;
}

const SETUP_MS = 300_000;
const prepared = new WeakMap<ControlPlane, Promise<void>>();

/** Call it in a `describe`. */
export function useWorlds({ own = false, prepare = ourKinds }: WorldsOptions = {}): Worlds {
  const open = new Set<World>();
  const kept = new Set<World>();
  let plane: ControlPlane | undefined;

  before(async function () {
    const bundled = bundledOperator();
    plane = await planeFor(this, own);
    const ready = prepared.get(plane) ?? prepare(plane);
    prepared.set(plane, ready);
    this.timeout(SETUP_MS);
    await Promise.all([ready, bundled]);
  });
  afterEach(() => closeAll(open));
  after(async () => {
    await closeAll(kept);
    if (own) await plane?.stop();
  });

  const known = () => {
    if (plane === undefined) throw new Error("the control plane is there only once the tests run");
    return plane;
  };
  const add = async (to: Set<World>, options: WorldOptions = {}) => {
    const world = await World.create(known(), options);
    to.add(world);
    return world;
  };
  return {
    get plane() {
      return known();
    },
    create: (options) => add(open, options),
    keep: (options) => add(kept, options),
  };
}

/** All of them, whatever the first one has to say. */
async function closeAll(worlds: Set<World>): Promise<void> {
  const closing = [...worlds].map((world) => world.close());
  worlds.clear();
  for (const end of await Promise.allSettled(closing)) if (end.status === "rejected") throw end.reason;
}

async function planeFor(context: SuiteContext, own: boolean): Promise<ControlPlane> {
  const shared = await controlPlaneOrSkip(context);
  return own ? ControlPlane.start({ binaries: shared.binaries }) : shared;
}

function ourKinds(plane: ControlPlane): Promise<void> {
  return installKinds(plane.client());
}
