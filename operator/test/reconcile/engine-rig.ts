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

/** A new rig before each test of a suite, ended after it. */
export function eachWithRig(use: (rig: EngineRig) => void): void {
  let rig: EngineRig;
  beforeEach(() => {
    rig = new EngineRig();
    use(rig);
  });
  afterEach(() => rig.world.end());
}
