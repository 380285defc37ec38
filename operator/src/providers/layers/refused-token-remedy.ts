/** Pure: what surrounds a token that a person copied with it. No part of the token is in the answer. */

import { failedCalls, type Remedy } from "../../messages/failed-calls.js";

/** Of a token that the API refuses. `undefined`: it has the form of one. */
export function formRemedy(token: string, place: string): Remedy | undefined {
  if (isBase64OfText(token)) return failedCalls.tokenInBase64(place);
  const prefix = PREFIX.exec(token)?.[0].trim();
  if (prefix !== undefined) return failedCalls.tokenWithMore(place, `begins with ${prefix}`);
  if (JSON_TEXT.test(token)) return failedCalls.tokenWithMore(place, "is JSON");
  return QUOTED.test(token) ? failedCalls.tokenWithMore(place, "is enclosed in quotation marks") : undefined;
}

/** A line of an env file, or the value of a header. Other names might be part of a token. */
const PREFIX = /^(?:(?:export )?[A-Z][A-Z0-9_]*(?:TOKEN|KEY|SECRET)=(?=[^=])|(?:authorization: *)?(?:bearer|token) +)/i;
/** A secret store may keep several entries as one. */
const JSON_TEXT = /^\{.*\}$|^\[.*\]$/;
const QUOTED = /^(["'`]).*\1$/;

/** Of a text without spaces, perhaps with the line break that `echo` adds. Random letters and digits never are. */
function isBase64OfText(token: string): boolean {
  const text = Buffer.from(token, "base64");
  return text.toString("base64") === token && /^[\x21-\x7e]{8,}\n?$/.test(text.toString("latin1"));
}
