/** Which node a move goes to, from its decision to its end: no other resource chooses the node meanwhile. */

import { RESERVATION_SECONDS, SECOND_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { ProviderId } from "../providers/types.js";
import { PicturedMap } from "./pictured-map.js";
import type { ResourceRef } from "./types.js";
import type { Reserved } from "./view.js";

/** Taken in the same turn as the decision; released when the move has ended, however it ended. */
export interface Reservation {
  readonly node: ProviderId;
  release(): void;
}

/** A reservation that no run releases ends by itself. */
export class Reservations {
  private readonly reserved = new PicturedMap<ProviderId, Reserved>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** `undefined`: the node is taken. */
  reserve(node: ProviderId, resource: ResourceRef): Reservation | undefined {
    const now = this.clock.monotonic();
    const last = this.reserved.get(node);
    if (last !== undefined && now < last.until) return undefined;
    const mine: Reserved = { resource, until: now + RESERVATION_SECONDS * SECOND_MS };
    this.reserved.set(node, mine);
    const release = () => {
      if (this.reserved.get(node) === mine) this.reserved.delete(node);
    };
    return { node, release };
  }

  /** The resource is gone. */
  forget({ uid }: ResourceRef): void {
    for (const [node, { resource }] of this.reserved) if (resource.uid === uid) this.reserved.delete(node);
  }

  picture(): ReadonlyMap<ProviderId, Reserved> {
    return this.reserved.picture();
  }
}
