/**
 * Cloudflare's description of August 2024, for answers only: its request schemas demand read-only fields, and it has
 * no batch path. Requests and batches are held against schemas of our own.
 */

import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { JournalEntry } from "../../src/http/journal.js";
import { loadOpenApi, type ObservedAnswer, type ObservedRequest, type OpenApi, type OpenApiRules } from "./openapi.js";

const REFUSED = [400, 401, 403, 404, 413, 429];
const FAILED = [500, 502, 503, 504];

const RULES: OpenApiRules = {
  // The description has `4XX` for all of them, and nothing above.
  reviewed: [...REFUSED, ...FAILED].flatMap((status) => [
    { status, on: /dns_records/, schema: "dns-records_api-response-common-failure" },
    { status, on: /\/user\/tokens\/verify$/, schema: "iam_api-response-common-failure" },
    { status, on: /\/zones(\/\{zone_id\})?$/, schema: "zones_api-response-common-failure" },
  ]),
  exceptions: {
    optional: [
      // Null where there is none, which the description does not allow: see `withoutNullComments`.
      "result.comment",
      // Only of a token that is limited in time.
      "result.expires_on",
      "result.not_before",
    ],
    extra: [
      // Younger than the description, or missing in it; known from the documentation and seen in answers.
      "result_info.total_pages",
      "result.status",
      // Also of records that cannot be proxied.
      "result.proxied",
      "errors.error_chain",
      // The answer to a DELETE is described without its envelope.
      ".success",
      ".errors",
      ".messages",
    ],
  },
};

const address = { type: "string", anyOf: [{ format: "ipv4" }, { format: "ipv6" }] };
const id = { type: "string", pattern: "^[0-9a-f]{32}$" };
const content = {
  type: { enum: ["A", "AAAA"] },
  // In full: what is not in the zone would be taken as relative to it.
  name: { type: "string", pattern: "^(\\*\\.)?([\\w-]{1,63}\\.)+[\\w-]{2,63}$" },
  content: address,
  ttl: { anyOf: [{ const: 1 }, { type: "integer", minimum: 30, maximum: 86_400 }] },
  comment: { type: "string", maxLength: 100, pattern: "^[^\\r\\n]*$" },
  proxied: { type: "boolean" },
};

function listOf(properties: object, required: readonly string[]): object {
  const items = { type: "object", properties, required, additionalProperties: false };
  return { type: "array", items, minItems: 1 };
}

/** `POST /zones/{zone_id}/dns_records/batch`, as the documentation of batch record changes has it. */
const BATCH_REQUEST = {
  type: "object",
  properties: {
    deletes: listOf({ id }, ["id"]),
    patches: listOf({ id, ...content }, ["id", "type", "name", "content", "ttl"]),
    posts: listOf(content, ["type", "name", "content", "ttl"]),
  },
  additionalProperties: false,
  minProperties: 1,
};

const record = { type: "object", required: ["id", "type", "name", "content", "ttl", "proxied", "created_on"] };
const records = { type: "array", items: record };

const BATCH_ANSWER = {
  type: "object",
  properties: {
    success: { const: true },
    errors: { type: "array", maxItems: 0 },
    messages: { type: "array" },
    result: {
      type: "object",
      properties: { deletes: records, patches: records, puts: records, posts: records },
      required: ["deletes", "patches", "puts", "posts"],
      additionalProperties: false,
    },
  },
  required: ["success", "errors", "messages", "result"],
  additionalProperties: false,
};

const whole = "^[1-9][0-9]*$";
const page = { page: { type: "string", pattern: whole }, per_page: { type: "string", pattern: whole } };

/** Query parameters by route, as the documentation of today has them: the description is older than `name.exact`. */
const QUERIES: Readonly<Record<string, object>> = {
  "GET /user/tokens/verify": {},
  "GET /zones": {
    ...page,
    name: { type: "string", pattern: "^([\\w-]{1,63}\\.)+[\\w-]{2,63}$" },
    order: { enum: ["name", "status", "account.id", "account.name", "plan.id"] },
  },
  "GET /zones/{zone_id}": {},
  "GET /zones/{zone_id}/dns_records": { ...page, "name.exact": content.name, type: { enum: ["A", "AAAA", "NS"] } },
};

const ajv = addFormats.default(new Ajv({ strict: false, unicodeRegExp: false, allErrors: true }));
const batchRequest = ajv.compile(BATCH_REQUEST);
const batchAnswer = ajv.compile(BATCH_ANSWER);

const queries = new Map(
  Object.entries(QUERIES).map(([route, properties]) => {
    return [route, ajv.compile({ type: "object", properties, additionalProperties: false })];
  }),
);

/** Throws unless a read has a query that the documentation allows, and no body. */
export function checkReadRequest({ route = "", query, body }: Pick<JournalEntry, "route" | "query" | "body">): void {
  const check = queries.get(route);
  if (check === undefined) throw new Error(`${route} is no read that is known: add its query`);
  if (body !== undefined) throw new Error(`${route} takes no body: send none`);
  validate(check, Object.fromEntries(query));
}

let loaded: OpenApi | undefined;

/** Undefined, said once on stderr, where the description is not there. */
export function cloudflareOpenApi(): OpenApi | undefined {
  loaded ??= loadOpenApi("cloudflare-dns.openapi.json", RULES);
  return loaded;
}

/** Throws unless the body of a batch request is one that the documentation allows, with at most 200 changes. */
export function checkBatchRequest(body: unknown): void {
  validate(batchRequest, body);
  const count = Object.values(body as Record<string, readonly unknown[]>).flat().length;
  if (count > 200) throw new Error(`a batch of ${count} changes: the free plan takes 200`);
}

/** Throws unless the answer is as described, or for batches, as documented. */
export function checkCloudflareAnswer(request: ObservedRequest, answer: ObservedAnswer): void {
  if (!request.path.endsWith("/batch")) {
    cloudflareOpenApi()?.checkAnswer(request, { ...answer, body: withoutNullComments(answer.body) });
    return;
  }
  if (answer.status === 200) validate(batchAnswer, answer.body);
  else cloudflareOpenApi()?.checkAnswer({ ...request, path: request.path.replace(/\/batch$/, "") }, answer);
}

/** A record without a comment has `comment: null`. */
function withoutNullComments(body: unknown): unknown {
  const isNull = (key: string, value: unknown) => key === "comment" && value === null;
  const text = JSON.stringify(body, (key, value: unknown) => (isNull(key, value) ? undefined : value));
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

function validate(check: ValidateFunction, value: unknown): void {
  if (check(value)) return;
  throw new Error(`${ajv.errorsText(check.errors, { separator: "\n  " })}\n  in ${JSON.stringify(value)}`);
}
