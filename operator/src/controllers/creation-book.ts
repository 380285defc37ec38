/**
 * Creations of addresses that run, or whose end nobody knows yet. In one account they go one after the other: only then
 * can a lost answer be read off the account's list.
 */

import type { IpFamily } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/types.js";
import type { ProviderId } from "../providers/types.js";

export interface OpenCreation {
  readonly resource: ResourceRef;
  readonly provider: string;
  readonly family: IpFamily;
  /** The account, where it is known yet; whatever tells accounts apart by identity. Unknown ones may be anybody's. */
  readonly account: object | undefined;
  /** The node that the address is created on. */
  readonly node?: ProviderId;
}

export class CreationBook {
  private readonly open = new Map<string, OpenCreation>();
  private readonly waiting = new Set<string>();
  /** Resources of some kind have not been read yet: one of them may have a creation whose end is not known. */
  private incomplete = false;

  /** @param onEnd resources that waited for an end. */
  constructor(private readonly onEnd: (uids: readonly string[]) => void = () => undefined) {}

  /** Until `allKnown`, each asker finds another creation. */
  expectMore(): void {
    this.incomplete = true;
  }

  allKnown(): void {
    if (!this.incomplete) return;
    this.incomplete = false;
    this.release();
  }

  /** Replaces the resource's former one. */
  set(creation: OpenCreation): void {
    this.open.set(creation.resource.uid, creation);
  }

  /** The creation has ended, or the resource is gone. */
  end(uid: string): void {
    if (this.open.delete(uid)) this.release();
  }

  private release(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    if (waiting.length > 0) this.onEnd(waiting);
  }

  /** Those of others in the same account and family. Where there are any, the asker is told when one ends. */
  others(asker: Pick<OpenCreation, "resource" | "provider" | "family" | "account">): readonly OpenCreation[] {
    const others = [...this.open.values()].filter((other) => concerns(other, asker));
    const all = this.incomplete ? [...others, { ...asker, resource: UNREAD }] : others;
    if (all.length > 0) this.waiting.add(asker.resource.uid);
    return all;
  }
}

/** Stands for resources that have not been read yet. */
const UNREAD: ResourceRef = { kind: "an unread resource", namespace: "*", name: "*", uid: "" };

function concerns(
  other: OpenCreation,
  asker: Pick<OpenCreation, "resource" | "provider" | "family" | "account">,
): boolean {
  if (other.resource.uid === asker.resource.uid || other.family !== asker.family) return false;
  if (other.provider !== asker.provider) return false;
  return other.account === undefined || asker.account === undefined || other.account === asker.account;
}
