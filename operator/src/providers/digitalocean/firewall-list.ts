/** What is read of firewalls: one list of all of them for all who ask within a while, and their rules in our form. */

import { FIREWALL_LIST_FAILED_MS } from "../../timings.js";
import type { CallPriority } from "../call.js";
import { isProviderError, isWithdrawn, unlessAborted } from "../errors.js";
import type { FirewallRuleFacts } from "../firewall-types.js";
import type { Answer } from "../http.js";

/** What will do for who asks. */
interface FirewallListRequest {
  /** 0: a list of its own. */
  readonly maxAgeSeconds: number;
  readonly priority: CallPriority;
  readonly signal?: AbortSignal;
}

export interface Listed<T> {
  readonly items: readonly T[];
  /** How long before the question the list was asked for; 0 where it was asked for later. */
  readonly ageSeconds: number;
  /** Somebody else has asked for it. */
  readonly kept: boolean;
}

interface Kept<T> {
  /** Monotonic ms. */
  readonly startedAt: number;
  readonly items: readonly T[];
}

interface Reading<T> {
  readonly startedAt: number;
  readonly priority: CallPriority;
  readonly done: Promise<readonly T[]>;
}

interface FailedReading {
  /** Monotonic ms. */
  readonly at: number;
  readonly priority: CallPriority;
  readonly error: unknown;
}

const WHERE = "digitalocean: list firewalls";

export class FirewallList<T> {
  private kept: Kept<T> | undefined;
  private reading: Reading<T> | undefined;
  private failed: FailedReading | undefined;

  constructor(
    private readonly monotonic: () => number,
    private readonly read: (priority: CallPriority) => Promise<readonly T[]>,
  ) {}

  /**
   * Rejects as the reading does. One that fails fails for who has begun it, and for who asks right after it: these have
   * waited for their turn meanwhile, and would send call after call without a pause.
   */
  async get({ maxAgeSeconds, priority, signal }: FirewallListRequest): Promise<Listed<T>> {
    const askedAt = this.monotonic();
    const serves = ({ startedAt }: { readonly startedAt: number }) =>
      maxAgeSeconds > 0 && askedAt - startedAt <= maxAgeSeconds * 1000;
    const listed = (startedAt: number, items: readonly T[], kept: boolean): Listed<T> => {
      return { items, kept, ageSeconds: Math.max(0, askedAt - startedAt) / 1000 };
    };
    for (let tries = 0; ; tries++) {
      const { kept, reading } = this;
      if (kept !== undefined && serves(kept)) return listed(kept.startedAt, kept.items, true);
      if (reading === undefined || isMoreUrgent(priority, reading) || !serves(reading)) {
        // Of those that waited for one that has failed, one asks again, for all.
        if (tries !== 1) this.passOnFailure(priority);
        const own = this.start(priority);
        return listed(own.startedAt, await unlessAborted(signal, WHERE, own.done), false);
      }
      const shared = reading.done.catch(() => undefined);
      const items = await unlessAborted(signal, WHERE, shared);
      if (items !== undefined) return listed(reading.startedAt, items, true);
    }
  }

  /** A firewall is written: what was read, or is being read, may not show it. */
  forget(): void {
    this.kept = undefined;
    this.reading = undefined;
    this.failed = undefined;
  }

  private start(priority: CallPriority): Reading<T> {
    const startedAt = this.monotonic();
    const reading: Reading<T> = { startedAt, priority, done: this.read(priority) };
    this.reading = reading;
    reading.done.then(
      (items) => {
        if (this.ends(reading)) this.kept = { startedAt, items };
      },
      (error: unknown) => {
        if (this.ends(reading)) this.failed = { at: this.monotonic(), priority, error };
      },
    );
    return reading;
  }

  private passOnFailure(asker: CallPriority): void {
    const { failed } = this;
    if (failed !== undefined && isForAll(failed, asker, this.monotonic())) throw failed.error;
  }

  /** @returns whether nothing was written, and no more urgent reading has begun, since it began. */
  private ends(reading: Reading<T>): boolean {
    if (this.reading !== reading) return false;
    this.reading = undefined;
    this.failed = undefined;
    return true;
  }
}

/** A reading of lower priority may wait for its turn longer than a new one. */
function isMoreUrgent(asker: CallPriority, { priority }: { readonly priority: CallPriority }): boolean {
  return asker === "assignment" && priority !== "assignment";
}

/** A call that was not sent has failed for reasons of its class: its limits, or its circuit breaker. */
function isForAll({ at, priority, error }: FailedReading, asker: CallPriority, now: number): boolean {
  if (now - at >= FIREWALL_LIST_FAILED_MS || !isProviderError(error) || isWithdrawn(error)) return false;
  const isOfApi = error.kind === "Unavailable" && error.outcome !== "not-sent";
  return isOfApi || priority === asker;
}

const PROTOCOLS = ["tcp", "udp", "icmp"] as const;
/** How the API writes "all ports" in answers, and the ports of icmp. */
const ALL_PORTS_ANSWERED = "0";
/** Spelled out: the API has refused either of its short forms at times. */
const ALL_PORTS = "1-65535";
const ANYWHERE = ["0.0.0.0/0", "::/0"];

/** One of `inbound_rules`. */
export function readRule(rule: Answer): FirewallRuleFacts {
  const protocol = rule.at("protocol").oneOf(PROTOCOLS);
  const sources = rule.at("sources");
  const addresses = sources.at("addresses");
  const others = ["droplet_ids", "load_balancer_uids", "kubernetes_ids", "tags"].some((key) => {
    const list = sources.at(key);
    return !list.empty && list.items().length > 0;
  });
  return {
    protocol,
    ports: protocol === "icmp" ? "" : portsOf(rule.at("ports").string()),
    sources: addresses.empty
      ? []
      : addresses
          .items()
          .map((address) => address.string())
          .sort(),
    otherSources: others,
  };
}

/** For `inbound_rules`. */
export function writeRule({ protocol, ports, sources }: FirewallRuleFacts): object {
  return { protocol, ports: writePorts(protocol, ports), sources: { addresses: [...sources] } };
}

/** `outbound_rules` that let everything out: a droplet under its first firewall loses what is not listed. */
export const EVERYTHING_OUT: readonly object[] = PROTOCOLS.map((protocol) => ({
  protocol,
  ports: writePorts(protocol, "all"),
  destinations: { addresses: ANYWHERE },
}));

function portsOf(answered: string): string {
  return answered === ALL_PORTS_ANSWERED || answered === ALL_PORTS || answered === "all" ? "all" : answered;
}

function writePorts(protocol: FirewallRuleFacts["protocol"], ports: string): string {
  if (protocol === "icmp") return ALL_PORTS_ANSWERED;
  return ports === "all" ? ALL_PORTS : ports;
}
