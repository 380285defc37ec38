/** Calls to Cloudflare's API by its own package: each passes the layers of compose.ts, each answer is checked, each list is read whole. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { APIError } from "cloudflare/error";
import { BaseRecords, type RecordListParams } from "cloudflare/resources/dns/records";
import { BaseZones, type ZoneListParams } from "cloudflare/resources/zones/zones";
import { createClient } from "cloudflare/tree-shakable";
import { anyAbort } from "../../async.js";
import { LONGEST_TIMER_MS } from "../../timings.js";
import { type ApiCall, type Attempt, type CallContext, type CallName, callText } from "../call.js";
import { checkToken } from "../errors.js";
import { Answer, Connections } from "../http.js";
import { type ListPage, readAllPages } from "../pages.js";
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

type SendPage = (page: number, options: SendOptions) => Sent;

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
    return this.list(readCall(context, asked), read, (page, options) =>
      this.api.zones.list({ ...query, page, per_page: ZONES_PER_PAGE }, options),
    );
  }

  /** All that the filters let through. */
  records<T>(context: CallContext, asked: Asked, query: RecordQuery, read: (item: Answer) => T): Promise<readonly T[]> {
    return this.list(readCall(context, asked), read, (page, options) =>
      this.api.dns.records.list({ ...query, page, per_page: RECORDS_PER_PAGE }, options),
    );
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

  private list<T>(call: ApiCall, read: (item: Answer) => T, send: SendPage): Promise<readonly T[]> {
    return readAllPages({
      where: callText(call),
      changes: "changes records",
      read: (number) =>
        this.request(
          call,
          (options) => send(number, options),
          (answer) => readPage(answer, read),
        ),
    });
  }

  /** Rejects with ProviderError or NotLeaderError. `read` may throw MalformedAnswer. */
  private request<T>(call: ApiCall, send: (options: SendOptions) => Sent, read: (answer: Answer) => T): Promise<T> {
    return this.options.run(call, async (attempt) => {
      const token = this.token();
      checkToken(token, call, PROVIDERS.cloudflare);
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

/** `{result: [{id, ...}], result_info: {total_count}}`. Throws MalformedAnswer. */
function readPage<T>(answer: Answer, read: (item: Answer) => T): ListPage<T> {
  const info = answer.at("result_info");
  const total = info.empty ? info : info.at("total_count");
  const items = answer.at("result").items();
  return {
    items: items.map((item) => ({ id: item.at("id").string(), value: read(item) })),
    total: total.empty ? undefined : total.natural(),
    end: undefined,
  };
}
