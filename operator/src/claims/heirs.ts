/** Resources that can take over a created address, by uid: one that lists the address gets it from the one that gives it up. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { Claims } from "./claims.js";

/** @typeParam T how a resource takes over. */
export class Heirs<T> {
  private readonly takers = new Map<string, T>();
  /** Canonical addresses that a resource forgets at this moment. */
  private readonly forgotten = new Set<string>();

  constructor(private readonly claims: Pick<Claims, "view">) {}

  set(uid: string, takeOver: T): void {
    this.takers.set(uid, takeOver);
  }

  drop(uid: string): void {
    this.takers.delete(uid);
  }

  /** Two that both have the address never forget it at once. @returns `undefined`: another resource forgets it now. */
  forgetAlone<R>(ip: string, forget: () => Promise<R>): Promise<R> | undefined {
    const key = canonicalIp(ip);
    if (this.forgotten.has(key)) return undefined;
    this.forgotten.add(key);
    return forget().finally(() => this.forgotten.delete(key));
  }

  /** `undefined`: by now, another resource gets the address of the giver, or none. */
  takerOf(giver: string, ip: string, heir: string): T | undefined {
    const claim = this.claims.view(giver).addresses.get(canonicalIp(ip));
    return claim?.ours === true && claim.askedBy?.uid === heir ? this.takers.get(heir) : undefined;
  }
}
