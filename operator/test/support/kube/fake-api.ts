import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { eventFrame, inEnvelope, type JsonObject, listBytes, objectBytes } from "flipop-sandbox/kubernetes";
import type { KubeObject } from "../../../src/kube/objects.js";
import { FakeCollection } from "./fake-collection.js";

/** What a request looked like, for assertions. */
export interface SeenRequest {
  readonly kind: "watch" | "list" | "probe";
  readonly query: URLSearchParams;
  readonly accept: string;
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** An API server with one collection at `/api/v1/pods`: paged lists, watches, bookmarks, WatchList, 410, 504. */
export class FakeApi {
  readonly collection = new FakeCollection();
  readonly seen: SeenRequest[] = [];
  /** Answers in protobuf where that is asked for. */
  protobuf = false;
  /** False: `sendInitialEvents` is refused, as in 1.33. */
  watchListEnabled = true;
  /** False: the end bookmark of a watch list never comes. */
  endBookmarks = true;
  /** True: watches from a future version are answered 200 and stay silent. */
  probesAnswer504 = true;
  /** Each request gets 403. */
  forbidden = false;
  private readonly watches = new Set<ServerResponse>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => this.handle(request, response));
    this.server.keepAliveTimeout = 60_000;
  }

  static async start(): Promise<FakeApi> {
    const api = new FakeApi();
    await api.listen(0);
    return api;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openWatches(): number {
    return this.watches.size;
  }

  count(kind: SeenRequest["kind"]): number {
    return this.seen.filter((request) => request.kind === kind).length;
  }

  /** Sends a bookmark with the newest version to every watch. */
  bookmark(): void {
    for (const watch of this.watches) send(watch, "BOOKMARK", bookmark(this.collection.version));
  }

  /** Ends every watch cleanly, as the server's own timeout does. */
  endWatches(): void {
    for (const watch of this.watches) watch.end();
  }

  /** Sends one ERROR event to every watch and ends them. */
  failWatches(code: number, reason: string): void {
    for (const watch of this.watches) {
      send(watch, "ERROR", { kind: "Status", code, reason, message: reason, metadata: {} });
      watch.end();
    }
  }

  /** Raw bytes to every watch. */
  write(bytes: Buffer): void {
    for (const watch of this.watches) watch.write(bytes);
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const query = new URL(request.url ?? "/", "http://fake").searchParams;
    const kind = query.get("watch") === "true" ? "watch" : query.get("limit") === "1" ? "probe" : "list";
    const accept = request.headers.accept ?? "";
    this.seen.push({ kind, query, accept });
    if (this.protobuf && accept.startsWith(PROTOBUF)) inProtobuf.add(response);
    if (this.forbidden) status(response, { code: 403, reason: "Forbidden", message: "pods is forbidden" });
    else if (kind === "watch") this.watch(query, response);
    else if (kind === "probe") this.probe(query, response);
    else this.list(query, response);
  }

  private probe(query: URLSearchParams, response: ServerResponse): void {
    if (Number(query.get("resourceVersion")) > this.collection.version && this.probesAnswer504) {
      const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
      status(response, {
        code: 504,
        reason: "Timeout",
        message: "Timeout: Too large resource version",
        details: { causes },
      });
      return;
    }
    this.list(query, response);
  }

  private list(query: URLSearchParams, response: ServerResponse): void {
    const limit = Number(query.get("limit") ?? Number.POSITIVE_INFINITY);
    const [from, version] = (query.get("continue") ?? `0.${this.collection.version}`).split(".").map(Number);
    if (query.has("continue") && (version ?? 0) < this.collection.compactedAt) {
      status(response, { code: 410, reason: "Expired", message: "The provided continue parameter is too old" });
      return;
    }
    const all = [...this.collection.objects.values()].filter(selected(query));
    const end = (from ?? 0) + limit;
    const token = end < all.length ? `${end}.${version}` : undefined;
    const metadata = { resourceVersion: String(version), ...(token === undefined ? {} : { continue: token }) };
    sendList(response, metadata, all.slice(from, end));
  }

  private watch(query: URLSearchParams, response: ServerResponse): void {
    const initial = query.get("sendInitialEvents") === "true";
    let version = Number(query.get("resourceVersion") ?? this.collection.version);
    if (initial && !this.watchListEnabled) {
      const message =
        "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
      status(response, { code: 422, reason: "Invalid", message });
      return;
    }
    const contentType = inProtobuf.has(response) ? `${PROTOBUF};stream=watch` : "application/json";
    response.writeHead(200, { "content-type": contentType }).flushHeaders();
    if (!initial && version < this.collection.compactedAt) {
      send(response, "ERROR", {
        kind: "Status",
        code: 410,
        reason: "Expired",
        message: "too old resource version",
        metadata: {},
      });
      response.end();
      return;
    }
    if (initial) {
      for (const object of [...this.collection.objects.values()].filter(selected(query)))
        send(response, "ADDED", object);
      version = this.collection.version;
      if (this.endBookmarks) send(response, "BOOKMARK", bookmark(version, { "k8s.io/initial-events-end": "true" }));
    }
    this.follow(response, version, selected(query));
  }

  private follow(response: ServerResponse, start: number, wanted: (object: KubeObject) => boolean): void {
    let version = start;
    const flush = () => {
      for (const { type, object } of this.collection.since(version)) {
        // What leaves the selection is sent as deleted, as the API server does.
        send(response, wanted(object) ? type : "DELETED", object);
      }
      version = Math.max(version, this.collection.version);
    };
    const stop = this.collection.onChange(flush);
    this.watches.add(response);
    response.on("close", () => {
      stop();
      this.watches.delete(response);
    });
    flush();
  }
}

/** Equality selectors only. */
function selected(query: URLSearchParams): (object: KubeObject) => boolean {
  const resolvedClass = (query.get("labelSelector") ?? "").split(",").filter((term) => term !== "");
  return ({ metadata }) =>
    resolvedClass.every((term) => metadata.labels?.[term.split("=")[0] ?? ""] === term.split("=")[1]);
}

function bookmark(version: number, annotations?: Record<string, string>) {
  return { kind: "Pod", metadata: { resourceVersion: String(version), ...(annotations && { annotations }) } };
}

function send(response: ServerResponse, type: string, object: unknown): void {
  if (response.writableEnded) return;
  if (inProtobuf.has(response)) response.write(eventFrame(type, encoded(type === "ERROR" ? "Status" : "Pod", object)));
  else response.write(`${JSON.stringify({ type, object })}\n`);
}

/** Those that asked for it. */
const inProtobuf = new WeakSet<ServerResponse>();

function encoded(kind: string, object: unknown): Buffer {
  const type = { apiVersion: "v1", kind };
  return inEnvelope(type, objectBytes(type, object as JsonObject));
}

function sendList(response: ServerResponse, metadata: JsonObject, items: readonly KubeObject[]): void {
  if (!inProtobuf.has(response)) {
    json(response, 200, { kind: "List", metadata, items });
    return;
  }
  const encodedItems = items.map((item) =>
    objectBytes({ apiVersion: "v1", kind: "Pod" }, item as unknown as JsonObject),
  );
  const body = inEnvelope({ apiVersion: "v1", kind: "PodList" }, listBytes(metadata, encodedItems));
  response.writeHead(200, { "content-type": PROTOBUF }).end(body);
}

function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function status(response: ServerResponse, body: { readonly code: number } & Record<string, unknown>): void {
  const object = { kind: "Status", apiVersion: "v1", status: "Failure", ...body };
  if (!inProtobuf.has(response)) json(response, body.code, object);
  else response.writeHead(body.code, { "content-type": PROTOBUF }).end(encoded("Status", object));
}
