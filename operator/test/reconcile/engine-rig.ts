/** One object of the moving kind, and an engine that runs it. */

import { afterEach, beforeEach } from "mocha";
import type { KubeObject } from "../../src/kube/objects.js";
import type { KindController } from "../../src/reconcile/kind-controller.js";
import { type Mover, MovingKind } from "./moving-kind.js";
import { OneObject } from "./rig.js";

export const OBJECT: KubeObject = {
  metadata: { name: "one", namespace: "default", uid: "u", resourceVersion: "" },
  spec: {},
};

export class EngineRig {
  readonly world = new OneObject<KubeObject>();
  readonly moving = new MovingKind(this.world);
  private running: KindController<Mover> | undefined;

  get controller(): KindController<Mover> {
    if (this.running === undefined) throw new Error("the engine has not been started");
    return this.running;
  }

  /** Ends after the first run of the object. */
  async start(): Promise<void> {
    this.running = this.world.start(this.moving.kind);
    this.world.put(OBJECT);
    await this.world.clock.flush();
  }
}

/** The rig of the test that runs: each test of the suite has its own, which ends after it. */
export function rigOfEachTest(): Pick<EngineRig, "world" | "moving" | "controller" | "start"> {
  let rig: EngineRig;
  beforeEach(() => {
    rig = new EngineRig();
  });
  afterEach(() => rig.world.end());
  return {
    get world() {
      return rig.world;
    },
    get moving() {
      return rig.moving;
    },
    get controller() {
      return rig.controller;
    },
    start: () => rig.start(),
  };
}
