/** `/zones/{zone_id}/dns_records`: list, single records, and batches of changes. */

import type { Clock } from "flipop-operator/clock";
import type { Handler, Route } from "../http/api.js";
import { isObject, type JsonObject, type JsonValue } from "../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../http/message.js";
import type { SeededRandom } from "../http/random.js";
import { type CloudflareWorld, PLANS, type RecordData, type ZoneData } from "./data.js";
import { success } from "./envelope.js";
import { REFUSALS } from "./errors.js";
import { page } from "./pagination.js";
import {
  createRecord,
  type Draft,
  deleteRecord,
  draftOf,
  existing,
  patchRecord,
  recordView,
  replaceRecord,
} from "./record-changes.js";
import { objectOf } from "./record-fields.js";
import { filterRecords } from "./record-filter.js";
import type { Tokens } from "./tokens.js";
import { zoneFile } from "./zone-file.js";
import { isId, recordZone } from "./zones.js";

const PAGE = { standard: 100, least: 1, most: 5_000_000 };
const RECORDS = "/zones/{zone_id}/dns_records";
const RECORD = "/zones/{zone_id}/dns_records/{dns_record_id}";

export interface RecordContext {
  readonly tokens: Tokens;
  readonly clock: Pick<Clock, "now">;
  readonly random: SeededRandom;
}

export function recordRoutes(context: RecordContext): readonly Route<CloudflareWorld>[] {
  const { tokens } = context;
  const change =
    (run: (draft: Draft, request: SimulatorRequest) => SimulatorAnswer): Handler<CloudflareWorld> =>
    (request, world) =>
      transaction(context, recordZone(request, world, tokens, "dns:edit"), (draft) => run(draft, request));
  return [
    { method: "GET", path: RECORDS, handle: (request, world) => list(request, world, tokens) },
    { method: "GET", path: `${RECORDS}/export`, handle: (request, world) => exported(request, world, context) },
    { method: "GET", path: RECORD, handle: (request, world) => get(request, world, tokens) },
    { method: "POST", path: RECORDS, handle: change((draft, { body }) => one(createRecord(draft, body))) },
    { method: "POST", path: `${RECORDS}/batch`, handle: change((draft, { body }) => batch(draft, objectOf(body))) },
    {
      method: "PUT",
      path: RECORD,
      handle: change((draft, request) => one(replaceRecord(draft, recordId(request), request.body))),
    },
    {
      method: "PATCH",
      path: RECORD,
      handle: change((draft, request) => one(patchRecord(draft, recordId(request), request.body))),
    },
    {
      method: "DELETE",
      path: RECORD,
      handle: change((draft, request) => success({ id: deleteRecord(draft, recordId(request)).id })),
    },
  ];
}

/** All changes, or none: a refusal leaves the zone as it was. */
function transaction(
  { clock, random }: RecordContext,
  zone: ZoneData,
  run: (draft: Draft) => SimulatorAnswer,
): SimulatorAnswer {
  const draft = draftOf(zone, clock.now(), () => random.hex(32));
  const answer = run(draft);
  zone.records = draft.records;
  return answer;
}

function list(request: SimulatorRequest, world: CloudflareWorld, tokens: Tokens): SimulatorAnswer {
  const zone = recordZone(request, world, tokens, "dns:read");
  return page(request, filterRecords(zone.records.values(), request.query), PAGE, recordView);
}

function get(request: SimulatorRequest, world: CloudflareWorld, tokens: Tokens): SimulatorAnswer {
  const zone = recordZone(request, world, tokens, "dns:read");
  return one(existing(zone, recordId(request)));
}

function exported(
  request: SimulatorRequest,
  world: CloudflareWorld,
  { tokens, clock }: RecordContext,
): SimulatorAnswer {
  return { status: 200, body: zoneFile(recordZone(request, world, tokens, "dns:read"), clock.now()), plain: true };
}

/** In this order, whatever the order of the body's members; the first refusal is the answer. */
function batch(draft: Draft, body: JsonObject): SimulatorAnswer {
  const lists = { deletes: items(body, "deletes"), patches: items(body, "patches") };
  const more = { puts: items(body, "puts"), posts: items(body, "posts") };
  const count = lists.deletes.length + lists.patches.length + more.puts.length + more.posts.length;
  const { batch: most } = PLANS[draft.zone.plan];
  if (count > most) throw REFUSALS.badParameter(`Batch of ${count} operations exceeds the maximum of ${most}.`);
  return success({
    deletes: lists.deletes.map((item) => recordView(deleteRecord(draft, idOf(item)))),
    patches: lists.patches.map((item) => recordView(patchRecord(draft, idOf(item), item))),
    puts: more.puts.map((item) => recordView(replaceRecord(draft, idOf(item), item))),
    posts: more.posts.map((item) => recordView(createRecord(draft, item))),
  });
}

function items(body: JsonObject, key: string): readonly JsonObject[] {
  const value: JsonValue = body[key] ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw REFUSALS.badParameter(`${key} must be a list of objects`);
  return value;
}

function idOf({ id }: JsonObject): string {
  if (typeof id !== "string") throw REFUSALS.badParameter("id is required");
  return id;
}

function recordId(request: SimulatorRequest): string {
  const { dns_record_id: id } = request.params;
  if (!isId(id)) throw REFUSALS.unroutable(request);
  return id;
}

function one(record: RecordData): SimulatorAnswer {
  return success(recordView(record));
}
