/** Who wins one address or DNS name among all that claim it. */

import { jsonEqual } from "../kube/objects.js";
import type { Owned } from "../messages/claims.js";
import { BASIS_OF, isKept, isLeft, isSpareTitle, mayBeHandedOver, rankOf, type Title } from "./claim-rank.js";
import { type Claimant, type InAccount, olderFirst } from "./claimant.js";

export interface Entry extends InAccount {
  readonly claimant: Claimant;
  readonly title: Title;
  /** See `ClaimedName`. */
  readonly values?: readonly string[];
  /** See `ClaimedAddress`. */
  readonly unlisted?: true;
  /** See `ClaimedAddress`. */
  readonly node?: string;
}

/** All who claim one thing: usually one. */
export class Contest {
  /** What the operator wrote on the name for those that left it to the winner, until the winner has written it. */
  left: readonly string[] = [];
  private readonly entries = new Map<string, Entry>();

  constructor(public winner: Entry) {
    this.entries.set(winner.claimant.ref.uid, winner);
  }

  enter(entry: Entry, changed: Set<string>): void {
    this.entries.set(entry.claimant.ref.uid, entry);
    this.decide(changed);
    this.tellWinner(entry.claimant.ref.uid, changed);
  }

  /** @returns how many remain. */
  withdraw(uid: string, changed: Set<string>): number {
    this.entries.delete(uid);
    this.decide(changed);
    if (this.entries.size > 0) this.tellWinner(uid, changed);
    return this.entries.size;
  }

  /** Of what the winner created, the best of the others that list it, stay, and whose account has it. */
  successor(): Entry | undefined {
    if (this.winner.title !== "created") return undefined;
    return bestOf(this.listing().filter((entry) => isOfAccount(entry, this.winner)));
  }

  /** Who would get it if their account turns out to have it. */
  hasUnknownSuccessor(): boolean {
    return mayBeHandedOver(this.winner.title) && this.listing().some(isOfUnknownAccount);
  }

  /** Of what the winner created, who else has it, as a node's annotation says: a resource that this operator does not see. */
  marker(): Entry | undefined {
    return this.winner.title === "created" ? this.rivals().find(({ title }) => title === "marked") : undefined;
  }

  /** Another resource lists what the winner only lists, too, and may not need now. */
  isSpareAsked(): boolean {
    return isSpareTitle(this.winner.title) && this.staying().length > 0;
  }

  /** One that has the address and does not list it gives it up: both would forget it. One out of sight can take over nothing. */
  private listing(): readonly Entry[] {
    return this.staying().filter(({ title, unlisted }) => !isLeft(title) && title !== "marked" && unlisted !== true);
  }

  private staying(): readonly Entry[] {
    return this.rivals().filter((entry) => entry !== this.winner && !entry.claimant.leaving);
  }

  /** An address, or a zone, is in one account: a resource that asks for it with another one does not keep it from others. */
  private rivals(): readonly Entry[] {
    const entries = [...this.entries.values()];
    const holders = entries.filter(({ isThere }) => isThere);
    return entries.filter((each) => !isMissing(each) || holders.every(({ account }) => account === each.account));
  }

  /** Its successor may be another one now. */
  private tellWinner(uid: string, changed: Set<string>): void {
    const { claimant, title } = this.winner;
    if ((mayBeHandedOver(title) || isSpareTitle(title)) && claimant.ref.uid !== uid) changed.add(claimant.ref.uid);
  }

  private decide(changed: Set<string>): void {
    const previous = this.winner;
    const best = this.best();
    if (best === undefined) return;
    this.winner = best;
    if (!jsonEqual(ownedBy(best), ownedBy(previous))) for (const uid of this.entries.keys()) changed.add(uid);
    this.handOver(changed);
  }

  /**
   * Records that are to be deleted stay with their resource until then, unless the next one can take them over at once. One
   * that goes and never had it takes nothing: a created address would have no resource that releases it.
   */
  private best(): Entry | undefined {
    const entries = this.rivals();
    const asking = bestOf(entries.filter(({ title }) => !isLeft(title)));
    const leaving = bestOf(entries.filter(({ title }) => isLeft(title)));
    if (leaving === undefined || asking === undefined) return asking ?? leaving;
    const isEarly = leaving.title === "clears" || asking.claimant.leaving === true || isOfUnknownAccount(asking);
    const stays = asking.title === "asks" && isEarly;
    return stays ? leaving : asking;
  }

  private handOver(changed: Set<string>): void {
    const { left, winner } = this;
    const former = [...this.entries.values()].flatMap(({ title, values = [] }) => (isLeft(title) ? values : []));
    this.left = winner.title === "takes" ? [...new Set([...left, ...former])].sort() : [];
    if (`${this.left}` !== `${left}`) changed.add(winner.claimant.ref.uid);
  }
}

export function ownedBy({ claimant: { ref, paused = false }, title, node }: Entry): Owned {
  return { owner: ref, basis: BASIS_OF[title], ...(paused && { paused }), ...(node !== undefined && { node }) };
}

/** Its account has been read, and lacks the address or the zone. What the operator gave it stays its own. */
export function isMissing({ title, isThere }: Entry): boolean {
  return isThere === false && !isKept(title);
}

function isOfUnknownAccount({ account, isThere }: Entry): boolean {
  return account !== undefined && isThere === undefined;
}

function isOfAccount(entry: Entry, { account }: Entry): boolean {
  return entry.account === undefined || entry.isThere === true || (account !== "" && entry.account === account);
}

function bestOf(entries: readonly Entry[]): Entry | undefined {
  return entries.reduce<Entry | undefined>((best, each) => (best && better(best, each) ? best : each), undefined);
}

function better(a: Entry, b: Entry): boolean {
  const rank = rankOf(a.title) - rankOf(b.title);
  return rank === 0 ? olderFirst(a.claimant, b.claimant) < 0 : rank < 0;
}
