/** DigitalOcean's API in this process: droplets, reserved addresses, domains, firewalls and tags of one account. */

export type { DropletData, FirewallRule } from "./data.js";
export {
  type DigitalOceanSimulator,
  type DigitalOceanSimulatorOptions,
  startDigitalOceanSimulator,
} from "./simulator.js";
