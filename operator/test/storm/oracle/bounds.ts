/** Every bound that the oracle measures by, with where it comes from. */

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;

/** Leader election of a storm's replicas, seconds: short, so that a takeover fits into a round. */
export const LEASE = { duration: 6, renewDeadline: 5, retryPeriod: 0.3 } as const;

export const BOUNDS = {
  /** A call is never based on a decision older than this (architecture, invariant 10). */
  decisionMs: 2_000,
  /** From a change in the API server to the operator's cache, on a machine that other work wants, too. */
  observationMs: 1_500,
  /** How long after errors or a restart of the API server the operator may still act on what it saw before: its watches back off up to this. */
  recoveryMs: 12_000,
  /** The same after a connection was cut: the watches resume within 2 s, and on a busy machine a little later. */
  reconnectMs: 4_000,
  /** Between a request on the wire and its entry in the journal. */
  wireMs: 250,
  /** `status.ips.*.graceSince` has whole seconds. */
  graceRoundingMs: 1_000,
  /** A cool-off is measured between arrivals: the network may bring two calls this much closer together. */
  coolOffJitterMs: 30,
  /** Reads of one fact, by one replica, within a second and without a change: a pause of 1 s is documented. */
  readsPerSecond: 3,
  /** New IPv4 addresses that the cloud allows in a minute, beside its limits for all calls. */
  createsPerMinute: 12,
  /** The same change, by one replica, that the cloud refuses within a second. */
  refusalsPerSecond: 3,
  /** Writes of one resource within 10 s, by anybody: 65 were seen amid faults, and 490 where the status said another time in each run. */
  objectWrites: { most: 200, withinMs: 10_000 },
  /** From the start of a process until it handles signals. */
  loadMs: 3_000,
  /** `--shutdown-timeout` and what the process may need beyond it. */
  shutdownMs: 25_000,
  /** After the faults end: a creation whose answer was lost is over after 70 s, and then its address has to be assigned. */
  convergenceMs: 90_000,
  /** A change made before this long ago has reached every decision. */
  settledMs: 15_000,
  /** From a node's failure to the call that moves its address, without faults. */
  failoverMs: 5_000,
  /** The same for a node that dies silently, with a standby: 2.8 s are documented, and a busy machine needs more. Less than a silent Lease takes. */
  silentDeathMs: 9_000,
  /** How long an answer of the standby replica counts. */
  answerMs: 5_000,
  /** A kubelet's Lease that is not renewed for this long is silent, at the usual 40 s. */
  leaseSilentMs: 15_000,
  /** Until a new leader has found a standby that has just started: it reads the standby's Lease every 5 s, and the standby begins to probe. */
  standbyMs: 20_000,
  /** Candidates, and nodes refused only for failed probes, are probed at every fifth interval. */
  idleIntervals: 5,
  /** A node that failed twice within 10 min must stay well for 30 s, doubled for each further failure, up to 5 min. */
  dampingMs: { window: 600_000, first: 30_000, most: 300_000 },
  /** Failed holders from which on the operator may stop moves, if they failed within this time. */
  massFailure: { least: 3 },
  /** How long nothing may be written once all is well. */
  restMs: 8_000,
} as const;
