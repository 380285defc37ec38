/** Whether the long form of the long tests was asked for: `FLIPOP_LONG=1`. CI runs a fixed slice of each. */
const LONG = process.env["FLIPOP_LONG"] === "1";

/** How much of a long test to run. */
export function sliceOf(full: number, slice: number): number {
  return LONG ? full : slice;
}
