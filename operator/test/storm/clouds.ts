/** The simulated clouds that the storm drives: the only file of the suite that knows where they live. */

export { type Clock, systemClock } from "../../src/clock.js";
export type { Fault } from "../../src/sandbox/http/fault.js";
export type { FaultPlan } from "../../src/sandbox/http/fault-plan.js";
export type { JournalEntry } from "../../src/sandbox/http/journal.js";
export { type CloudName, Clouds, DOMAIN, ZONE } from "../e2e/support/clouds.js";
