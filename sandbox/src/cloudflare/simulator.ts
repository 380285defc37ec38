/**
 * A stand-in for Cloudflare's API: zones and DNS records, in process or alone. Facts are from Cloudflare's
 * documentation of the DNS records API, its batch endpoint and its rate limits, and from errors that clients report.
 */

import { type Clock, systemClock } from "flipop-operator/clock";
import type { Logger } from "flipop-operator/logging";
import type { SimulatorApi } from "../http/api.js";
import type { AnswerListener } from "../http/message.js";
import { SeededRandom } from "../http/random.js";
import { type SimulatorServer, type SimulatorServerOptions, startSimulatorServer } from "../http/server.js";
import { bearer } from "../http/tokens.js";
import type { CloudflareWorld, PlanName, RecordData, ZoneData } from "./data.js";
import { serverError } from "./errors.js";
import { RateLimit, type RateLimitOptions } from "./rate-limit.js";
import { createRecord, draftOf } from "./record-changes.js";
import { recordRoutes } from "./records.js";
import { type CloudflareToken, Tokens, tokenRoutes } from "./tokens.js";
import { zoneRoutes } from "./zones.js";

/** May do everything, until it is revoked. */
export const DEFAULT_TOKEN = "flipop-sandbox-cloudflare-token-00000001";

export interface ZoneOptions {
  readonly name: string;
  /** 32 hexadecimal digits. @default drawn from the seed */
  readonly id?: string;
  /** @default free */
  readonly plan?: PlanName;
  /** @default active */
  readonly status?: ZoneData["status"];
  /** Name of the account; equal names are one account. @default sandbox */
  readonly account?: string;
}

/** As the API takes it; `name` relative or full. */
export interface RecordOptions {
  readonly type: RecordData["type"];
  readonly name: string;
  readonly content: string;
  readonly ttl?: number;
  readonly proxied?: boolean;
  readonly comment?: string;
  readonly tags?: readonly string[];
}

export interface CloudflareSimulatorOptions {
  /** @default systemClock */
  readonly clock?: Clock;
  /** Ids and faults by chance repeat for the same seed. @default 1 */
  readonly seed?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default 0: any free port */
  readonly port?: number;
  /** Path in front of every route. @default /client/v4 */
  readonly prefix?: string;
  /** @default one with the secret `DEFAULT_TOKEN` */
  readonly tokens?: readonly CloudflareToken[];
  /** @default one: example.com */
  readonly zones?: readonly ZoneOptions[];
  /** @default 1,200 calls in 300 s */
  readonly rateLimit?: RateLimitOptions;
  /** @default silent */
  readonly logger?: Logger;
  /** @default no callback */
  readonly onAnswer?: AnswerListener;
}

export interface CloudflareSimulator extends SimulatorServer {
  readonly tokens: Tokens;
  addZone(options: ZoneOptions): ZoneData;
  /** The zone, its records, and with them what clients remember of its id. Throws for a name that is not there. */
  removeZone(name: string): void;
  /** Throws for a name that is not there. */
  zone(name: string): ZoneData;
  /** As a person would in the dashboard; throws the API's refusals. */
  addRecord(zone: string, record: RecordOptions): RecordData;
  /** Records of one full name, in the order of creation. None of a zone that is not there. @default all names */
  records(zone: string, fqdn?: string): readonly RecordData[];
}

/** Rejects when the address cannot be had. */
export async function startCloudflareSimulator(options: CloudflareSimulatorOptions = {}): Promise<CloudflareSimulator> {
  const { clock = systemClock, seed = 1 } = options;
  const tokens = new Tokens(options.tokens ?? [{ name: "sandbox", secret: DEFAULT_TOKEN }]);
  const account = new Account(clock, new SeededRandom(seed));
  for (const zone of options.zones ?? [{ name: "example.com" }]) account.addZone(zone);
  const server = await startSimulatorServer(apiOf(account, tokens, options), serverOptions(options, clock, seed));
  return {
    ...server,
    tokens,
    addZone: (zone) => account.addZone(zone),
    removeZone: (name) => void account.world.zones.delete(account.zone(name).id),
    zone: (name) => account.zone(name),
    addRecord: (zone, record) => account.addRecord(zone, record),
    records: (zone, fqdn) => account.recordsOf(zone).filter(({ name }) => fqdn === undefined || name === fqdn),
  };
}

function serverOptions(options: CloudflareSimulatorOptions, clock: Clock, seed: number): SimulatorServerOptions {
  const { host, port, prefix = "/client/v4", logger, onAnswer } = options;
  return {
    clock,
    // Not the account's own: its ids must not depend on the number of requests.
    random: new SeededRandom(seed + 1),
    prefix,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(logger === undefined ? {} : { logger }),
    ...(onAnswer === undefined ? {} : { onAnswer }),
  };
}

/** The world, and a hand to change it from outside of the API. */
class Account {
  readonly world: CloudflareWorld = { zones: new Map() };
  private readonly accounts = new Map<string, string>();

  constructor(
    readonly clock: Clock,
    readonly random: SeededRandom,
  ) {}

  addZone({ name, id, plan = "free", status = "active", account = "sandbox" }: ZoneOptions): ZoneData {
    const accountId = this.accounts.get(account) ?? this.random.hex(32);
    this.accounts.set(account, accountId);
    const zone: ZoneData = {
      id: id ?? this.random.hex(32),
      name: name.toLowerCase(),
      account: { id: accountId, name: account },
      status,
      plan,
      createdAt: this.clock.now(),
      records: new Map(),
    };
    this.world.zones.set(zone.id, zone);
    return zone;
  }

  zone(name: string): ZoneData {
    const zone = [...this.world.zones.values()].find((known) => known.name === name);
    if (zone === undefined) throw new Error(`the simulator has no zone "${name}": add it with addZone`);
    return zone;
  }

  recordsOf(zoneName: string): readonly RecordData[] {
    return [...this.world.zones.values()].flatMap(({ name, records }) =>
      name === zoneName ? [...records.values()] : [],
    );
  }

  addRecord(zoneName: string, record: RecordOptions): RecordData {
    const zone = this.zone(zoneName);
    const draft = draftOf(zone, this.clock.now(), () => this.random.hex(32));
    const added = createRecord(draft, { ...record });
    zone.records = draft.records;
    return added;
  }
}

function apiOf(
  { world, clock, random }: Account,
  tokens: Tokens,
  options: CloudflareSimulatorOptions,
): SimulatorApi<CloudflareWorld> {
  const limit = new RateLimit(clock, options.rateLimit);
  return {
    name: "Cloudflare",
    routes: [...tokenRoutes(tokens), ...zoneRoutes(tokens), ...recordRoutes({ tokens, clock, random })],
    world,
    freeze: (current) => structuredClone(current),
    admit: (request) => {
      tokens.check(request);
      limit.admit();
    },
    caller: (request) => tokens.nameOf(request),
    revokeToken: ({ headers }) => {
      const secret = bearer(headers.authorization);
      if (secret !== undefined) tokens.revoke(secret);
    },
    error: serverError,
    headers: ({ id }) => ({ "cf-ray": `${id.replaceAll("-", "").slice(0, 16)}-SIM`, ...limit.headers() }),
  };
}
