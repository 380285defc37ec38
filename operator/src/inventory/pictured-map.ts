/** A map that gives out pictures of itself; each is a copy only where something has changed since the last one. */
export class PicturedMap<K, V> extends Map<K, V> {
  private last: ReadonlyMap<K, V> | undefined;

  /** As it is now: later changes do not show. */
  picture(): ReadonlyMap<K, V> {
    this.last ??= new Map(this);
    return this.last;
  }

  override set(key: K, value: V): this {
    this.last = undefined;
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    this.last = undefined;
    return super.delete(key);
  }

  override clear(): void {
    this.last = undefined;
    super.clear();
  }
}
