/** How the simulated API behaves; everything may be changed while it runs. */

/** How long things take, ms of the simulator's clock. */
export interface Durations {
  assign: number;
  unassign: number;
  /** A new droplet's create event. */
  create: number;
  /** Any other event of a droplet. */
  event: number;
  /** Until a firewall's changes are applied. */
  firewall: number;
  /** Until a new BYOIP prefix is active. */
  prefix: number;
}

/** Calls for each token in sliding windows. Defaults are DigitalOcean's. */
export interface RateLimits {
  perHour: number;
  perMinute: number;
  /** Creations of reserved IPv4 addresses. */
  createsPerMinute: number;
}

/** Behaviour that could not be confirmed or that differs between accounts: clients must do with either. */
export interface Switches {
  /** Assigning an address that is held elsewhere is refused until it is unassigned. @default false: it moves */
  moveNeedsUnassign: boolean;
  /** Deleting an IPv4 address that is held is refused. IPv6 always is. @default false */
  releaseNeedsUnassign: boolean;
  /** Actions on BYOIP addresses can be read. @default false: 404 for ever */
  byoipActionsVisible: boolean;
  /** Held BYOIP addresses are also in the list of reserved addresses. @default false */
  byoipInReservedList: boolean;
  /** A record that exists already in every field is refused with 422. @default false: there are two then */
  duplicateRecordRefused: boolean;
  /**
   * Which spelling of "all ports" the firewall takes: clients have met refusals of either, at different times.
   * `1-65535` is always taken. @default either
   */
  allPortsSpelling: "all" | "0" | "either";
  /** Seconds; a lower TTL is refused. @default 30 */
  minimumRecordTtl: number;
}

export interface Settings {
  readonly durations: Durations;
  readonly limits: RateLimits;
  readonly switches: Switches;
}

/** Settings to start with; what is absent has its default. */
export interface SettingsOptions {
  readonly durations?: Partial<Durations>;
  readonly limits?: Partial<RateLimits>;
  readonly switches?: Partial<Switches>;
}

const DURATIONS: Durations = {
  assign: 4_000,
  unassign: 3_000,
  create: 30_000,
  event: 8_000,
  firewall: 5_000,
  prefix: 60_000,
};

const LIMITS: RateLimits = { perHour: 5_000, perMinute: 250, createsPerMinute: 12 };

const SWITCHES: Switches = {
  moveNeedsUnassign: false,
  releaseNeedsUnassign: false,
  byoipActionsVisible: false,
  byoipInReservedList: false,
  duplicateRecordRefused: false,
  allPortsSpelling: "either",
  minimumRecordTtl: 30,
};

export function createSettings({ durations, limits, switches }: SettingsOptions = {}): Settings {
  return {
    durations: { ...DURATIONS, ...durations },
    limits: { ...LIMITS, ...limits },
    switches: { ...SWITCHES, ...switches },
  };
}
