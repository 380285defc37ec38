/** The cached state of all addresses of one account and family. No reads and no calls: see account-inventory.ts. */

import type { ActionFacts, AddressFacts, CreateOutcome, ProviderId } from "../providers/types.js";
import {
  abandoned,
  type Belief,
  completed,
  follow,
  type InFlight,
  type Observation,
  type OwnAction,
  observe,
  started,
} from "./belief.js";
import { PicturedMap } from "./pictured-map.js";
import { hasEnded } from "./types.js";

type Created = Exclude<CreateOutcome, { readonly kind: "unknown" }>;

export class CachedAddresses {
  private readonly beliefs = new PicturedMap<string, Belief>();
  private readonly gone = new Set<string>();

  get(ip: string): Belief | undefined {
    return this.beliefs.get(ip);
  }

  /** Whether a read has shown that the address exists, or that it does not. */
  isKnown(ip: string): boolean {
    return this.beliefs.has(ip) || this.gone.has(ip);
  }

  picture(): { readonly beliefs: ReadonlyMap<string, Belief>; readonly gone: ReadonlySet<string> } {
    return { beliefs: this.beliefs.picture(), gone: new Set(this.gone) };
  }

  /** A read has shown this. */
  take(ip: string, observation: Observation): void {
    const belief = observe(this.beliefs.get(ip), observation);
    if (belief === undefined) this.remove(ip);
    else this.put(ip, belief);
  }

  /** @param expected the holder at the end of its action */
  created({ address, action }: Created, expected: ProviderId | undefined, now: number): void {
    const belief: Belief = { facts: address, at: now, writtenAt: now, actedAt: now };
    this.put(address.ip, action === undefined ? belief : started(belief, { id: action.id, expected }, now));
  }

  /** The address does not exist any more. */
  remove(ip: string): void {
    this.beliefs.delete(ip);
    this.gone.add(ip);
  }

  /** The API has reported the state of an action of the operator. */
  settle({ id, ip, state }: ActionFacts, expected: ProviderId | undefined, now: number): void {
    const belief = this.beliefs.get(ip);
    if (belief === undefined) return;
    if (state === "completed") this.beliefs.set(ip, completed(belief, expected, now));
    else if (state === "errored") this.beliefs.set(ip, abandoned(belief));
    else this.beliefs.set(ip, started(belief, { id, expected }, now));
  }

  /** The operator's action has failed, or its outcome is unknown. */
  abandon(ip: string): void {
    const belief = this.beliefs.get(ip);
    if (belief !== undefined) this.beliefs.set(ip, abandoned(belief));
  }

  /** What is in flight; one that only a status knew of is so from here on, until its deadline. */
  meet(ip: string, { id, expected }: OwnAction, now: number): InFlight | undefined {
    const belief = this.beliefs.get(ip);
    if (belief !== undefined && belief.running === undefined && !hasEnded(belief, { id, expected })) {
      this.beliefs.set(ip, follow(belief, { id, expected }, now));
    }
    const running = this.beliefs.get(ip)?.running;
    return running?.id === id ? running : undefined;
  }

  /** Addresses that a resource names or the operator has changed, and the list lacks. */
  absent(listed: ReadonlyMap<string, AddressFacts>, named: readonly string[]): readonly string[] {
    const own = [...this.beliefs].filter(([, { writtenAt }]) => writtenAt !== undefined).map(([ip]) => ip);
    return [...new Set([...named, ...own])].filter((ip) => !listed.has(ip));
  }

  /** Removes the other addresses that the list lacks. */
  drop(listed: ReadonlyMap<string, AddressFacts>, named: ReadonlySet<string>): void {
    for (const [ip, { writtenAt }] of this.beliefs) {
      if (!listed.has(ip) && !named.has(ip) && writtenAt === undefined) this.beliefs.delete(ip);
    }
    for (const ip of this.gone) if (!named.has(ip)) this.gone.delete(ip);
  }

  private put(ip: string, belief: Belief): void {
    this.beliefs.set(ip, belief);
    this.gone.delete(ip);
  }
}
