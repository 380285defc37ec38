/** The cached state of one account's addresses of one family: read once for all resources. `cached-address.ts` decides which reads count. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import { type CallContext, type CallPriority, sharedRead, Urgency } from "../providers/call.js";
import { isProviderError, isSuperseded } from "../providers/errors.js";
import type {
  ActionFacts,
  AddressFacts,
  AddressProvider,
  AssignAddress,
  CreateAddress,
  CreateOutcome,
  IpFamily,
  ProviderId,
  UnassignAddress,
} from "../providers/types.js";
import { MOVE_MAX_AGE_SECONDS, READ_PAUSE_MS, SECOND_MS } from "../timings.js";
import { abandoned, type CachedState, created, type Observation, type OwnAction, observe } from "./cached-address.js";
import { OwnActions } from "./follow-actions.js";
import { GoneAddresses } from "./gone-addresses.js";
import {
  Coalesced,
  createAddress,
  type EnsureOptions,
  eachButOne,
  foundLater,
  InventoryReader,
  lateReads,
  ReadGate,
} from "./shared-reads.js";
import {
  type Confirmation,
  createView,
  type InventoryView,
  PicturedMap,
  type Reservation,
  Reservations,
  type ResourceRef,
  type RoomListener,
} from "./view.js";

type Purpose = Pick<Observation, "forMove" | "holderGone">;

export interface AccountInventoryOptions {
  /** See `Provider.accountKey`: identifies the account, whatever the family and the token. @default the inventory itself does */
  readonly accountKey?: string;
  readonly room?: RoomListener | undefined;
}

export class AccountInventory {
  readonly account: unknown;
  readonly accountKey: string | undefined;
  private readonly cachedStates = new PicturedMap<string, CachedState>(({ facts: { holder } }, after) => {
    if (holder !== undefined && holder !== after?.facts.holder) this.options.room?.noteRoom(this.family);
  });
  private readonly gone: GoneAddresses;
  private readonly reservations: Reservations;
  private readonly reads: ReadGate<AddressFacts | undefined>;
  private readonly named = new Map<string, readonly string[]>();
  private readonly reader: InventoryReader;
  private readonly lists: Coalesced;
  private readonly actions: OwnActions;
  private readonly late: (ip: string) => (error: unknown) => never;
  private listedAt: number | undefined;
  /** Lists requested earlier may lack an address whose creation was not answered. */
  private trustedFrom = Number.NEGATIVE_INFINITY;
  /** A name that no read has shown yet: a young list does not answer for it. */
  private moreNames = false;
  private priority: CallPriority = "check";
  private relisting: Urgency | undefined;

  constructor(
    provider: AddressProvider,
    readonly family: IpFamily,
    private readonly clock: Clock,
    private readonly options: AccountInventoryOptions = {},
  ) {
    this.accountKey = options.accountKey;
    this.account = this.accountKey === undefined ? Symbol(family) : `${provider.name} ${this.accountKey}`;
    this.reader = new InventoryReader(provider, family);
    this.lists = new Coalesced(clock, () => this.relist());
    this.reads = new ReadGate(clock);
    this.late = lateReads(this.cachedStates, clock);
    this.gone = new GoneAddresses(clock);
    this.reservations = new Reservations(clock);
    const fetch = (context: CallContext, ip: string) => this.fetch(context, ip);
    const take = (ip: string, observation: Observation) => this.take(ip, observation);
    this.actions = new OwnActions({ clock, cachedStates: this.cachedStates, fetch, take });
  }

  /** Another token of the same account: used for reads when the others are refused. */
  join(provider: AddressProvider): void {
    this.reader.join(provider);
  }

  /** The token's owner is gone: it is used for no further read. Returns whether another token is left. */
  leave(provider: AddressProvider): boolean {
    return this.reader.leave(provider);
  }

  /** What a resource names in spec or status: what the list lacks is read alone. @param created when our calls made some, ms since the epoch */
  want(resource: ResourceRef, ips: readonly string[], created: ReadonlyMap<string, number> = new Map()): void {
    for (const [ip, at] of created) this.gone.expect(canonicalIp(ip), at);
    const names = ips.map(canonicalIp);
    this.moreNames ||= names.some((ip) => !this.cachedStates.has(ip) && !this.gone.has(ip));
    this.named.set(resource.uid, names);
  }

  /** The resource is gone. */
  forget(resource: ResourceRef): void {
    this.named.delete(resource.uid);
    this.reservations.forget(resource);
  }

  /** As of the view. */
  get complete(): boolean {
    return this.listedAt !== undefined;
  }

  view(): InventoryView {
    return createView({
      now: this.clock.monotonic(),
      listedAt: this.listedAt,
      cachedStates: this.cachedStates.picture(),
      gone: this.gone.picture(),
      reservations: this.reservations.picture(),
      nextReadAt: (ip) => this.reads.nextAt(ip),
    });
  }

  /** Reads the whole list unless it is young enough. Rejects with ProviderError; the last view stays. */
  async ensure(options: EnsureOptions): Promise<void> {
    const { maxAgeSeconds, since = Number.NEGATIVE_INFINITY, priority = "check", signal } = options;
    const maxAgeMs = Math.max(maxAgeSeconds * SECOND_MS, this.moreNames ? 0 : READ_PAUSE_MS);
    const oldest = Math.max(this.clock.monotonic() - maxAgeMs, this.trustedFrom);
    if (this.listedAt !== undefined && this.listedAt >= oldest && this.listedAt > since) return;
    if (priority === "assignment") this.priority = priority;
    this.relisting?.raise(priority);
    await this.lists.run(Math.max(oldest, since), signal);
  }

  /** Reads one address alone: before a move on old data, after a contradiction. */
  async read(context: CallContext, ip: string): Promise<AddressFacts | undefined> {
    await this.fetch(context, ip);
    return this.cachedStates.get(ip)?.facts;
  }

  /**
   * Makes sure that a move is not based on old data; no call where the data is young. Leaves the address with young
   * data, changed, or unconfirmed, so that the next plan never asks for the same read again.
   * @param holderGone no node of the cluster is the holder that the plan saw.
   */
  async confirm(context: CallContext, ip: string, holderGone = false): Promise<Confirmation> {
    const before = this.cachedStates.get(ip);
    const age = before === undefined ? Number.POSITIVE_INFINITY : this.clock.monotonic() - before.at;
    if (age > MOVE_MAX_AGE_SECONDS * SECOND_MS) await this.fetch(context, ip, { forMove: true, holderGone });
    const after = this.cachedStates.get(ip);
    if (after?.contradiction !== undefined) return "unconfirmed";
    return after !== undefined && after.facts.holder === before?.facts.holder ? "holds" : "changed";
  }

  /** `undefined`: another resource has a move to this node under way. */
  reserve(node: ProviderId, resource: ResourceRef): Reservation | undefined {
    const reservation = this.reservations.reserve(node, resource);
    return reservation && { node, release: () => this.endReservation(reservation) };
  }

  /** Where the move came to its node, no room is left. */
  private endReservation({ node, release }: Reservation): void {
    release();
    if (this.view().heldCount(node) === 0) this.options.room?.noteRoom(this.family);
  }

  /** As the provider's; the view shows it at once. After a contradiction the address is read again. */
  async assign(provider: AddressProvider, context: CallContext, request: AssignAddress): Promise<ActionFacts> {
    return this.change(context, request.ip, request.node, () => provider.assign(context, request));
  }

  async unassign(provider: AddressProvider, context: CallContext, request: UnassignAddress): Promise<ActionFacts> {
    const { ip } = request;
    return this.change(context, ip, undefined, () => provider.unassign(context, request).catch(this.late(ip)));
  }

  /** As the provider's. A lost answer makes the list old: it must be read before anything else is created. */
  async create(provider: AddressProvider, context: CallContext, request: CreateAddress): Promise<CreateOutcome> {
    const outcome = await createAddress(provider, context, request, this.cachedStates);
    if (outcome.kind === "unknown") {
      this.listedAt = undefined;
      this.trustedFrom = this.clock.monotonic();
      return outcome;
    }
    const now = this.clock.monotonic();
    const { ip } = outcome.address;
    this.gone.found(ip);
    const expected = "node" in request ? request.node : undefined;
    const action = outcome.action && { id: outcome.action.id, expected };
    this.cachedStates.set(ip, created(outcome.address, action, now));
    return outcome;
  }

  /** Resolves also where the answer was lost and the read after it does not find the address. */
  async release(provider: AddressProvider, context: CallContext, ip: string): Promise<void> {
    const send = () => provider.release(context, ip).catch((error: unknown) => this.gone.releaseFailed(ip, error));
    await this.rereadOnFailure(context, ip, () => send().catch(this.late(ip))).catch((error: unknown) => {
      if (!this.gone.isReleased(ip)) throw error;
    });
    this.reads.changed(ip);
    this.cachedStates.delete(ip);
    this.gone.released(ip);
  }

  /** One look at a running action. At its deadline, or where its id is unknown, the address itself shows how it ended. */
  poll(
    provider: AddressProvider,
    context: CallContext,
    action: OwnAction & { readonly ip: string },
  ): Promise<ActionFacts> {
    return this.actions.poll(provider, context, action);
  }

  private async change(
    context: CallContext,
    ip: string,
    expected: ProviderId | undefined,
    send: () => Promise<ActionFacts>,
  ): Promise<ActionFacts> {
    const calledAt = this.clock.monotonic();
    const noteCall = () => this.cachedStates.update(ip, (state) => ({ ...state, calledAt }));
    const facts = await this.rereadOnFailure(context, ip, send).finally(noteCall);
    this.reads.changed(ip);
    this.actions.settle(facts, expected);
    return facts;
  }

  /** After a refusal or an unknown outcome the cached state may be wrong. */
  private async rereadOnFailure<T>(context: CallContext, ip: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (isSuperseded(error)) throw error;
      // Somebody else has assigned an address to the node: only a list says which one.
      if (isProviderError(error) && error.reason === "NodeOccupied") this.trustedFrom = this.clock.monotonic();
      const contradicted = isProviderError(error, "Conflict") || isProviderError(error, "NotFound");
      const lostAt = isProviderError(error) && error.outcome === "unknown" ? this.clock.monotonic() : undefined;
      if (contradicted || lostAt !== undefined) {
        this.cachedStates.update(ip, (state) => abandoned(state, lostAt));
        this.reads.changed(ip);
        await this.read(context, ip).catch(() => undefined);
      }
      throw foundLater(error, this.cachedStates.get(ip), this.clock.monotonic());
    }
  }

  private async relist(): Promise<void> {
    const askedAt = this.clock.monotonic();
    this.moreNames = false;
    const urgency = new Urgency(this.priority);
    const context = sharedRead("the list is old, or something contradicted it", urgency);
    this.priority = "check";
    this.relisting = urgency;
    const named = [...new Set([...this.named.values()].flat())];
    const listed = new Map((await this.reader.list(context, named)).map((facts) => [facts.ip, facts]));
    for (const facts of listed.values()) this.take(facts.ip, { facts, askedAt });
    await eachButOne(this.reader.absent(listed, named, this.cachedStates), (ip) => this.fetch(context, ip));
    this.drop(listed, new Set(named));
    if (askedAt >= this.trustedFrom) this.listedAt = askedAt;
  }

  /** The other addresses are dropped silently: no resource uses them. */
  private drop(listed: ReadonlyMap<string, AddressFacts>, named: ReadonlySet<string>): void {
    for (const [ip, { writtenAt }] of this.cachedStates) {
      if (!listed.has(ip) && !named.has(ip) && writtenAt === undefined) this.cachedStates.delete(ip);
    }
    this.gone.keepOnly(named);
  }

  private async fetch(context: CallContext, ip: string, purpose: Purpose = {}): Promise<void> {
    const urgency = context.urgency ?? new Urgency(context.priority);
    const { askedAt, value } = this.reads.read(ip, () => this.reader.get({ ...context, urgency }, ip), urgency);
    this.take(ip, { facts: await value, askedAt, ...purpose });
  }

  private take(ip: string, observation: Observation): void {
    const isSure = this.cachedStates.has(ip);
    const cachedState = this.gone.isGone(ip, observation) ? undefined : observe(this.cachedStates.get(ip), observation);
    if (cachedState === undefined) {
      this.cachedStates.delete(ip);
      this.gone.missing(ip, { ...observation, isSure });
    } else {
      this.cachedStates.set(ip, cachedState);
      this.gone.found(ip);
    }
  }
}
