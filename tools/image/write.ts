import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { complete, type Entry, modeOf } from "./entries.js";

/** Lays the entries out in a folder, in place of what was there. */
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
    // What the umask has taken away comes back.
    chmodSync(path, modeOf(entry));
  }
}
