/** Calls to Cloudflare's API by its own package: each passes the layers of compose.ts, each answer is checked, each list is read whole. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { APIError } from "cloudflare/error";
import { BaseRecords, type RecordListParams } from "cloudflare/resources/dns/records";
import { BaseZones, type ZoneListParams } from "cloudflare/resources/zones/zones";
import { createClient } from "cloudflare/tree-shakable";
import { anyAbort } from "../../async.js";
import { CLOUD_LIST_ATTEMPTS, CLOUD_LIST_MAX_PAGES, LONGEST_TIMER_MS } from "../../bounds.js";
import { failedCalls } from "../../messages/failed-calls.js";
import { type ApiCall, type Attempt, type CallContext, type CallName, callText } from "../call.js";
import { noTokenError, ProviderError } from "../errors.js";
import { Answer, Connections } from "../http.js";
import type { ClientOptions } from "../registry.js";
import type { Batch } from "./batches.js";
import { fetchOver, readRateFacts, refusedError, toProviderError } from "./to-provider-error.js";

/** As in `spec.provider`. */
export const CLOUDFLARE = PROVIDERS.cloudflare.name;
export const DEFAULT_URL = "https://api.cloudflare.com/client/v4";
/** Of the release that the package is pinned at. By itself it would send today's date, and behave anew each day. */
const API_VERSION = "2026-10-02";
/** Of zones the API gives 50 at most. */
const ZONES_PER_PAGE = 50;
const RECORDS_PER_PAGE = 1_000;

/** What is asked, for layers and messages. */
interface Asked {
  readonly call: CallName;
  readonly subject: string;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly headers: { readonly Authorization: string };
}

/** A request of the package under way. */
interface Sent {
  asResponse(): Promise<Response>;
}

type ZoneQuery = Pick<ZoneListParams, "name" | "order">;

type RecordQuery = Pick<RecordListParams, "zone_id" | "name" | "type">;

export class CloudflareClient {
  private readonly connections: Connections;
  private readonly api;

  constructor(private readonly options: ClientOptions) {
    const { env, userAgent } = options;
    const baseURL = options.baseUrl.replace(/\/+$/, "");
    this.connections = new Connections(baseURL, env);
    this.api = createClient({
      resources: [BaseZones, BaseRecords],
      baseURL,
      fetch: fetchOver(this.connections),
      apiVersion: API_VERSION,
      // Each request brings the token of that moment. None is taken from the package's own variables.
      apiToken: "set by each request",
      apiKey: null,
      apiEmail: null,
      userServiceKey: null,
      defaultHeaders: { "User-Agent": userAgent },
      // The layers do it, where it is safe; the package would send a POST again.
      maxRetries: 0,
      timeout: LONGEST_TIMER_MS,
      logLevel: "off",
    });
  }

  /** The token in use, for its fingerprint only. */
  token(): string {
    return this.options.credentials.token();
  }

  zone<T>(context: CallContext, asked: Asked, id: string, read: (zone: Answer) => T): Promise<T> {
    const send = (options: SendOptions) => this.api.zones.get({ zone_id: id }, options);
    return this.request(readCall(context, asked), send, (answer) => read(answer.at("result")));
  }

  zones<T>(context: CallContext, asked: Asked, query: ZoneQuery, read: (zone: Answer) => T): Promise<readonly T[]> {
    const call = readCall(context, asked);
    return readAllPages(callText(call), (page) => {
      const send = (options: SendOptions) => this.api.zones.list({ ...query, page, per_page: ZONES_PER_PAGE }, options);
      return this.request(call, send, (answer) => readPage(answer, read));
    });
  }

  /** All that the filters let through. */
  records<T>(context: CallContext, asked: Asked, query: RecordQuery, read: (item: Answer) => T): Promise<readonly T[]> {
    const call = readCall(context, asked);
    return readAllPages(callText(call), (page) => {
      const params = { ...query, page, per_page: RECORDS_PER_PAGE };
      const send = (options: SendOptions) => this.api.dns.records.list(params, options);
      return this.request(call, send, (answer) => readPage(answer, read));
    });
  }

  /** One transaction. Never sent again after a lost answer: the second time it would be refused as a whole. */
  batch<T>(context: CallContext, asked: Asked, batch: Batch, read: (result: Answer) => T): Promise<T> {
    const call: ApiCall = { ...readCall(context, asked), write: true, repeatable: false };
    const send = (options: SendOptions) => this.api.dns.records.batch(batch, options);
    return this.request(call, send, (answer) => read(answer.at("result")));
  }

  /** Ends all requests and connections. */
  close(): Promise<void> {
    return this.connections.close();
  }

  /** Rejects with ProviderError or NotLeaderError. `read` may throw MalformedAnswer. */
  private request<T>(call: ApiCall, send: (options: SendOptions) => Sent, read: (answer: Answer) => T): Promise<T> {
    return this.options.run(call, async (attempt) => {
      const token = this.token();
      if (token === "") throw noTokenError(call, PROVIDERS.cloudflare);
      // The package leaves its listener on the signal.
      const abort = anyAbort([attempt.signal]);
      try {
        const response = await send({
          signal: abort.signal,
          headers: { Authorization: `Bearer ${token}` },
        }).asResponse();
        this.reportLimit(response.headers, attempt);
        return read(await this.successOf(call, response));
      } catch (error) {
        // Whoever aborted it says what that means.
        if (attempt.signal.aborted) throw error;
        if (error instanceof APIError) this.reportLimit(error.headers, attempt);
        throw toProviderError(call, error, this.options.now());
      } finally {
        abort.dispose();
      }
    });
  }

  /** An answer that says `success: false` is a refusal, whatever its status. */
  private async successOf(call: ApiCall, response: Response): Promise<Answer> {
    const body = Answer.parse(await response.text());
    if (body.at("success").boolean()) return body;
    throw refusedError(call, { status: response.status, headers: response.headers, body }, this.options.now());
  }

  private reportLimit(headers: Headers | undefined, attempt: Attempt): void {
    const facts = headers && readRateFacts(headers, this.options.now());
    if (facts !== undefined) attempt.sawLimit(facts);
  }
}

function readCall(context: CallContext, { call, subject }: Asked): ApiCall {
  return { provider: CLOUDFLARE, name: call, subject, write: false, repeatable: true, context };
}

interface Page<T> {
  readonly items: readonly Item<T>[];
  /** Items on all pages, where the API says so. */
  readonly total: number | undefined;
}

/** An item, and its identity. */
interface Item<T> {
  readonly id: string;
  readonly value: T;
}

/** `{result: [{id, ...}], result_info: {total_count}}`. Throws MalformedAnswer. */
function readPage<T>(answer: Answer, read: (item: Answer) => T): Page<T> {
  const info = answer.at("result_info");
  const total = info.empty ? info : info.at("total_count");
  const items = answer.at("result").items();
  return {
    items: items.map((item) => ({ id: item.at("id").string(), value: read(item) })),
    total: total.empty ? undefined : total.natural(),
  };
}

/**
 * All items. A list that changes meanwhile is read again: an item that moves between pages would be missed.
 * @param where for the error, `cloudflare: read records of www.example.com`.
 */
async function readAllPages<T>(where: string, read: (number: number) => Promise<Page<T>>): Promise<readonly T[]> {
  for (let attempt = 1; attempt <= CLOUD_LIST_ATTEMPTS; attempt++) {
    const items = await onePass(read);
    if (items !== undefined) return items;
  }
  throw new ProviderError({
    kind: "Unavailable",
    where,
    ...failedCalls.listChanged(CLOUD_LIST_ATTEMPTS, "changes records"),
    outcome: "refused",
  });
}

/** Until there are as many items as promised; without a promise, until a page is empty. `undefined`: it changed. */
async function onePass<T>(read: (number: number) => Promise<Page<T>>): Promise<readonly T[] | undefined> {
  const found = new Map<string, T>();
  let promised: number | undefined;
  for (let number = 1; number <= CLOUD_LIST_MAX_PAGES; number++) {
    const { items, total } = await read(number);
    if (number > 1 && total !== promised) return undefined;
    promised = total;
    const before = found.size;
    for (const { id, value } of items) found.set(id, value);
    if (found.size === promised || (items.length === 0 && promised === undefined)) return [...found.values()];
    // A page without anything new leads nowhere.
    if (found.size === before) return undefined;
  }
  return undefined;
}
