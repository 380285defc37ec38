/** The report of a measured process to the one that measures: a line of JSON on its standard output. */

export type Message =
  | { readonly kind: "listening"; readonly port: number }
  /** Wall clock, ms since the epoch. */
  | { readonly kind: "first watch"; readonly atMs: number }
  | {
      readonly kind: "synced";
      readonly seconds: number;
      readonly objects: number;
      /** The longest time that the event loop was blocked. */
      readonly blockMs: number;
    }
  | { readonly kind: "at rest"; readonly heapPerObject: number }
  | { readonly kind: "latency"; readonly events: number; readonly p50Ms: number; readonly p99Ms: number }
  | {
      readonly kind: "probed";
      readonly cpuPercent: number;
      /** Results each second. */
      readonly successes: number;
      readonly failures: number;
      readonly skipped: number;
      /** Left after the prober was closed. */
      readonly sockets: number;
    }
  | { readonly kind: "failed"; readonly error: string };

export function say(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
