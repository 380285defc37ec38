import type { FakeClock } from "../../support/time/fake-clock.js";

/** Turns of the event loop without any progress, after which only time can help. */
const IDLE_TURNS = 12;
/** A call that waits for longer than this on the clock waits for ever. */
const LONGEST_MS = 30 * 60_000;

/**
 * Lets work with real sockets on a clock that stands still go on: while nothing else happens, time jumps to the next
 * timer. Client and server are in this process, so that a slow machine is no reason to jump.
 * @param progress a number that grows with each sign of life.
 */
export async function drive<T>(clock: FakeClock, progress: () => number, work: Promise<T>): Promise<T> {
  let settled = false;
  const watched = work.finally(() => {
    settled = true;
  });
  watched.catch(() => undefined);
  const end = clock.monotonic() + LONGEST_MS;
  while (!(await idle(progress, () => settled))) {
    const next = clock.nextTimerMs;
    if (next === undefined || clock.monotonic() > end) break;
    await clock.advance(next);
  }
  return watched;
}

/** Whether the work has settled; resolves to false once nothing has happened for a while. */
async function idle(progress: () => number, settled: () => boolean): Promise<boolean> {
  let last = progress();
  for (let turns = 0; turns < IDLE_TURNS; turns++) {
    if (settled()) return true;
    await new Promise((resolve) => setTimeout(resolve, 1));
    const now = progress();
    if (now === last) continue;
    last = now;
    turns = 0;
  }
  return settled();
}
