/** Resources that can take over a created address, by uid: one that lists the address gets it from the one that gives it up. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { Claims } from "./claims.js";

/** @typeParam T how a resource takes over. */
export class Heirs<T> {
  private readonly takers = new Map<string, T>();

  constructor(private readonly claims: Pick<Claims, "view">) {}

  set(uid: string, takeOver: T): void {
    this.takers.set(uid, takeOver);
  }

  drop(uid: string): void {
    this.takers.delete(uid);
  }

  /** `undefined`: by now, another resource gets the address of the giver, or none. */
  takerOf(giver: string, ip: string, heir: string): T | undefined {
    const claim = this.claims.view(giver).addresses.get(canonicalIp(ip));
    return claim?.ours === true && claim.askedBy?.uid === heir ? this.takers.get(heir) : undefined;
  }
}
