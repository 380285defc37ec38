/** What one account's addresses of one family look like: read once for all, believed with care. */

import { canonicalIp } from "cdk8s-flipop/api";
import { MOVE_MAX_AGE_SECONDS, READ_PAUSE_MS, SECOND_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { type CallContext, sharedRead } from "../providers/call.js";
import { isSuperseded } from "../providers/decision.js";
import { isProviderError } from "../providers/errors.js";
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
import { type CallPriority, Urgency } from "../providers/urgency.js";
import { deadlineOf, type InFlight, type Observation, type OwnAction, resolution } from "./belief.js";
import { CachedAddresses } from "./cached-addresses.js";
import { Coalesced } from "./coalesced.js";
import { InventoryReader } from "./inventory-reader.js";
import { ReadGate } from "./read-gate.js";
import { type Reservation, Reservations } from "./reservations.js";
import type { Confirmation, InventoryView, ResourceRef } from "./types.js";
import { createView } from "./view.js";

type Purpose = Pick<Observation, "forMove" | "holderGone">;

export type { Reservation } from "./reservations.js";

export interface EnsureOptions {
  /** A whole list older than this is read again. */
  readonly maxAgeSeconds: number;
  /** A call has failed since: a young list does not tell whether the account answers. The caller keeps the pause. */
  readonly afterFailure?: boolean;
  /** @default check */
  readonly priority?: CallPriority;
  /** The caller gives up; the read goes on for others. */
  readonly signal?: AbortSignal;
}

export class AccountInventory {
  private readonly addresses = new CachedAddresses();
  private readonly reservations: Reservations;
  private readonly reads: ReadGate<AddressFacts | undefined>;
  private readonly named = new Map<string, readonly string[]>();
  private readonly reader: InventoryReader;
  private readonly lists: Coalesced;
  private listedAt: number | undefined;
  /** Lists asked for earlier may lack an address whose creation nobody answered. */
  private trustedFrom = Number.NEGATIVE_INFINITY;
  /** A name that no read has shown yet: a young list does not answer for it. */
  private moreNames = false;
  private priority: CallPriority = "check";
  private relisting: Urgency | undefined;

  constructor(
    provider: AddressProvider,
    readonly family: IpFamily,
    private readonly clock: Clock,
    /** Tells accounts apart, whatever the family and the token. @default the inventory itself */
    readonly account: unknown = Symbol(family),
  ) {
    this.reader = new InventoryReader(provider, family);
    this.lists = new Coalesced(clock, () => this.relist());
    this.reads = new ReadGate(clock);
    this.reservations = new Reservations(clock);
  }

  /** Another token of the same account: used for reads when the others are refused. */
  join(provider: AddressProvider): void {
    this.reader.join(provider);
  }

  /** The token's owner is gone: it is used for no further read. Returns whether another token is left. */
  leave(provider: AddressProvider): boolean {
    return this.reader.leave(provider);
  }

  /** The addresses that a resource names in its spec or status: those that the list lacks are read alone. */
  want(resource: ResourceRef, ips: readonly string[]): void {
    const names = ips.map(canonicalIp);
    this.moreNames ||= names.some((ip) => !this.addresses.isKnown(ip));
    if (ips.length === 0) this.named.delete(resource.uid);
    else this.named.set(resource.uid, names);
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
      ...this.addresses.picture(),
      reservations: this.reservations.picture(),
      nextReadAt: (ip) => this.reads.nextAt(ip),
    });
  }

  /** Reads the whole list unless it is young enough. Rejects with ProviderError; the last view stays. */
  async ensure({ maxAgeSeconds, afterFailure = false, priority = "check", signal }: EnsureOptions): Promise<void> {
    const maxAgeMs = Math.max(maxAgeSeconds * SECOND_MS, this.moreNames || afterFailure ? 0 : READ_PAUSE_MS);
    const oldest = Math.max(this.clock.monotonic() - maxAgeMs, this.trustedFrom);
    if (this.listedAt !== undefined && this.listedAt >= oldest) return;
    if (priority === "assignment") this.priority = priority;
    this.relisting?.raise(priority);
    await this.lists.run(oldest, signal);
  }

  /** Reads one address alone: before a move on old data, after a contradiction. */
  async read(context: CallContext, ip: string): Promise<AddressFacts | undefined> {
    await this.fetch(context, ip);
    return this.addresses.get(ip)?.facts;
  }

  /**
   * Makes sure that a move is not based on old data; no call where the data is young. Leaves the address with young
   * data, changed, or unconfirmed, so that the next plan never asks for the same read again.
   * @param holderGone no node of the cluster is the holder that the plan saw.
   */
  async confirm(context: CallContext, ip: string, holderGone = false): Promise<Confirmation> {
    const before = this.addresses.get(ip);
    const age = before === undefined ? Number.POSITIVE_INFINITY : this.clock.monotonic() - before.at;
    if (age > MOVE_MAX_AGE_SECONDS * SECOND_MS) await this.fetch(context, ip, { forMove: true, holderGone });
    const after = this.addresses.get(ip);
    if (after?.doubt !== undefined) return "unconfirmed";
    return after !== undefined && after.facts.holder === before?.facts.holder ? "holds" : "changed";
  }

  /** `undefined`: another resource has a move to this node under way. */
  reserve(node: ProviderId, resource: ResourceRef): Reservation | undefined {
    return this.reservations.reserve(node, resource);
  }

  /** As the provider's; the view shows it at once. After a contradiction the address is read again. */
  async assign(provider: AddressProvider, context: CallContext, wish: AssignAddress): Promise<ActionFacts> {
    return this.change(context, wish.ip, wish.node, () => provider.assign(context, wish));
  }

  async unassign(provider: AddressProvider, context: CallContext, wish: UnassignAddress): Promise<ActionFacts> {
    return this.change(context, wish.ip, undefined, () => provider.unassign(context, wish));
  }

  /** As the provider's. A lost answer makes the list old: it must be read before anything else is created. */
  async create(provider: AddressProvider, context: CallContext, wish: CreateAddress): Promise<CreateOutcome> {
    const outcome = await provider.create(context, wish).catch(lostAnswer);
    if (outcome.kind === "unknown") {
      this.listedAt = undefined;
      this.trustedFrom = this.clock.monotonic();
      return outcome;
    }
    this.addresses.created(outcome, "node" in wish ? wish.node : undefined, this.clock.monotonic());
    return outcome;
  }

  async release(provider: AddressProvider, context: CallContext, ip: string): Promise<void> {
    await this.rereadOnFailure(context, ip, () => provider.release(context, ip));
    this.reads.changed(ip);
    this.addresses.remove(ip);
  }

  /** One look at a running action. At its deadline, or where its id is unknown, the address itself tells its end. */
  async poll(
    provider: AddressProvider,
    context: CallContext,
    action: OwnAction & { readonly ip: string },
  ): Promise<ActionFacts> {
    const { ip, id } = action;
    // Where this process began it, it knows best what the end will be.
    const met = this.addresses.meet(ip, action, this.clock.monotonic());
    if (met !== undefined && (met.id === "" || this.clock.monotonic() >= deadlineOf(met))) {
      return this.resolve(context, ip, met);
    }
    const { expected } = met ?? action;
    const facts = await provider.action(context, { ip, id }, expected);
    this.addresses.settle(facts, expected, this.clock.monotonic());
    if (facts.state === "errored") await this.read(context, ip).catch(() => undefined);
    return facts;
  }

  private async resolve(context: CallContext, ip: string, action: InFlight): Promise<ActionFacts> {
    await this.fetch(context, ip);
    return resolution(this.addresses.get(ip), { ...action, ip }, this.clock.monotonic());
  }

  private async change(
    context: CallContext,
    ip: string,
    expected: ProviderId | undefined,
    send: () => Promise<ActionFacts>,
  ): Promise<ActionFacts> {
    const facts = await this.rereadOnFailure(context, ip, send);
    this.reads.changed(ip);
    this.addresses.settle(facts, expected, this.clock.monotonic());
    return facts;
  }

  /** A refusal, or an outcome that nobody knows, says that the world is not as believed. */
  private async rereadOnFailure<T>(context: CallContext, ip: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (isSuperseded(error)) throw error;
      const telling = isProviderError(error, "Conflict") || isProviderError(error, "NotFound");
      if (telling || (isProviderError(error) && error.outcome === "unknown")) {
        this.addresses.abandon(ip);
        this.reads.changed(ip);
        await this.read(context, ip).catch(() => undefined);
      }
      throw error;
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
    for (const facts of listed.values()) this.addresses.take(facts.ip, { facts, askedAt });
    const absent = this.addresses.absent(listed, named);
    for (const ip of absent.filter((each) => this.reader.covers(each))) await this.fetch(context, ip);
    this.addresses.drop(listed, new Set(named));
    if (askedAt >= this.trustedFrom) this.listedAt = askedAt;
  }

  private async fetch(context: CallContext, ip: string, purpose: Purpose = {}): Promise<void> {
    const { askedAt, value } = this.reads.read(ip, () => this.reader.get(context, ip));
    this.addresses.take(ip, { facts: await value, askedAt, ...purpose });
  }
}

/** By the contract a lost answer is an outcome, not an error. Where a provider rejects, it is the same. */
function lostAnswer(error: unknown): CreateOutcome {
  if (isProviderError(error) && error.outcome === "unknown") return { kind: "unknown", error };
  throw error;
}
