/** What the client's requests say of a fault. Pure. */

import type { Protocol, Sample } from "./messages.js";

/** The longest time without a request that was answered. ms of `hostClock`. */
export interface Gap {
  /** When the client sent the last request before it that was answered. */
  readonly from: number;
  /** When it sent the first one after it. Infinity: there is none. */
  readonly until: number;
}

/** @param since gaps that end before it do not count */
export function longestGap(samples: readonly Sample[], protocol: Protocol, since: number): Gap {
  const sent = samples.filter((sample) => sample.protocol === protocol);
  const last = Math.max(since, ...sent.map(({ sentAt }) => sentAt));
  const answered = sent.filter(({ node }) => node !== undefined).map(({ sentAt }) => sentAt);
  // Without an answer before the fault, the gap begins with the fault.
  const first = answered.some((at) => at <= since) ? [] : [since];
  const times = [...first, ...answered].sort((a, b) => a - b);
  const gaps = times.map((from, index): Gap => ({ from, until: times[index + 1] ?? Number.POSITIVE_INFINITY }));
  const lengthOf = ({ from, until }: Gap) => Math.min(until, last) - from;
  return gaps
    .filter(({ until }) => until > since)
    .reduce((longest, gap) => (lengthOf(gap) > lengthOf(longest) ? gap : longest), { from: since, until: since });
}

/** Of the requests since, from 0 to 1. */
export function answeredShare(samples: readonly Sample[], protocol: Protocol, since: number): number {
  const sent = samples.filter((sample) => sample.protocol === protocol && sample.sentAt >= since);
  return sent.filter(({ node }) => node !== undefined).length / sent.length;
}

/** When what happened, ms of `hostClock`. */
export interface Moments {
  readonly fault: number;
  /** The operator had what it decides by. */
  readonly detected: number;
  readonly assignCall: number;
  /** The cloud's route led to the new node. */
  readonly routed: number;
}

/** Parts of the gap, ms. They add up to it, less what the client lost or won at its ends. */
export interface Split {
  readonly detection: number;
  readonly decision: number;
  readonly action: number;
}

export function splitOf({ fault, detected, assignCall, routed }: Moments): Split {
  return { detection: detected - fault, decision: assignCall - detected, action: routed - assignCall };
}
