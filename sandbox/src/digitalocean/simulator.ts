/** The DigitalOcean simulator: a stateful stand-in for API v2, in process or alone. */

import { type Clock, systemClock } from "flipop-operator/clock";
import type { Logger } from "flipop-operator/logging";
import type { AnswerListener } from "../http/message.js";
import { SeededRandom } from "../http/random.js";
import { type SimulatorServer, startSimulatorServer } from "../http/server.js";
import { SlidingWindow } from "../http/sliding-window.js";
import { type TokenGrant, TokenTable } from "../http/tokens.js";
import { AccountControl } from "./account-control.js";
import { DigitalOceanApi } from "./api.js";
import { type AccountData, emptyData } from "./data.js";
import { Scheduler } from "./scheduler.js";
import { createSettings, type SettingsOptions } from "./settings.js";
import { Numbers, type World } from "./world.js";

export interface DigitalOceanSimulatorOptions extends SettingsOptions {
  /** Every time and every wait. @default the system's */
  readonly clock?: Clock;
  /** The same seed gives the same ids and addresses for the same calls. @default 1 */
  readonly seed?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default any free port */
  readonly port?: number;
  /** Path in front of `/v2`. @default none */
  readonly prefix?: string;
  /** What links in answers start with. @default the address that it listens on, with the prefix */
  readonly publicUrl?: string;
  /** @default one token of all scopes */
  readonly tokens?: readonly TokenGrant[];
  /** Limits and status. @default 3 reserved addresses of each family, 25 droplets */
  readonly account?: Partial<Omit<AccountData, "uuid">>;
  /** @default silent */
  readonly logger?: Logger;
  /** @default no callback */
  readonly onAnswer?: AnswerListener;
}

export interface DigitalOceanSimulator extends Omit<SimulatorServer, "port"> {
  /** Base URL, prefix included, without `/v2`. */
  readonly url: string;
  /** The secret of the first token. */
  readonly token: string;
  /** All tokens: add, revoke. */
  readonly tokens: TokenTable;
  /** The account from behind. */
  readonly state: AccountControl;
}

const MINUTE_MS = 60_000;
const DEFAULT_SEED = 1;
/** Of all scopes. */
export const DEFAULT_TOKEN = "dop_v1_simulated";

/** Rejects when the address can't be had. */
export async function startDigitalOceanSimulator(
  options: DigitalOceanSimulatorOptions = {},
): Promise<DigitalOceanSimulator> {
  const { tokens: grants = [{ name: "default", secret: DEFAULT_TOKEN }] } = options;
  const tokens = new TokenTable(grants);
  const world = createWorld(options);
  const server = await startSimulatorServer(new DigitalOceanApi(world, tokens), {
    ...options,
    ...{ clock: world.clock, random: new SeededRandom((options.seed ?? DEFAULT_SEED) + 1) },
  });
  return assemble(world, server, tokens, grants[0]?.secret ?? "");
}

function assemble(world: World, server: SimulatorServer, tokens: TokenTable, token: string): DigitalOceanSimulator {
  const { url, journal, faults, bugs, freezeReads, restart } = server;
  const close = async () => {
    world.scheduler.close();
    await server.close();
  };
  const state = new AccountControl(world);
  return { url, token, tokens, state, journal, faults, bugs, freezeReads, restart, close };
}

function createWorld(options: DigitalOceanSimulatorOptions): World {
  const { clock = systemClock, seed = DEFAULT_SEED } = options;
  const random = new SeededRandom(seed);
  const account: AccountData = {
    ...{ uuid: random.uuid(), email: "team@example.com", name: "Simulated team", status: "active" },
    ...{ dropletLimit: 25, reservedIpLimit: 3, reservedIpv6Limit: 3, ...options.account },
  };
  return {
    data: emptyData(account),
    settings: createSettings(options),
    clock,
    scheduler: new Scheduler(clock),
    numbers: new Numbers(random),
    creations: new SlidingWindow(MINUTE_MS),
    failures: [],
  };
}
