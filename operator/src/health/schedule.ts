/** When a probe is due. Pure: each time is a multiple of the interval from one start, so that no delay adds up. */

export interface Schedule {
  /** Monotonic ms. Random within the interval, so that probes spread over it. */
  readonly start: number;
  readonly intervalMs: number;
}

/** The first time of the schedule after `now`: times that have passed are left out. */
export function nextTick({ start, intervalMs }: Schedule, now: number): number {
  if (now < start) return start;
  const next = start + (Math.floor((now - start) / intervalMs) + 1) * intervalMs;
  // The sum of fractions may round to `now` itself.
  return next > now ? next : next + intervalMs;
}
