/** What handlers work on: the data, the clock, the numbers still to be given out. */

import type { Clock } from "flipop-operator/clock";
import type { SeededRandom } from "../http/random.js";
import type { SlidingWindow } from "../http/sliding-window.js";
import type { Data } from "./data.js";
import type { Scheduler } from "./scheduler.js";
import type { Settings } from "./settings.js";

export interface World {
  readonly data: Data;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly numbers: Numbers;
  /** Creations of reserved IPv4 addresses in the last minute. */
  readonly creations: SlidingWindow;
  /** Actions that are to end errored: the first that matches is used up. */
  readonly failures: ActionFailure[];
}

/** @see Account.failActions */
export interface ActionFailure {
  readonly type?: string;
  readonly ip?: string;
  readonly dropletId?: number;
  times: number;
}

/** Identifiers and addresses, each given out once. */
export class Numbers {
  private dropletId: number;
  private actionId: number;
  private recordId: number;
  private readonly used = new Set<string>();

  constructor(private readonly random: SeededRandom) {
    this.dropletId = random.integer(300_000_000, 400_000_000);
    this.actionId = random.integer(1_000_000_000, 1_900_000_000);
    this.recordId = random.integer(28_000_000, 900_000_000);
  }

  nextDropletId(): number {
    this.dropletId += this.random.integer(1, 40);
    return this.dropletId;
  }

  nextActionId(): number {
    this.actionId += this.random.integer(1, 40);
    return this.actionId;
  }

  nextRecordId(): number {
    return ++this.recordId;
  }

  uuid(): string {
    return this.random.uuid();
  }

  /** A droplet's own public address. All ranges are those set aside for tests (RFC 2544) and documentation. */
  dropletIp(): string {
    return this.once(() => `198.18.${this.octet()}.${this.octet()}`);
  }

  privateIp(): string {
    return this.once(() => `10.${this.octet()}.${this.octet()}.${this.octet()}`);
  }

  dropletIpv6(): string {
    return this.once(() => `2001:db8:1::${this.group()}:${this.group()}`);
  }

  reservedIp(): string {
    return this.once(() => `198.19.${this.octet()}.${this.octet()}`);
  }

  reservedIpv6(): string {
    return this.once(() => `2001:db8:2::${this.group()}:${this.group()}`);
  }

  private octet(): number {
    return this.random.integer(1, 254);
  }

  private group(): string {
    return this.random.integer(0x1000, 0xffff).toString(16);
  }

  private once(make: () => string): string {
    for (;;) {
      const value = make();
      if (this.used.has(value)) continue;
      this.used.add(value);
      return value;
    }
  }
}
