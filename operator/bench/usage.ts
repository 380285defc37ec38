/** What a process uses, looked at from outside. */

import { readFileSync } from "node:fs";

/** Of the kernel's clock that /proc counts in; the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const KB_IN_MB = 1024;

/** Resident, MB. */
export interface Memory {
  readonly nowMb: number;
  /** At its highest. */
  readonly peakMb: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / KB_IN_MB;
  return { nowMb: field("VmRSS"), peakMb: field("VmHWM") };
}

/** Since its start. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
