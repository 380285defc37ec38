import { badRequest, internalError } from "../api-status.js";
import { type FieldError, forbiddenField, invalidOptions, notSupported } from "../field-error.js";

/** Options of a list or watch that speak of versions and pages. */
export interface ListOptions {
  /** Absent: the newest state. 0: any state will do. */
  readonly resourceVersion?: number;
  readonly match?: "Exact" | "NotOlderThan";
  /** 0: no limit. */
  readonly limit: number;
  /** "": from the start. */
  readonly continueToken: string;
}

/** Options of a watch. */
export interface WatchOptions {
  /** Absent or 0: begin with the current state. */
  readonly resourceVersion?: number;
  /** Begin with the current state, and say where it ends. */
  readonly sendInitialEvents?: boolean;
  readonly allowBookmarks: boolean;
  /** Absent: the server's own limit. */
  readonly timeoutSeconds?: number;
}

/** Reads the options of a list; throws 400 and 422. */
export function readListOptions(query: URLSearchParams): ListOptions {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const continueToken = query.get("continue") ?? "";
  const errors = listErrors(query, { match, version, continueToken });
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  const resourceVersion = readVersion(version, (why) => badRequest(`invalid resource version: ${why}`));
  if (continueToken !== "" && resourceVersion) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return {
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...((match === "Exact" || match === "NotOlderThan") && { match }),
    limit: readInteger(query, "limit"),
    continueToken,
  };
}

interface VersionTexts {
  readonly match: string;
  readonly version: string;
  readonly continueToken: string;
}

const MATCH = "resourceVersionMatch";

function listErrors(query: URLSearchParams, { match, version, continueToken }: VersionTexts): FieldError[] {
  const found: FieldError[] = [];
  if (query.get("sendInitialEvents")) {
    found.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (match === "") return found;
  if (continueToken !== "") found.push(forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`));
  else if (version === "")
    found.push(forbiddenField(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
  if (match !== "Exact" && match !== "NotOlderThan") {
    found.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
  }
  if (match === "Exact" && version === "0") {
    found.push(forbiddenField(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  return found;
}

/** Reads the options of a watch; throws 400, 422 and, for a version that is no number, 500. */
export function readWatchOptions(query: URLSearchParams): WatchOptions {
  const match = query.get(MATCH) ?? "";
  const initial = query.get("sendInitialEvents") ?? "";
  const errors = watchErrors(match, initial);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  const resourceVersion = readVersion(query.get("resourceVersion") ?? "", internalError);
  const timeoutSeconds = readInteger(query, "timeoutSeconds");
  return {
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(initial !== "" && { sendInitialEvents: isTrue(initial) }),
    allowBookmarks: isTrue(query.get("allowWatchBookmarks") ?? ""),
    ...(timeoutSeconds > 0 && { timeoutSeconds }),
  };
}

function watchErrors(match: string, initial: string): FieldError[] {
  if (initial === "") {
    const why = `${MATCH} is forbidden for watch unless sendInitialEvents is provided`;
    return match === "" ? [] : [forbiddenField(MATCH, why)];
  }
  if (match === "NotOlderThan") return [];
  const missing = forbiddenField(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  return match === "" ? [missing] : [missing, notSupported(MATCH, match, ["NotOlderThan"])];
}

/** Whether a query parameter is set to true. */
export function isTrue(text: string): boolean {
  return text === "true" || text === "1";
}

/** A resource version; undefined for none. */
export function readVersion(text: string, refuse: (why: string) => Error): number | undefined {
  if (text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const shown = JSON.stringify(text);
  throw refuse(`resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`);
}

function readInteger(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  if (text === "") return 0;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Math.max(0, Number(text));
}
