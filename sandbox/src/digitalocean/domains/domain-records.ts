/** `/v2/domains/{domain}/records`. */

import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import type { DomainData, RecordData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf } from "../fields.js";
import { page } from "../pagination.js";
import type { World } from "../world.js";
import { addRecord, domainOf } from "./domains.js";
import { checkRecord, readRecord } from "./record-rules.js";

const LIST = "/v2/domains/{domain_name}/records";
const ITEM = `${LIST}/{domain_record_id}`;

/** Filters: `type`, and `name`, which must be fully qualified: anything else matches nothing. */
function list(request: SimulatorRequest, world: World): SimulatorAnswer {
  const domain = domainOf(request, world);
  const type = request.query.get("type")?.toUpperCase();
  const name = request.query.get("name")?.toLowerCase().replace(/\.$/, "");
  const records = [...domain.records.values()].filter(
    (record) =>
      (type === undefined || record.type === type) && (name === undefined || fullName(domain, record) === name),
  );
  return page(request, "domain_records", records, view);
}

function fullName({ name }: DomainData, record: RecordData): string {
  return record.name === "@" ? name : `${record.name}.${name}`;
}

function view({ id, type, name, data, priority, port, ...rest }: RecordData): JsonObject {
  const { ttl, weight, flags, tag } = rest;
  return { id, type, name, data, priority, port, ttl, weight, flags, tag };
}

function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const domain = domainOf(request, world);
  const fields = readRecord(request, domain, bodyOf(request));
  if (fields.type === "SOA") throw unprocessable(request, "SOA records are managed by DigitalOcean.");
  checkRecord(request, fields, [...domain.records.values()], world.settings.switches);
  const record = addRecord(world, domain, fields);
  shareTtl(domain, record);
  return { status: 201, body: { domain_record: view(record) } };
}

function recordOf(request: SimulatorRequest, { records }: DomainData): RecordData {
  const record = records.get(Number(request.params["domain_record_id"]));
  if (record === undefined) throw notFound(request);
  return record;
}

/** PUT and PATCH alike: what the body leaves out stays. */
function update(request: SimulatorRequest, world: World): SimulatorAnswer {
  const domain = domainOf(request, world);
  const old = recordOf(request, domain);
  const fields = readRecord(request, domain, bodyOf(request), old);
  if (fields.type !== old.type) throw unprocessable(request, "The type of a record cannot be changed.");
  const others = [...domain.records.values()].filter(({ id }) => id !== old.id);
  checkRecord(request, fields, others, world.settings.switches);
  const record = { ...fields, id: old.id };
  domain.records.set(record.id, record);
  shareTtl(domain, record);
  return { status: 200, body: { domain_record: view(record) } };
}

/** All records of one name have the TTL that was written last. */
function shareTtl({ records }: DomainData, { name, ttl }: RecordData): void {
  for (const record of records.values()) {
    if (record.name === name && record.type !== "SOA" && record.ttl !== ttl) records.set(record.id, { ...record, ttl });
  }
}

function remove(request: SimulatorRequest, world: World): SimulatorAnswer {
  const domain = domainOf(request, world);
  const record = recordOf(request, domain);
  if (record.type === "SOA") throw unprocessable(request, "SOA records are managed by DigitalOcean.");
  domain.records.delete(record.id);
  return { status: 204 };
}

export const domainRecordRoutes: readonly Route<World>[] = [
  { method: "GET", path: LIST, handle: list },
  { method: "POST", path: LIST, handle: create },
  {
    method: "GET",
    path: ITEM,
    handle: (request, world) => ({
      status: 200,
      body: { domain_record: view(recordOf(request, domainOf(request, world))) },
    }),
  },
  { method: "PUT", path: ITEM, handle: update },
  { method: "PATCH", path: ITEM, handle: update },
  { method: "DELETE", path: ITEM, handle: remove },
];
