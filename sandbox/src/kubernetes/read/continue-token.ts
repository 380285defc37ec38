import { badRequest } from "../api-status.js";
import { isObject } from "../json.js";

/** Where the next page of a list starts. */
export interface PageStart {
  /** The list shows this revision on all its pages; -1: the newest, after the old one was forgotten. */
  readonly revision: number;
  /** Key of the last object of the page before, relative to the namespace that is listed. */
  readonly after: string;
}

const VERSION = "meta.k8s.io/v1";

/** Writes a token in the form of the API server. */
export function writeToken({ revision, after }: PageStart): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `/${after}\u0000` })).toString("base64url");
}

/** Reads a token; throws 400. */
export function readToken(token: string): PageStart {
  const value = parsed(token);
  if (isObject(value) && value.v === VERSION && typeof value.rv === "number" && typeof value.start === "string") {
    return { revision: value.rv, after: value.start.replace(/^\//, "").replace(/\0$/, "") };
  }
  throw badRequest("invalid continue token: continue key is not valid: it is not what the server gave");
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
