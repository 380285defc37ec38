/** From a change set to the bodies of batch requests, with what the last reading showed of the record set. */

import { MAX_RECORD_SETS } from "../../timings.js";
import { putLast } from "../../values.js";
import type { RecordChangeSet, RecordStep, RecordType } from "../types.js";

export interface SeenRecord {
  readonly id: string;
  readonly ttl: number;
  /** Traffic goes through Cloudflare; the TTL is always automatic. */
  readonly proxied: boolean;
  /** Empty: none. */
  readonly comment: string;
}

export class SeenRecords {
  private readonly sets = new Map<string, ReadonlyMap<string, SeenRecord>>();

  /** Replaces what was seen of the record set before. */
  remember(zone: string, fqdn: string, records: readonly SeenRecord[]): void {
    const seen = new Map(records.map((record) => [record.id, record]));
    putLast(this.sets, `${zone}/${fqdn}`, seen, MAX_RECORD_SETS);
  }

  /** Adds the written records to the reading, and takes the deleted ones out. */
  update({ zone, fqdn, steps }: RecordChangeSet, written: readonly SeenRecord[]): void {
    const known = this.sets.get(`${zone}/${fqdn}`);
    if (known === undefined) return;
    const deleted = new Set(steps.flatMap((step) => (step.do === "delete" ? step.id : [])));
    this.remember(zone, fqdn, [...[...known.values()].filter(({ id }) => !deleted.has(id)), ...written]);
  }

  /** By id. Empty for a record set that was not read. */
  of(zone: string, fqdn: string): ReadonlyMap<string, SeenRecord> {
    return this.sets.get(`${zone}/${fqdn}`) ?? new Map();
  }
}

const PREFIX = "flipop: ";
/** Of zones on the free plan, in characters; others allow more. */
const MAX_COMMENT = 100;

/** The comment that marks a record as an owner's. A name that is too long is cut: the mark is for people only. */
function markOf(owner: string): string {
  const line = `${PREFIX}${owner.replace(/\s+/g, " ").trim()}`;
  return [...line].slice(0, MAX_COMMENT).join("");
}

/** The owner in a comment; `undefined` for none, and for one that somebody else wrote. */
export function ownerIn(comment: string): string | undefined {
  return comment.startsWith(PREFIX) ? comment.slice(PREFIX.length) : undefined;
}

/** Whether the comment may be replaced: it is empty, or one of these marks. */
function mayReplace(comment: string): boolean {
  return comment === "" || comment.startsWith(PREFIX);
}

/** On the free plan; paid ones take 3,500. One number for all: the plan is not known where a zone is named by its id. */
export const BATCH_SIZE = 200;

const LEAST_TTL_SECONDS = 60;
const MOST_TTL_SECONDS = 86_400;
/** The API decides. */
const AUTOMATIC_TTL = 1;

/** The nearest TTL that every plan takes: 1, or 60 to 86,400 seconds. */
export function allowedTtl(seconds: number): number {
  if (seconds === AUTOMATIC_TTL) return seconds;
  return Math.min(Math.max(Math.round(seconds), LEAST_TTL_SECONDS), MOST_TTL_SECONDS);
}

/** Body of `POST /zones/{zone_id}/dns_records/batch`, in the form of Cloudflare's package. */
export interface Batch {
  zone_id: string;
  deletes?: { id: string }[];
  patches?: (Content & { id: string })[];
  posts?: (Content & { proxied: boolean })[];
}

/** A record as it is to be. Without a comment: that stays as it is. */
interface Content {
  readonly type: RecordType;
  /** In full. */
  readonly name: string;
  readonly content: string;
  readonly ttl: number;
  readonly comment?: string;
}

/**
 * One body for each 200 steps, in the order of the steps: each batch is one transaction, and re-points and creates
 * come before deletes, so between two of them the set holds addresses of the old and the new set only, and at least
 * one. @param seen the records as last read, by id
 */
export function batchesOf(changes: RecordChangeSet, seen: ReadonlyMap<string, SeenRecord>): readonly Batch[] {
  const length = Math.ceil(changes.steps.length / BATCH_SIZE);
  return Array.from({ length }, (_, index) => batchOf(changes, stepsOf(changes, index), seen));
}

/** Those of one batch. */
export function stepsOf({ steps }: RecordChangeSet, index: number): readonly RecordStep[] {
  return steps.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE);
}

/** Members that would be empty are left out. */
function batchOf(changes: RecordChangeSet, steps: readonly RecordStep[], seen: ReadonlyMap<string, SeenRecord>): Batch {
  const deletes = steps.filter((step) => step.do === "delete").map(({ id }) => ({ id }));
  const patches = steps.filter((step) => step.do === "update").map((step) => patchOf(changes, step, seen));
  const posts = steps.filter((step) => step.do === "create").map((step) => postOf(changes, step, seen));
  return {
    zone_id: changes.zone,
    ...(deletes.length === 0 ? {} : { deletes }),
    ...(patches.length === 0 ? {} : { patches }),
    ...(posts.length === 0 ? {} : { posts }),
  };
}

type Step<Kind extends RecordStep["do"]> = Extract<RecordStep, { readonly do: Kind }>;

/** Comments of others stay; so does that of a record which was not read by this process. */
function patchOf(
  { fqdn, owner }: RecordChangeSet,
  step: Step<"update">,
  seen: ReadonlyMap<string, SeenRecord>,
): Content & { readonly id: string } {
  const known = seen.get(step.id);
  const mark = owner === undefined ? undefined : markOf(owner);
  const marks = mark !== undefined && known !== undefined && mayReplace(known.comment) && known.comment !== mark;
  return {
    id: step.id,
    type: step.type,
    name: fqdn,
    content: step.to,
    ttl: ttlOf(step.ttl, known === undefined ? [] : [known]),
    ...(marks ? { comment: mark } : {}),
  };
}

/** Cloudflare treats a name as proxied when one record is: the new one says so, too, for when the others have gone. */
function postOf(
  { fqdn, owner }: RecordChangeSet,
  step: Step<"create">,
  seen: ReadonlyMap<string, SeenRecord>,
): Content & { readonly proxied: boolean } {
  const beside = [...seen.values()];
  return {
    type: step.type,
    name: fqdn,
    content: step.to,
    ttl: ttlOf(step.ttl, beside),
    proxied: beside.some(({ proxied }) => proxied),
    ...(owner === undefined ? {} : { comment: markOf(owner) }),
  };
}

/** A TTL that a record has already is one that its zone takes: on the Enterprise plan from 30 s. */
function ttlOf(wanted: number, seen: readonly SeenRecord[]): number {
  if (seen.some(({ proxied }) => proxied)) return AUTOMATIC_TTL;
  return seen.some(({ ttl }) => ttl === wanted) ? wanted : allowedTtl(wanted);
}
