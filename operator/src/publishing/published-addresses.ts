/** Which addresses of a set its objects show, and what the condition says of it. Pure. */

import type { Publication } from "cdk8s-flipop/api";
import { isOnCordoned } from "../addresses/dns-records.js";
import { isOurs, isServed, type Placement } from "../addresses/placements.js";
import type { ObjectMeta } from "../kube/objects.js";
import { addressMessages } from "../messages/addresses.js";
import { isSame, type Problem } from "../messages/message.js";
import { publishingMessages } from "../messages/publishing.js";
import { no, type PlannedCondition, unknown, yes } from "../reconcile/conditions.js";
import { compareText } from "../values.js";
import type { Publications, PublicationView, PublishedAddresses } from "./publications.js";

export interface PublishingSnapshot {
  /** The objects of `publishTo`; `off`: the operator runs without feature publish. Absent: the spec names none. */
  readonly publications?: readonly PublicationView[] | "off";
}

export function publishingOf(
  publications: Publications | undefined,
  uid: string,
  publishTo: readonly Publication[] = [],
): PublishingSnapshot {
  if (publishTo.length === 0) return {};
  return { publications: publications?.view(uid) ?? "off" };
}

/** Of a resource that stays. */
export function publishToOf({ metadata, spec }: Publisher): readonly Publication[] {
  return metadata.deletionTimestamp === undefined ? (spec.publishTo ?? []) : [];
}

interface Publisher {
  readonly metadata: Pick<ObjectMeta, "deletionTimestamp">;
  readonly spec: { readonly publishTo?: readonly Publication[] };
}

/** A cordoned node still serves. @param moving addresses that are about to leave their node */
export function publishedAddresses(placements: readonly Placement[], moving: ReadonlySet<string>): PublishedAddresses {
  const ours = placements.filter((placement) => placement.address.wanted && isOurs(placement));
  const active = ours.filter((placement) => isServed(placement) || isOnCordoned(placement));
  const kept = ours.filter((each) => !active.includes(each) && (moving.has(each.address.ip) || isUncertain(each)));
  return { active: ipsOf(active), kept: ipsOf(kept) };
}

function isUncertain({ certainty }: Placement): boolean {
  return certainty === "moving" || certainty === "doubted" || certainty === "unread";
}

function ipsOf(placements: readonly Placement[]): readonly string[] {
  return placements.map(({ address }) => address.ip).sort(compareText);
}

/** What an object shows now, and the most that it can show. */
export interface ShownNow {
  readonly shown: readonly string[];
  readonly most: number;
}

/** What an object should show. If there is no room for all addresses, those that it shows stay. */
export function shownAddresses({ active, kept }: PublishedAddresses, { shown, most }: ShownNow): readonly string[] {
  const all = [...new Set([...active, ...kept.filter((ip) => shown.includes(ip))])].sort(compareText);
  if (all.length <= most) return all;
  const isShown = (ip: string) => shown.includes(ip);
  const others = all.filter((ip) => !isShown(ip));
  return [...all.filter(isShown), ...others].slice(0, most).sort(compareText);
}

/** Empty: the spec names no object. @param addresses `undefined`: not known, or the resource is paused */
export function publishedConditions(
  { publications }: PublishingSnapshot,
  addresses: PublishedAddresses | undefined,
  isPaused: boolean,
): readonly PlannedCondition[] {
  if (publications === undefined) return [];
  if (publications === "off") return [no("Published", publishingMessages.disabled())];
  return [conditionOf(publications, addresses, isPaused)];
}

function conditionOf(
  views: readonly PublicationView[],
  addresses: PublishedAddresses | undefined,
  isPaused: boolean,
): PlannedCondition {
  const targets = views.map(({ target }) => target);
  const problem = oneOf(views.flatMap((view) => problemOf(view) ?? []));
  if (problem !== undefined) return no("Published", problem);
  if (isPaused) return no("Published", addressMessages.paused());
  if (addresses === undefined || views.some(({ shown }) => shown === undefined)) return unknown("Published");
  if (addresses.active.length === 0) return unknown("Published", publishingMessages.noneActive({ targets }));
  const late = views.find(({ shown = [], most }) => shownAddresses(addresses, { shown, most }).join() !== shown.join());
  if (late !== undefined) return unknown("Published", publishingMessages.underWay({ target: late.target }));
  const full = views.filter(({ most }) => addresses.active.length > most);
  const cut = oneOf(full.map((view) => tooMany(view, addresses.active)));
  return yes("Published", cut ?? publishingMessages.shown({ targets, ips: addresses.active }));
}

function problemOf({ target, problem, owner }: PublicationView): Problem | undefined {
  return problem ?? (owner && publishingMessages.claimed({ target, owner }));
}

/** Each problem once: that a kind is not installed, for example, concerns all objects of the kind. */
function oneOf(problems: readonly Problem[]): Problem | undefined {
  const causes = problems.filter((one, at) => problems.findIndex((other) => isSame(other, one)) === at);
  return causes.length > 1 ? publishingMessages.several({ causes }) : causes[0];
}

function tooMany({ target, shown = [] }: PublicationView, active: readonly string[]): Problem {
  return publishingMessages.tooMany({ target, hidden: active.filter((ip) => !shown.includes(ip)) });
}
