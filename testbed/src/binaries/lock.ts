import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Times of a lock; tests shorten them. */
export interface LockTimes {
  /** Age without a refresh after which a lock belongs to a dead process. @default 30000 */
  readonly staleMs?: number;
  /** @default 200 */
  readonly retryMs?: number;
}

/**
 * Runs the work while only this process holds the lock file. The holder refreshes the file's time; when it dies, the
 * lock becomes stale and the next process takes it.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, times: LockTimes = {}): Promise<T> {
  const staleMs = times.staleMs ?? 30_000;
  await mkdir(dirname(file), { recursive: true });
  while (!(await tryCreate(file))) {
    await removeIfStale(file, staleMs);
    await delay(times.retryMs ?? 200);
  }
  const refresh = setInterval(() => void touch(file), staleMs / 6);
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    await rm(file, { force: true });
  }
}

async function tryCreate(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(`${process.pid}\n`);
    await handle.close();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function removeIfStale(file: string, staleMs: number): Promise<void> {
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs < staleMs) return;
    // The rename comes first: only one of two processes with the same stale lock succeeds, and it removes no newer
    // lock.
    const grave = `${file}.${randomUUID()}`;
    await rename(file, grave);
    await rm(grave, { force: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  // A test may remove the folder while it runs; the lock is then irrelevant.
  await utimes(file, now, now).catch(() => undefined);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
