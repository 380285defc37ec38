import type { IncomingMessage } from "node:http";

/** More than any request of these APIs. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The whole body as text; `too-large` beyond 1 MiB (the rest is read and dropped). Rejects when the client leaves. */
export async function readBody(incoming: IncomingMessage): Promise<{ readonly read: string } | "too-large"> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? "too-large" : { read: Buffer.concat(chunks).toString("utf8") };
}

/** Path and query below the prefix; undefined outside of it. */
export function belowPrefix(target: string, prefix: string): { path: string; query: URLSearchParams } | undefined {
  const cut = target.indexOf("?");
  const full = cut < 0 ? target : target.slice(0, cut);
  const query = new URLSearchParams(cut < 0 ? "" : target.slice(cut + 1));
  if (full !== prefix && !full.startsWith(`${prefix}/`)) return undefined;
  return { path: full.slice(prefix.length) || "/", query };
}

/** `/a/b` from `a/b/`, `""` from `/`. */
export function normalPrefix(prefix: string): string {
  const bare = prefix.replace(/^\/+|\/+$/g, "");
  return bare === "" ? "" : `/${bare}`;
}
