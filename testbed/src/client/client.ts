import { randomBytes } from "node:crypto";
import type { Agent } from "node:https";
import { ApiError } from "./api-error.js";
import { fetchText } from "./http.js";
import { type KubeObject, type KubeStatus, type Query, type ResourceRef, toPath } from "./resource-path.js";
import { type WatchEvent, watchLines } from "./watch.js";

/** Content types of PATCH requests. */
export const PATCH_TYPES = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
  json: "application/json-patch+json",
} as const;

/** The type of a patch. */
export type PatchType = keyof typeof PATCH_TYPES;

/** A response of the API server with any status. */
export interface Answer<T> {
  readonly status: number;
  /** The object, or the server's Status when the request failed. */
  readonly body: T;
  readonly warnings: readonly string[];
}

/** A request of the client. */
export interface ClientRequest {
  readonly method: string;
  readonly ref: ResourceRef;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Address and credentials for a client. */
export interface ClientOptions {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly agent: Agent;
}

/** A thin JSON client. Its methods resolve with the response of any status; those of `must` throw ApiError. */
export class Client {
  /** The same methods, which return only the body and throw if the status is not 2xx. */
  readonly must: MustClient;

  constructor(private readonly options: ClientOptions) {
    this.must = new MustClient(this);
  }

  /** Reads one object. */
  get<T = KubeObject>(ref: ResourceRef, query?: Query): Promise<Answer<T>> {
    return this.request<T>({ method: "GET", ref, ...(query && { query }) });
  }

  /** Reads a collection. */
  list<T = KubeObject>(
    ref: ResourceRef,
    query?: Query,
  ): Promise<Answer<{ metadata: { resourceVersion: string }; items: T[] }>> {
    return this.request({ method: "GET", ref, ...(query && { query }) });
  }

  /** Creates an object in the collection that the reference names. */
  create<T = KubeObject>(ref: ResourceRef, body: unknown, query?: Query): Promise<Answer<T>> {
    return this.request<T>({ method: "POST", ref, body, ...(query && { query }) });
  }

  /** Replaces an object. */
  update<T = KubeObject>(ref: ResourceRef, body: unknown, query?: Query): Promise<Answer<T>> {
    return this.request<T>({ method: "PUT", ref, body, ...(query && { query }) });
  }

  /** Patches an object, by default with a merge patch. */
  patch<T = KubeObject>(ref: ResourceRef, body: unknown, type: PatchType = "merge", query?: Query): Promise<Answer<T>> {
    return this.request<T>({ method: "PATCH", ref, body, contentType: PATCH_TYPES[type], ...(query && { query }) });
  }

  /** Deletes an object, or all objects of a collection. The body is DeleteOptions. */
  delete<T = KubeObject>(ref: ResourceRef, body?: unknown, query?: Query): Promise<Answer<T>> {
    return this.request<T>({ method: "DELETE", ref, body, ...(query && { query }) });
  }

  /**
   * Watches a collection until the signal, or until the server ends the watch; throws ApiError if the server rejects
   * it.
   */
  watch<T = KubeObject>(ref: ResourceRef, query: Query, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
    const url = this.options.url + toPath(ref, { ...query, watch: true });
    return watchLines<T>({ ...this.connection(), url, signal, timeoutMs: 0 });
  }

  /** Creates a namespace with a unique name, and returns the name. */
  async tempNamespace(prefix = "test", labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = `${prefix}-${randomBytes(4).toString("hex")}`;
    await this.must.create("/api/v1/namespaces", { metadata: { name, labels } });
    return name;
  }

  /** Sends any request. */
  async request<T>(request: ClientRequest): Promise<Answer<T>> {
    const { headers, ...connection } = this.connection();
    const { status, warnings, text } = await fetchText({
      ...connection,
      url: this.options.url + toPath(request.ref, request.query),
      method: request.method,
      headers: { ...headers, "content-type": request.contentType ?? "application/json" },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      ...(request.signal && { signal: request.signal }),
    });
    return { status, warnings, body: parse<T>(text) };
  }

  private connection() {
    const { token, agent, ca } = this.options;
    return { agent, ca, headers: { authorization: `Bearer ${token}`, accept: "application/json" } };
  }
}

/** The methods of a client, which return only the body and throw ApiError if the status is not 2xx. */
export class MustClient {
  constructor(private readonly client: Client) {}

  /** Reads one object. */
  get<T = KubeObject>(ref: ResourceRef, query?: Query): Promise<T> {
    return succeeded(this.client.get<T>(ref, query), "GET", ref);
  }

  /** Reads the objects of a collection. */
  async list<T = KubeObject>(ref: ResourceRef, query?: Query): Promise<T[]> {
    return (await succeeded(this.client.list<T>(ref, query), "GET", ref)).items;
  }

  /** Creates an object in the collection that the reference names. */
  create<T = KubeObject>(ref: ResourceRef, body: unknown, query?: Query): Promise<T> {
    return succeeded(this.client.create<T>(ref, body, query), "POST", ref);
  }

  /** Replaces an object. */
  update<T = KubeObject>(ref: ResourceRef, body: unknown, query?: Query): Promise<T> {
    return succeeded(this.client.update<T>(ref, body, query), "PUT", ref);
  }

  /** Patches an object, by default with a merge patch. */
  patch<T = KubeObject>(ref: ResourceRef, body: unknown, type?: PatchType, query?: Query): Promise<T> {
    return succeeded(this.client.patch<T>(ref, body, type, query), "PATCH", ref);
  }

  /** Deletes an object, or all objects of a collection. */
  delete<T = KubeObject>(ref: ResourceRef, body?: unknown, query?: Query): Promise<T> {
    return succeeded(this.client.delete<T>(ref, body, query), "DELETE", ref);
  }
}

async function succeeded<T>(pending: Promise<Answer<T>>, method: string, ref: ResourceRef): Promise<T> {
  const { status, body } = await pending;
  if (status >= 200 && status < 300) return body;
  throw new ApiError(status, body as KubeStatus, `${method} ${toPath(ref)}`);
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    // Health checks and some errors have plain text.
    return { kind: "Status", message: text } as T;
  }
}
