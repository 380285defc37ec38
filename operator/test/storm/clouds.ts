/** The simulated clouds that the storm drives: the only file of the suite that knows where they live. */

export type { Fault, FaultPlan, JournalEntry } from "flipop-sandbox/http";
export { type Clock, systemClock } from "../../src/clock.js";
export { type CloudName, Clouds, DOMAIN, ZONE } from "../e2e/support/clouds.js";
