/** A file, a symbolic link or, with neither content nor link, a folder of the image. */
export interface Entry {
  /** From the root, without a leading slash. */
  readonly path: string;
  /** @default 0o644 for files, 0o755 for folders */
  readonly mode?: number;
  readonly content?: Uint8Array;
  /** Target of a symbolic link. */
  readonly link?: string;
}

/** A text file. */
export function textFile(path: string, lines: readonly string[]): Entry {
  return { path, content: Buffer.from(`${lines.join("\n")}\n`) };
}

/** The entries in packing order, with their parent folders. */
export function complete(entries: readonly Entry[]): readonly Entry[] {
  const all = new Map<string, Entry>();
  for (const entry of entries) {
    for (const folder of foldersOf(entry.path)) if (!all.has(folder)) all.set(folder, { path: folder });
  }
  for (const entry of entries) {
    if (all.get(entry.path)?.content !== undefined) throw new Error(`two files for ${entry.path} of the image`);
    all.set(entry.path, entry);
  }
  return [...all.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The value of `mode`, or the default. */
export function modeOf({ mode, content, link }: Entry): number {
  if (mode !== undefined) return mode;
  return content !== undefined || link !== undefined ? 0o644 : 0o755;
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
