/** The sandbox's whole world: a Kubernetes API and both clouds in this process, on one clock. */

import { type Clock, systemClock } from "flipop-operator/clock";
import { type Logger, silentLogger } from "flipop-operator/logging";
import { type CloudflareSimulator, startCloudflareSimulator } from "./cloudflare/index.js";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "./digitalocean/simulator.js";
import { type Emulator, startEmulator } from "./kubernetes/index.js";
import { addNode } from "./nodes.js";

export interface StartAllOptions {
  /** Time of all three. @default systemClock */
  readonly clock?: Clock;
  /** Port of the Kubernetes API; the clouds take any free one. @default 0: any free one */
  readonly port?: number;
  /** Nodes from the start: node-1, node-2, ... @default 3 */
  readonly nodes?: number;
  /** A zone in both clouds. @default example.com */
  readonly domain?: string;
  /** Receives the simulators' own errors. @default silent */
  readonly logger?: Logger;
}

export interface SandboxWorld {
  readonly kubernetes: Emulator;
  readonly digitalocean: DigitalOceanSimulator;
  readonly cloudflare: CloudflareSimulator;
  /** Ends all connections and timers. */
  close(): Promise<void>;
}

const DEFAULT_NODES = 3;

/** Rejects when the port can't be had; nothing is left running then. */
export async function startAll(options: StartAllOptions = {}): Promise<SandboxWorld> {
  const {
    clock = systemClock,
    port = 0,
    nodes = DEFAULT_NODES,
    domain = "example.com",
    logger = silentLogger,
  } = options;
  const kubernetes = await startEmulator({ clock, port });
  const digitalocean = await startDigitalOceanSimulator({ clock, logger });
  const cloudflare = await startCloudflareSimulator({ clock, logger, zones: [{ name: domain }] });
  digitalocean.state.dns.addDomain(domain);
  for (let number = 1; number <= nodes; number++) addNode({ kubernetes, digitalocean }, { name: `node-${number}` });
  const close = async () => {
    await Promise.all([kubernetes, digitalocean, cloudflare].map((server) => server.close()));
  };
  return { kubernetes, digitalocean, cloudflare, close };
}
