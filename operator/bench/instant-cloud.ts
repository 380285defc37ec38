/** A cloud that takes no time and refuses nothing: what is left is the operator's own. */

const UNLIMITED = 1_000_000;

export const AT_ONCE = { assign: 0, unassign: 0, create: 0, event: 0, firewall: 0, prefix: 0 } as const;
export const NO_LIMITS = { perMinute: UNLIMITED, perHour: UNLIMITED, createsPerMinute: UNLIMITED } as const;
