export type { PlanName, RecordData, ZoneData } from "./data.js";
export {
  type CloudflareSimulator,
  type CloudflareSimulatorOptions,
  DEFAULT_TOKEN,
  type RecordOptions,
  startCloudflareSimulator,
  type ZoneOptions,
} from "./simulator.js";
export type { CloudflareToken, Scope } from "./tokens.js";
