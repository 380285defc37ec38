/** What every simulated cloud has: its faults, its journal of requests, and a look at its answers. */

export { EVERY_FAULT, type Fault } from "./fault.js";
export type { FaultPlan } from "./fault-plan.js";
export type { Journal, JournalEntry } from "./journal.js";
export type { AnswerListener } from "./message.js";
export { resetSocket } from "./reset-socket.js";
