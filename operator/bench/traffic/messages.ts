/** What the bench and its processes in the simulated network send each other. */

/** To the router. */
export type RouterCommand =
  | { readonly kind: "route"; readonly address: string; readonly link: number | undefined }
  /** @param share of the packets to and from the link that the router drops */
  | { readonly kind: "loss"; readonly link: number; readonly share: number };

export type Protocol = "tcp" | "udp";

/** One request of the client. */
export interface Sample {
  readonly protocol: Protocol;
  /** ms of `hostClock`. */
  readonly sentAt: number;
  /** The node that answered in time; absent: none. */
  readonly node?: string;
}

/** To the client: it answers with all requests that have ended since. */
export interface SamplesWanted {
  readonly kind: "samples";
}

/** ms of a clock that all processes of a machine share. */
export function hostClock(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
