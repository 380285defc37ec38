/** What the order of a merged list follows from. */
interface Ordering<T> {
  /** The list before. */
  readonly target: readonly unknown[];
  /** The items of the list after, in any order. */
  readonly items: readonly T[];
  /** Items in the order that the patch wants. */
  readonly wanted: readonly unknown[];
  /** Whether two items are versions of one. */
  readonly same: (a: unknown, b: unknown) => boolean;
}

/**
 * The order of a merged list: items that the patch names come in its order; the others keep theirs, and stand before
 * a named one only where they stood before it already.
 */
export function mergedOrder<T>({ target, items, wanted, same }: Ordering<T>): T[] {
  const position = (list: readonly unknown[], item: T) => list.findIndex((one) => same(one, item));
  const named = items
    .filter((item) => position(wanted, item) >= 0)
    .sort((a, b) => position(wanted, a) - position(wanted, b));
  const others = items.filter((item) => position(wanted, item) < 0);
  const result: T[] = [];
  for (const item of named) {
    const before = position(target, item);
    while (others[0] !== undefined && before > position(target, others[0])) result.push(...others.splice(0, 1));
    result.push(item);
  }
  return [...result, ...others];
}
