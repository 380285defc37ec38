/**
 * The result of a creation until the status contains it, and the intent of a creation without a result. The answer of the
 * provider counts from the moment it arrives, although the status is written later.
 */

import {
  type AddressStatus,
  Annotation,
  canonicalIp,
  familyOf,
  isIp,
  MAX_UNASSIGNED_SEEN,
  type PendingCreation,
} from "cdk8s-flipop/api";
import { timeOf } from "../../clock.js";
import type { ObjectMeta } from "../../kube/objects.js";
import { isFields } from "../../reconcile/read-spec.js";

/** Without an address: nothing was created. */
export interface CreationResult {
  /** Of the intent: it distinguishes the creations of one resource. */
  readonly startedAt: string;
  readonly created?: CreatedFacts;
}

export interface CreatedFacts {
  readonly ip: string;
  readonly createdTime: string;
  /** What the status says of the address. */
  readonly status: AddressStatus;
  /** No answer says so: it was concluded from the lists. */
  readonly inferred?: true;
}

/** What remembers a result. */
export interface ResultHolder {
  creationResult: CreationResult | undefined;
  /** Others count on the result from here on. */
  readonly onCreationResult: () => void;
}

/** In force at once, and for as long as it takes to write it. Rejects as the write does. */
export async function recordResult(
  holder: ResultHolder,
  result: CreationResult,
  write: () => Promise<unknown>,
): Promise<void> {
  holder.creationResult = result;
  holder.onCreationResult();
  await write();
  if (holder.creationResult === result) holder.creationResult = undefined;
}

/** The text of the annotation that keeps an intent beside the status. */
export function intentText(intent: PendingCreation): string {
  return JSON.stringify(intent);
}

/** `undefined`: there is no copy, or it is unreadable. */
function copiedIntent({ annotations }: Pick<ObjectMeta, "annotations">): PendingCreation | undefined {
  const text = annotations?.[Annotation.pendingCreation];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? readIntent(value) : undefined;
  } catch {
    return undefined;
  }
}

export interface Recorded {
  readonly pendingCreation?: PendingCreation | undefined;
  /** When the addresses that the status has were created. */
  readonly createdTimes: readonly string[];
}

/**
 * The creation that has no end yet. The copy counts where the status lost its intent; one that is older than an address
 * on record was only not taken away in time.
 */
export function openIntent(
  metadata: Pick<ObjectMeta, "annotations">,
  { pendingCreation, createdTimes }: Recorded,
  result: CreationResult | undefined,
): PendingCreation | undefined {
  const copy = copiedIntent(metadata);
  const began = timeOf(copy?.startedAt) ?? 0;
  const ended = createdTimes.some((time) => (timeOf(time) ?? 0) >= began);
  const intent = pendingCreation ?? (ended ? undefined : copy);
  return intent?.startedAt === result?.startedAt ? undefined : intent;
}

/** Annotations once a creation has ended: in one patch, so that a lost status never leaves an address unknown. */
export function annotationsAfter({ annotations }: Pick<ObjectMeta, "annotations">, created: CreatedFacts | undefined) {
  const ended = { [Annotation.pendingCreation]: undefined };
  if (created === undefined) return ended;
  const known = (annotations?.[Annotation.createdIps] ?? "").split(",").filter((ip) => ip.trim() !== "");
  const there = known.some((ip) => isIp(ip.trim()) && canonicalIp(ip.trim()) === created.ip);
  return { ...ended, [Annotation.createdIps]: (there ? known : [...known, created.ip]).join(",") };
}

function readIntent(value: Readonly<Record<string, unknown>>): PendingCreation | undefined {
  const { startedAt, provider, family, dropletHadAddress, unassignedSeen } = value;
  if (typeof startedAt !== "string" || timeOf(startedAt) === undefined) return undefined;
  if (typeof provider !== "string" || (family !== "IPv4" && family !== "IPv6")) return undefined;
  const seen = Array.isArray(unassignedSeen) ? unassignedSeen : [];
  return {
    startedAt,
    provider,
    family,
    ...textIn(value, "region"),
    ...textIn(value, "project"),
    ...textIn(value, "providerID"),
    ...(typeof dropletHadAddress === "boolean" ? { dropletHadAddress } : {}),
    unassignedSeen: seen
      .filter((ip): ip is string => typeof ip === "string" && isIp(ip) && familyOf(ip) === family)
      .map(canonicalIp)
      .slice(0, MAX_UNASSIGNED_SEEN),
  };
}

function textIn<K extends string>(value: Readonly<Record<string, unknown>>, key: K): { readonly [P in K]?: string } {
  const text = value[key];
  return typeof text === "string" ? ({ [key]: text } as { readonly [P in K]?: string }) : {};
}
