import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { complete, type Entry, modeOf } from "./entries.js";

/** Writes the entries to a folder, and replaces its old content. */
export function writeEntries(folder: string, entries: readonly Entry[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const entry of complete(entries)) {
    const path = join(folder, entry.path);
    if (entry.link !== undefined) {
      symlinkSync(entry.link, path);
      continue;
    }
    if (entry.content === undefined) mkdirSync(path);
    else writeFileSync(path, entry.content);
    // Restores the mode bits that the umask removed.
    chmodSync(path, modeOf(entry));
  }
}
