/** Bytes beyond this are rarely the same twice. */
const MAX_BYTES = 4096;
const SETS = 4096;
const WAYS = 4;
const FNV_PRIME = 0x01000193;

interface Entry<V> {
  readonly hash: number;
  readonly bytes: Buffer;
  readonly value: V;
}

/**
 * Values by the bytes that they were made of: bytes that are known cost no new value. It holds a bounded number of
 * them, and a new one replaces an old one of its set, so that names that somebody chose to collide do no harm.
 */
class ByteTable<V> {
  private readonly sets: (Entry<V>[] | undefined)[] = new Array(SETS);
  private turn = 0;

  get(bytes: Buffer, start: number, end: number): V | undefined {
    const hash = hashOf(bytes, start, end);
    const entries = this.sets[hash & (SETS - 1)];
    if (entries === undefined) return undefined;
    for (const entry of entries) if (entry.hash === hash && isSame(entry.bytes, bytes, start, end)) return entry.value;
    return undefined;
  }

  add(bytes: Buffer, start: number, end: number, value: V): void {
    if (end - start > MAX_BYTES) return;
    const hash = hashOf(bytes, start, end);
    const entry = { hash, bytes: Buffer.from(bytes.subarray(start, end)), value };
    const entries = this.sets[hash & (SETS - 1)];
    if (entries === undefined) this.sets[hash & (SETS - 1)] = [entry];
    else if (entries.length < WAYS) entries.push(entry);
    else entries[this.turn++ % WAYS] = entry;
  }
}

export type TextMap = Readonly<Record<string, string>>;

/** One string for equal bytes, and one frozen map for equal encoded maps: the pods of a cluster repeat a few hundred. */
export class ByteInterner {
  private readonly texts = new ByteTable<string>();
  private readonly maps = new ByteTable<TextMap>();

  text(bytes: Buffer, start: number, end: number): string {
    const known = this.texts.get(bytes, start, end);
    if (known !== undefined) return known;
    const text = bytes.toString("utf8", start, end);
    this.texts.add(bytes, start, end, text);
    return text;
  }

  /** @param read makes the map where these bytes are new. */
  map(bytes: Buffer, start: number, end: number, read: () => TextMap): TextMap {
    const known = this.maps.get(bytes, start, end);
    if (known !== undefined) return known;
    const map = Object.freeze(read());
    this.maps.add(bytes, start, end, map);
    return map;
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
  // The upper bits choose the set too: the lower ones alone hardly depend on the last byte.
  return hash ^ (hash >>> 15);
}

function isSame(known: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}
