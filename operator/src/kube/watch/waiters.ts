/** Promises that are released together. An abort leaves neither entry nor listener behind. */
export class Waiters {
  private readonly waiting = new Set<() => void>();

  /** Resolves at the next `release`; rejects with the signal's reason. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        this.waiting.delete(done);
        reject(signal?.reason);
      };
      const done = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      this.waiting.add(done);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  release(): void {
    const all = [...this.waiting];
    this.waiting.clear();
    for (const done of all) done();
  }
}
