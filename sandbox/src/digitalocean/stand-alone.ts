/** The simulator by itself, on the real clock, with something in the account: for `flipop-sandbox --only digitalocean`. */

import type { Logger } from "flipop-operator/logging";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "./simulator.js";

export interface StandAloneOptions {
  /** 0: any free port. */
  readonly port: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default 1 */
  readonly seed?: number;
  /** Droplets in the account. @default 3 */
  readonly droplets?: number;
  /** A domain in the account. @default example.com */
  readonly domain?: string;
  /** Receives the simulator's own errors. */
  readonly logger: Logger;
}

const DEFAULT_DROPLETS = 3;

/** Rejects when the port can't be had. The caller closes it. */
export async function startStandAloneDigitalOcean(options: StandAloneOptions): Promise<DigitalOceanSimulator> {
  const { droplets = DEFAULT_DROPLETS, domain = "example.com", ...rest } = options;
  const simulator = await startDigitalOceanSimulator(rest);
  const { state } = simulator;
  for (let count = 0; count < droplets; count++) state.addDroplet({ tags: ["nodes"] });
  state.dns.addDomain(domain);
  return simulator;
}
