/** Notifies resources of changes in what they share with others, so that they plan again. */

/** @param uids of resources of any kind: pass over those that are not yours. */
export type NotifierListener = (uids: readonly string[]) => void;

export class Notifier {
  private readonly listeners = new Set<NotifierListener>();

  tell(uids: readonly string[]): void {
    for (const listener of [...this.listeners]) listener(uids);
  }

  /** @returns the function that ends it. */
  listen(listener: NotifierListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
