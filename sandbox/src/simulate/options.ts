/** What a simulation takes and returns. This file imports nothing, so that users need no other types. */

/** A cdk8s App or Chart, of any version of cdk8s. */
export interface AppLike {
  readonly node: { findAll(): readonly object[] };
}

/** A time, such as cdk8s' `Duration.seconds(3)`. */
export interface Time {
  toSeconds(options?: { readonly integral?: boolean }): number;
}

/** Nodes with the same labels, named `NAME-1`, `NAME-2`, ... */
export interface SimulatedNodes {
  readonly name: string;
  readonly count: number;
  /** @default - none, beside `doks.digitalocean.com/node-pool`, which is the name */
  readonly labels?: Readonly<Record<string, string>>;
  /** @default "nyc3" */
  readonly region?: string;
}

export interface SimulateOptions {
  /**
   * Node whose kubelet stops: a name, such as `node-1`, or the one that holds the address of a pool or RoutedIP:
   * `holder of NAMESPACE/NAME`.
   *
   * @default - no node fails; the simulation ends when all is as the app wants it
   */
  readonly fail?: string;

  /**
   * Time in which each address of the failed node must be on another one, from the failure on. A grace period counts. It
   * needs `fail`.
   *
   * @default - any time
   */
  readonly movesWithin?: Time;

  /**
   * Time that the simulated cloud takes to move an address.
   *
   * @default - 2 seconds
   */
  readonly cloudTakes?: Time;

  /**
   * The nodes of the cluster.
   *
   * @default - `node-1`, `node-2`, ...: one more than addresses, at least 3, with labels that all selectors match
   */
  readonly nodes?: readonly SimulatedNodes[];
}

/** An address that left the failed node. */
export interface Move {
  readonly ip: string;
  readonly from: string;
  readonly to: string;
  /** From the failure until the cloud had moved the address. */
  readonly seconds: number;
}

/** What a simulation saw. */
export interface Simulation {
  readonly moves: readonly Move[];
  /** Nodes by the address that they hold at the end. */
  readonly holders: ReadonlyMap<string, string | undefined>;
  /** The rules that held, in words. */
  readonly rules: readonly string[];
  /** What happened, in lines with the simulated time. */
  readonly log: string;
}
