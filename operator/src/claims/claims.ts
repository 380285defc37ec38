/**
 * Which resource may use which address and which DNS name. The answer depends only on the specs and statuses of all
 * resources, so it is the same after a restart. A change of one resource recomputes only the claims that it touches.
 */

import type { ResourceRef } from "../inventory/view.js";
import { jsonEqual } from "../kube/objects.js";
import type { Owned } from "../messages/claims.js";
import { isKept, mayBeBeaten, mayBeHandedOver } from "./claim-rank.js";
import type { Claimant, ClaimedAddress, DnsName } from "./claimant.js";
import { Contest, type Entry, isMissing, ownedBy } from "./contest.js";

/**
 * Ours, or whose and why. `askedBy`: who gets next what this resource created. `unread`: unknown, because a resource or an
 * account is unread. `asked`: another resource lists what this one may not need. `left`: what those that have just left the name wrote on it.
 * `marked`: who has it according to a node's annotation, and is out of sight.
 */
export type Claim =
  | {
      readonly ours: true;
      readonly askedBy?: ResourceRef;
      readonly unread?: true;
      readonly asked?: true;
      readonly left?: readonly string[];
      readonly marked?: Owned;
    }
  | { readonly ours: false; readonly owned: Owned };

/** What one resource may use. */
export interface ClaimView {
  /** By canonical address: all that it asks for. */
  readonly addresses: ReadonlyMap<string, Claim>;
  /** The names that it asks for. */
  readonly names: readonly (DnsName & { readonly claim: Claim })[];
}

/** @param uids resources whose view has changed. */
type ClaimsListener = (uids: readonly string[]) => void;

export class Claims {
  private readonly claimants = new Map<string, Claimant>();
  private readonly contests = new Map<string, Contest>();
  private readonly views = new Map<string, ClaimView>();

  /** What waits for resources that have not been read yet: they may have better claims than a request, or ask for an address. */
  private waiting: "requests and releases" | "releases" | "nothing" = "nothing";

  constructor(private readonly onChange: ClaimsListener = () => undefined) {}

  /**
   * Until `allKnown`, what a resource only asks for is undecided. What its status has stays its own. Until `allRead`, who
   * asks for a created address is.
   */
  expectMore(): void {
    this.waiting = "requests and releases";
    this.views.clear();
  }

  allKnown(): void {
    if (!this.complete) this.waitOnlyFor("releases");
  }

  /** The resources of all kinds with addresses have been read. */
  allRead(): void {
    if (this.waiting !== "nothing") this.waitOnlyFor("nothing");
  }

  /** Whether requests are decided: the resources of all kinds have been read, or cannot be. */
  get complete(): boolean {
    return this.waiting !== "requests and releases";
  }

  private waitOnlyFor(what: typeof this.waiting): void {
    this.waiting = what;
    this.views.clear();
    this.onChange([...this.claimants.keys()]);
  }

  /** A resource was added or changed, in spec or status. Paused and deleting ones keep their claims. */
  put(claimant: Claimant): void {
    const { uid } = claimant.ref;
    const known = this.claimants.get(uid);
    const [before, after] = [titlesOf(known), titlesOf(claimant)];
    const alters = known !== undefined && (known.leaving !== claimant.leaving || known.paused !== claimant.paused);
    this.claimants.set(uid, claimant);
    const changed = new Set<string>();
    for (const key of before.keys()) if (!after.has(key)) this.withdraw(key, uid, changed);
    for (const [key, claimed] of after)
      if (alters || !jsonEqual(before.get(key), claimed)) this.enter(key, { claimant, ...claimed }, changed);
    if (before.size !== after.size || [...after.keys()].some((key) => !before.has(key))) changed.add(uid);
    this.notify(changed);
  }

  /** A resource is gone: so are its claims. */
  drop(uid: string): void {
    const changed = new Set<string>();
    for (const key of titlesOf(this.claimants.get(uid)).keys()) this.withdraw(key, uid, changed);
    this.claimants.delete(uid);
    this.views.delete(uid);
    this.notify(changed);
  }

  /** The same object until something in it changes. Of an unknown resource: nothing is its own. */
  view(uid: string): ClaimView {
    const known = this.views.get(uid);
    if (known !== undefined) return known;
    const claimant = this.claimants.get(uid);
    if (claimant === undefined) return NOTHING;
    const view: ClaimView = {
      addresses: new Map(claimant.addresses.map((desired) => [desired.ip, this.claimOn(addressKey(desired), uid)])),
      names: claimant.names
        .filter((desired) => this.isDecided(nameKey(desired), uid))
        .map(({ provider, zone, fqdn, type }) => ({ provider, zone, fqdn, type }))
        .map((name) => ({ ...name, claim: this.claimOn(nameKey(name), uid) })),
    };
    this.views.set(uid, view);
    return view;
  }

  /** Whether no resource that is still unread can have a better title to the addresses that the resource would win. */
  areAddressesDecided(uid: string): boolean {
    const desiredItems = this.claimants.get(uid)?.addresses ?? [];
    return desiredItems.every((desired) => this.isDecided(addressKey(desired), uid));
  }

  /** Whose an address is. Who asks for one that its account lacks has none. */
  holderOf(ip: string): ResourceRef | undefined {
    const winner = this.contests.get(addressKey({ ip }))?.winner;
    return winner === undefined || isMissing(winner) ? undefined : winner.claimant.ref;
  }

  /** A resource that lists the address and may not use it. */
  refusedTo(ip: string): ResourceRef | undefined {
    return [...this.claimants.values()].find(({ refused }) => refused?.includes(ip))?.ref;
  }

  /** Whether a resource has or asks for the name, as far as that is known: some resources may be unread. */
  mayBeClaimed(name: DnsName): boolean {
    return !this.complete || this.contests.has(nameKey(name));
  }

  /** Who created the address or has it; a resource that only asks for it does not count. */
  keeperOf(ip: string): Owned | undefined {
    const winner = this.contests.get(addressKey({ ip }))?.winner;
    if (winner === undefined || !isKept(winner.title)) return undefined;
    return ownedBy(winner);
  }

  private isDecided(key: string, uid: string): boolean {
    const winner = this.contests.get(key)?.winner;
    if (this.complete || winner?.claimant.ref.uid !== uid) return true;
    return !mayBeBeaten(winner.title);
  }

  private claimOn(key: string, uid: string): Claim {
    const contest = this.contests.get(key);
    if (contest === undefined) throw new Error(`claims: ${key} of ${uid} is in no contest; put enters every claim`);
    const { winner } = contest;
    if (winner.claimant.ref.uid === uid) {
      const askedBy = contest.successor()?.claimant.ref;
      if (askedBy !== undefined) return { ours: true, askedBy };
      if (contest.left.length > 0) return { ours: true, left: contest.left };
      if (contest.hasUnknownSuccessor()) return UNREAD;
      if (this.waiting !== "nothing" && mayBeHandedOver(winner.title)) return UNREAD;
      return ownClaim(contest);
    }
    return { ours: false, owned: ownedBy(winner) };
  }

  private enter(key: string, entry: Entry, changed: Set<string>): void {
    const contest = this.contests.get(key);
    if (contest === undefined) this.contests.set(key, new Contest(entry));
    else contest.enter(entry, changed);
  }

  private withdraw(key: string, uid: string, changed: Set<string>): void {
    const contest = this.contests.get(key);
    if (contest?.withdraw(uid, changed) === 0) this.contests.delete(key);
  }

  private notify(changed: ReadonlySet<string>): void {
    for (const uid of changed) this.views.delete(uid);
    if (changed.size > 0) this.onChange([...changed]);
  }
}

/** Of an address that no resource which the operator sees gets next. */
function ownClaim(contest: Contest): Claim {
  const marker = contest.marker();
  if (marker !== undefined) return { ours: true, asked: true, marked: ownedBy(marker) };
  return contest.isSpareAsked() ? ASKED : OURS;
}

const OURS: Claim = Object.freeze({ ours: true });
const ASKED: Claim = Object.freeze({ ours: true, asked: true });
const UNREAD: Claim = Object.freeze({ ours: true, unread: true });
const NOTHING: ClaimView = Object.freeze({ addresses: new Map(), names: [] });

/** The title for each thing that a resource claims. */
function titlesOf(claimant: Claimant | undefined): ReadonlyMap<string, Omit<Entry, "claimant">> {
  const titles = new Map<string, Omit<Entry, "claimant">>();
  for (const { ip, ...entry } of claimant?.addresses ?? []) titles.set(addressKey({ ip }), entry);
  for (const { provider, zone, fqdn, type, values = [], ...entry } of claimant?.names ?? [])
    titles.set(nameKey({ provider, zone, fqdn, type }), { ...entry, values });
  return titles;
}

/** Not by provider: an address exists once in the world. */
function addressKey({ ip }: Pick<ClaimedAddress, "ip">): string {
  return `address ${ip}`;
}

function nameKey({ provider, zone, fqdn, type }: DnsName): string {
  return `${type} ${fqdn} in ${zone} at ${provider}`;
}
