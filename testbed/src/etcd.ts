import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Part, type PartSpec } from "./part-process.js";
import type { Supervisor } from "./supervisor.js";

/** A copy of etcd's data at one moment. */
export interface EtcdState {
  readonly folder: string;
}

/** etcd with functions to copy and restore its data, like a cluster's backup. */
export class Etcd extends Part {
  private states = 0;

  constructor(
    supervisor: Supervisor,
    spec: PartSpec,
    private readonly dataDir: string,
  ) {
    super(supervisor, spec);
  }

  /** Copies the data. It stops etcd and starts it again; meanwhile the API server returns errors. */
  async saveState(): Promise<EtcdState> {
    this.states += 1;
    const folder = join(this.supervisor.dir, `etcd-state-${this.states}`);
    await this.whileStopped(() => cp(this.dataDir, folder, { recursive: true }));
    return { folder };
  }

  /**
   * Restores older data. The caches of a running API server keep the newer state; a correct restore is
   * `apiserver.kill()`, `etcd.restoreState(state)`, `apiserver.start()`.
   */
  async restoreState(state: EtcdState): Promise<void> {
    await this.whileStopped(async () => {
      await rm(this.dataDir, { recursive: true, force: true });
      await cp(state.folder, this.dataDir, { recursive: true });
    });
  }

  private async whileStopped(work: () => Promise<void>): Promise<void> {
    // With SIGTERM, etcd takes 7 s to stop; its files contain all acknowledged data either way.
    await this.kill("SIGKILL");
    await work();
    await this.start();
  }
}
