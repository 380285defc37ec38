/** Pure: what goes on the wire for a request. */
import type { KubeRequest } from "./client.js";
import { PROTOBUF } from "./protobuf/decoder.js";

export interface ServerAddress {
  /** `https://host:port` */
  readonly origin: string;
  readonly host: string;
  /** Path in front of every request's, without a slash at its end; empty for most servers. */
  readonly prefix: string;
}

const JSON_TYPE = "application/json";

export function serverAddress(server: string): ServerAddress {
  const url = new URL(server);
  return { origin: url.origin, host: url.host, prefix: url.pathname.replace(/\/+$/, "") };
}

export function requestOptions(
  address: ServerAddress,
  request: KubeRequest,
  headers: Readonly<Record<string, string | string[]>>,
) {
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  return {
    origin: address.origin,
    path: address.prefix + request.path + queryString(request.query),
    method: request.method,
    headers: {
      accept: request.decoder === undefined ? JSON_TYPE : `${PROTOBUF}, ${JSON_TYPE}`,
      ...(body === null ? {} : { "content-type": contentType(request) }),
      ...headers,
    },
    body,
  };
}

/** The request in a message: `GET https://host/path (source)`, without its query. */
export function describeRequest(address: ServerAddress, request: KubeRequest, source: string): string {
  return `${request.method} ${address.origin}${address.prefix}${request.path} (${source})`;
}

function contentType(request: KubeRequest): string {
  return request.contentType ?? (request.method === "PATCH" ? "application/merge-patch+json" : "application/json");
}

function queryString(query: KubeRequest["query"]): string {
  const omitUndefined = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (omitUndefined.length === 0) return "";
  return `?${new URLSearchParams(omitUndefined.map(([key, value]): [string, string] => [key, String(value)])).toString()}`;
}
