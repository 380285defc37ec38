/**
 * Which resources publish their addresses in the status of which objects: each controller puts its own resources, and the
 * controller of the objects writes. Never decides which addresses are active.
 */

import { MAX_GATEWAY_ADDRESSES, type Publication, type PublicationKind } from "cdk8s-flipop/api";
import { olderFirst } from "../claims/claimant.js";
import type { ResourceRef } from "../inventory/view.js";
import { jsonEqual } from "../kube/objects.js";
import type { Problem } from "../messages/message.js";
import { omitUndefined } from "../values.js";

/** What a decision says of the addresses of a resource. */
export interface PublishedAddresses {
  /** On a node that serves them. */
  readonly active: readonly string[];
  /** On their way, or not read yet: they stay where they are shown. */
  readonly kept: readonly string[];
}

export interface PublishingResource {
  readonly ref: ResourceRef;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  /** Absent: no decision is known, and objects stay as they are. */
  readonly addresses?: PublishedAddresses;
}

/** An object as the API server shows it. */
export interface TargetFacts {
  /** Why the operator does not write it; absent: nothing stands in the way. */
  readonly problem?: Problem;
  /** Addresses in its status, sorted. */
  readonly shown: readonly string[];
}

/** The objects of one kind. */
export interface Targets {
  /** @param key `namespace/name`. `undefined`: the objects have not been read yet. */
  look(key: string): TargetFacts | undefined;
  /** Asks for a run of one. */
  enqueue(key: string): void;
  enqueueAll(): void;
}

/** What a resource may know of one of its objects. */
export interface PublicationView extends Partial<TargetFacts> {
  /** `Service web/shop` */
  readonly target: string;
  /** How many addresses it can show. */
  readonly most: number;
  /** The older resource that publishes there. */
  readonly owner?: ResourceRef;
}

/** How many addresses an object of a kind can show. */
export function mostAddresses(kind: PublicationKind): number {
  return kind === "Gateway" ? MAX_GATEWAY_ADDRESSES : Number.POSITIVE_INFINITY;
}

interface Claim extends PublishingResource {
  readonly targets: readonly Target[];
}

interface Target {
  readonly kind: PublicationKind;
  /** `namespace/name` */
  readonly key: string;
}

export class Publications {
  private readonly claims = new Map<string, Claim>();
  /** Uids, by target. */
  private readonly claimants = new Map<string, Set<string>>();
  private readonly problems = new Map<string, Problem>();
  private readonly kinds = new Map<PublicationKind, Targets>();
  private known = true;

  /** @param notify of resources whose view has changed. */
  constructor(private readonly notify: (uids: readonly string[]) => void) {}

  serve(kind: PublicationKind, targets: Targets): void {
    this.kinds.set(kind, targets);
  }

  /** Resources that have not been read yet may publish, too. */
  expectMore(): void {
    this.known = false;
  }

  allKnown(): void {
    this.known = true;
    for (const targets of this.kinds.values()) targets.enqueueAll();
  }

  get areKnown(): boolean {
    return this.known;
  }

  /** @param publishTo of the spec; a resource that goes publishes nothing. */
  claim(ref: ResourceRef, createdAt: string, publishTo: readonly Publication[]): void {
    const before = this.claims.get(ref.uid);
    const targets = publishTo.map(({ kind, name }) => ({ kind, key: `${ref.namespace}/${name}` }));
    if (jsonEqual(before?.targets ?? [], targets)) return;
    if (before !== undefined) this.remove(before);
    if (targets.length > 0) {
      this.claims.set(ref.uid, { ref, createdAt, targets, ...omitUndefined({ addresses: before?.addresses }) });
      for (const target of targets) this.claimantsOf(target).add(ref.uid);
    }
    this.changed([...(before?.targets ?? []), ...targets]);
  }

  /** @param addresses `undefined`: objects stay as they are. */
  decide(uid: string, addresses: PublishedAddresses | undefined): void {
    const claim = this.claims.get(uid);
    if (claim === undefined || jsonEqual(claim.addresses, addresses)) return;
    const { addresses: _before, ...others } = claim;
    this.claims.set(uid, { ...others, ...omitUndefined({ addresses }) });
    for (const target of claim.targets) this.kinds.get(target.kind)?.enqueue(target.key);
  }

  drop(uid: string): void {
    const claim = this.claims.get(uid);
    if (claim === undefined) return;
    this.remove(claim);
    this.changed(claim.targets);
  }

  /** The oldest first: it publishes, and the others wait. */
  resourcesOf(kind: PublicationKind, key: string): readonly PublishingResource[] {
    const uids = this.claimants.get(textOf({ kind, key })) ?? [];
    return [...uids].flatMap((uid) => this.claims.get(uid) ?? []).sort(olderFirst);
  }

  /** What keeps the operator from writing an object that it may write; `undefined`: nothing. */
  report(kind: PublicationKind, key: string, problem: Problem | undefined): void {
    const target = textOf({ kind, key });
    if (jsonEqual(this.problems.get(target), problem)) return;
    if (problem === undefined) this.problems.delete(target);
    else this.problems.set(target, problem);
    this.seen(kind, key);
  }

  /** The API server shows another version of an object. */
  seen(kind: PublicationKind, key: string): void {
    const uids = this.claimants.get(textOf({ kind, key }));
    if (uids !== undefined) this.notify([...uids]);
  }

  /** What the API server shows of a whole kind has changed: it is served now, for example. */
  allSeen(kind: PublicationKind): void {
    const ofKind = [...this.claims.values()].filter(({ targets }) => targets.some((target) => target.kind === kind));
    if (ofKind.length > 0) this.notify(ofKind.map(({ ref }) => ref.uid));
  }

  view(uid: string): readonly PublicationView[] {
    return (this.claims.get(uid)?.targets ?? []).map((target) => this.viewOf(target, uid));
  }

  private viewOf(target: Target, uid: string): PublicationView {
    const facts = this.kinds.get(target.kind)?.look(target.key);
    const [first] = this.resourcesOf(target.kind, target.key);
    const problem = facts?.problem ?? this.problems.get(textOf(target));
    const owner = first?.ref.uid === uid ? undefined : first?.ref;
    const most = mostAddresses(target.kind);
    return { target: textOf(target), most, ...omitUndefined({ shown: facts?.shown, problem, owner }) };
  }

  private claimantsOf(target: Target): Set<string> {
    const known = this.claimants.get(textOf(target)) ?? new Set();
    this.claimants.set(textOf(target), known);
    return known;
  }

  private remove({ ref: { uid }, targets }: Claim): void {
    this.claims.delete(uid);
    for (const target of targets) {
      const others = this.claimantsOf(target);
      others.delete(uid);
      if (others.size > 0) continue;
      this.claimants.delete(textOf(target));
      this.problems.delete(textOf(target));
    }
  }

  private changed(targets: readonly Target[]): void {
    for (const { kind, key } of targets) {
      this.kinds.get(kind)?.enqueue(key);
      this.seen(kind, key);
    }
  }
}

function textOf({ kind, key }: Target): string {
  return `${kind} ${key}`;
}
