import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Part, type PartSpec } from "./part.js";
import type { Supervisor } from "./supervisor.js";

/** A copy of etcd's data at one moment. */
export interface EtcdState {
  readonly folder: string;
}

/** etcd, whose data can be copied and put back, as an operator of a cluster does with a backup. */
export class Etcd extends Part {
  private states = 0;

  constructor(
    supervisor: Supervisor,
    spec: PartSpec,
    private readonly dataDir: string,
  ) {
    super(supervisor, spec);
  }

  /** Copies the data. etcd is stopped for it and started again; the API server answers errors meanwhile. */
  async saveState(): Promise<EtcdState> {
    this.states += 1;
    const folder = join(this.supervisor.dir, `etcd-state-${this.states}`);
    await this.whileStopped(() => cp(this.dataDir, folder, { recursive: true }));
    return { folder };
  }

  /**
   * Puts older data back. The caches of a running API server stay in the future; a restore by the book is
   * `apiserver.kill()`, `etcd.restoreState(state)`, `apiserver.start()`.
   */
  async restoreState(state: EtcdState): Promise<void> {
    await this.whileStopped(async () => {
      await rm(this.dataDir, { recursive: true, force: true });
      await cp(state.folder, this.dataDir, { recursive: true });
    });
  }

  private async whileStopped(work: () => Promise<void>): Promise<void> {
    // Asked politely, etcd takes 7 s to stop; what it has acknowledged is in its files either way.
    await this.kill("SIGKILL");
    await work();
    await this.start();
  }
}
