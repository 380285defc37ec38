/** One pool in this process: what it watches, what it remembers, what it has under way. */

import type { AddressStatus, FloatingIPPoolSpec } from "cdk8s-flipop/api";
import type { CreationFailure } from "../../addresses/address-set.js";
import type { PollState } from "../../addresses/calls/poll.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { ListObservations } from "../../addresses/creation/list-observations.js";
import { CREATION } from "../../addresses/lock-key.js";
import type { Reservation } from "../../inventory/account-inventory.js";
import type { ResourceRef } from "../../inventory/types.js";
import { keyOf } from "../../kube/objects.js";
import { MatchFollower } from "../../match/match-follower.js";
import { OwnSeries, StateSeries } from "../../metrics/series.js";
import type { ProviderId } from "../../providers/types.js";
import { LatestVersion } from "../../reconcile/objects/latest-version.js";
import { ObjectWriter } from "../../reconcile/objects/object-writer.js";
import { resourcePath } from "../../reconcile/objects/own-resources.js";
import type { RetryState } from "../../reconcile/retries/retry-schedule.js";
import type { ControllerContext } from "../context.js";
import { type PoolObject, type PoolRead, readPool, withResult } from "./read-pool.js";
import type { PendingWarning } from "./warnings.js";

export const POOL_KIND = "FloatingIPPool";
export const POOL_PLURAL = "floatingippools";

export interface PoolStateProps {
  readonly context: ControllerContext;
  /** As the cache has it. */
  readonly cached: () => PoolObject | undefined;
  /** Asks for a run. */
  readonly onChange: () => void;
  /** Each new version, as soon as it is known. */
  readonly onWrite: (pool: PoolObject) => void;
  /** What this process knows of the pool's creation has changed. */
  readonly onResult: () => void;
}

/** Where our last completed assignment put an address. */
export interface LastPlacement {
  readonly machine: ProviderId;
  readonly at: number;
}

export class PoolState {
  readonly ref: ResourceRef;
  readonly createdAt: string;
  readonly key: string;
  readonly match: MatchFollower;
  readonly writer: ObjectWriter<PoolObject>;
  readonly series = new OwnSeries();
  readonly states = new StateSeries();
  /** Subjects of chains that run. */
  readonly inFlight = new Set<string>();
  /** Changes of status entries that no status has told yet, by address. */
  readonly pendingStatus = new Map<string, AddressStatus>();
  /** Status entries of addresses as they were before their last move was begun. */
  readonly beforeMoves = new Map<string, AddressStatus>();
  /** Those of `inFlight` that assign, where the pool has a cool-off. */
  readonly assigning = new Set<string>();
  /** The last plan moved an address, or one was on its way. */
  moving = false;
  /** When this process planned for the pool first, ms since the epoch. */
  firstPlannedAt: number | undefined;
  /** Failures of actions that no Event has told yet. */
  readonly pendingWarnings: PendingWarning[] = [];
  /** Failures in a row, by subject. */
  readonly retries = new Map<string, RetryState>();
  /** Those of them that failed for the account's sake. */
  readonly accountFailures = new Set<string>();
  /** As the account counted when it was looked at last. */
  recovered = 0;
  readonly nodeRetries = new Map<ProviderId, RetryState>();
  readonly polls = new Map<string, PollState>();
  /** Nodes that moves of ours go to, by address. */
  readonly reservations = new Map<string, Reservation>();
  readonly lastPlacements = new Map<string, LastPlacement>();
  readonly reverts = new Map<string, readonly number[]>();
  /** Annotations that the node cache does not show yet: what was sent, and when (monotonic ms). */
  readonly sentAnnotations = new Map<string, { readonly text: string; readonly at: number }>();
  readonly listObservations = new ListObservations();
  lastAssignmentAt: number | undefined;
  creationFailure: CreationFailure | undefined;
  creationResult: CreationResult | undefined;
  cleanup: { readonly attempts: number; readonly since?: number } = { attempts: 0 };
  /** The server drops fields of ours. */
  crdTooOld = false;
  /** The API server refuses our patches of nodes. */
  nodesForbidden = false;
  /** Monotonic ms: when a whole status was last sent to a server that drops fields. */
  probedAt = Number.NEGATIVE_INFINITY;
  /** What an older CRD would not keep, where it does not. */
  droppedStatus: object = {};
  /** ms since the epoch: when candidates were last written alone. */
  candidatesWrittenAt = Number.NEGATIVE_INFINITY;
  private readonly latestVersion = new LatestVersion<PoolObject>();
  private readonly life = new AbortController();
  private readCache:
    | { readonly object: PoolObject; readonly result: CreationResult | undefined; readonly read: PoolRead }
    | undefined;
  /** Where addresses are created. */
  private place: string | undefined;

  constructor(
    private readonly props: PoolStateProps,
    { metadata }: PoolObject,
  ) {
    const { context, cached, onChange, onWrite } = props;
    const { namespace = "", name, uid, creationTimestamp = "" } = metadata;
    this.ref = { kind: POOL_KIND, namespace, name, uid };
    this.createdAt = creationTimestamp;
    this.key = keyOf({ namespace, name });
    this.match = new MatchFollower({ context, resource: `${POOL_KIND} ${this.key}`, onChange });
    const path = resourcePath(POOL_PLURAL, metadata);
    const { latestVersion } = this;
    this.writer = new ObjectWriter({
      client: context.client,
      path,
      latestVersion,
      cached: () => this.own(cached()),
      onWrite,
    });
  }

  /** The newest version that is known; `undefined`: it is gone, or another object bears its name. */
  object(): PoolObject | undefined {
    return this.latestVersion.of(this.own(this.props.cached()));
  }

  /** With what this process knows of a creation, and no status shows yet. */
  read(): PoolRead | undefined {
    const object = this.object();
    if (object === undefined) return undefined;
    const { readCache, creationResult: result } = this;
    if (readCache?.object === object && readCache.result === result) return readCache.read;
    const read = withResult(readPool(object), result);
    this.readCache = { object, result, read };
    return read;
  }

  get onResult(): () => void {
    return this.props.onResult;
  }

  /** Aborts when the pool is gone. */
  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** Follows `spec.match`. A match that can't be used leaves the former one in force, and is said. */
  follow({ pool, problem }: PoolRead): void {
    if (problem !== undefined) return;
    this.followPlace(pool.spec);
    const { match, provider } = pool.spec;
    this.match.follow(match, this.props.context.accounts.schemeOf(provider));
  }

  /** What failed for the account's sake is tried at once when the account answers again. */
  followAccount(recovered: number): void {
    if (recovered === this.recovered) return;
    this.recovered = recovered;
    for (const lockKey of this.accountFailures) this.retries.delete(lockKey);
    if (this.accountFailures.has(CREATION)) this.creationFailure = undefined;
    this.accountFailures.clear();
  }

  /** What was refused in one place may be created in another, at once. */
  private followPlace({ provider, region, ipFamily }: FloatingIPPoolSpec): void {
    const place = JSON.stringify([provider, region, ipFamily]);
    if (place === this.place) return;
    this.place = place;
    this.creationFailure = undefined;
    this.retries.delete(CREATION);
  }

  async close(): Promise<void> {
    this.life.abort(new Error(`${this.ref.kind} ${this.key} is gone`));
    this.series.clear();
    this.states.clear();
    await this.match.close();
  }

  private own(object: PoolObject | undefined): PoolObject | undefined {
    return object?.metadata.uid === this.ref.uid ? object : undefined;
  }
}
