/** The errors in an answer's envelope, and what Cloudflare's codes mean. It publishes no list: see each one's source. */

import type { Answer } from "../answer.js";
import type { ProviderErrorProps } from "../errors.js";

/** What an answer says went wrong. */
export interface ApiErrors {
  /** Of all errors and of the chains under them. */
  readonly codes: readonly number[];
  /** The messages, the most precise last. */
  readonly text: string;
}

const MAX_CHAIN = 3;

/** `undefined`: the body is not the API's, such as a proxy's page. */
export function readApiErrors(body: Answer): ApiErrors | undefined {
  try {
    body.at("success").boolean();
    const found = body
      .at("errors")
      .items()
      .flatMap((item) => readError(item, MAX_CHAIN));
    return { codes: found.map(({ code }) => code), text: found.map(({ message }) => message).join(": ") };
  } catch {
    return undefined;
  }
}

interface ApiError {
  readonly code: number;
  readonly message: string;
}

function readError(error: Answer, depth: number): readonly ApiError[] {
  const chain = error.at("error_chain");
  const below = chain.empty || depth === 0 ? [] : chain.items().flatMap((item) => readError(item, depth - 1));
  return [{ code: error.at("code").natural(), message: error.at("message").string() }, ...below];
}

type Meaning = Pick<ProviderErrorProps, "kind" | "reason" | "remedy">;

const TOKEN: Meaning = {
  kind: "Unauthorized",
  remedy: "set CLOUDFLARE_TOKEN to a valid API token with the rights Zone: Read and DNS: Edit on this zone",
};
const ZONE: Meaning = {
  kind: "NotFound",
  remedy: "check dnsRecordSet.zone, and that CLOUDFLARE_API_URL, if it is set, ends with /client/v4",
};
const READ_AGAIN = "the record set is read again, and the plan is made anew";
const EXISTS: Meaning = { kind: "Conflict", reason: "RecordExists", remedy: READ_AGAIN };
const EXCLUDED: Meaning = {
  kind: "Conflict",
  reason: "RecordExists",
  remedy: "delete the record that excludes addresses of this name (a CNAME or NS), or use another name",
};

const MEANINGS: Readonly<Record<number, Meaning>> = {
  // Malformed, missing or unknown credentials; no right on the zone.
  6003: TOKEN,
  6111: TOKEN,
  9106: TOKEN,
  9109: TOKEN,
  10000: TOKEN,
  // The zone's id, or the path of the base URL.
  1001: ZONE,
  1003: ZONE,
  7000: ZONE,
  7003: ZONE,
  81044: { kind: "Conflict", remedy: READ_AGAIN },
  81045: { kind: "QuotaExceeded", remedy: "delete records of the zone that are not used, or choose a larger plan" },
  81053: EXCLUDED,
  81054: EXCLUDED,
  81056: EXCLUDED,
  81057: EXISTS,
  81058: EXISTS,
  9021: { kind: "Terminal", remedy: "set dnsRecordSet.ttl to 1 (automatic) or to 60 to 86400 seconds" },
};

/** The meaning of the most precise code that is known. */
export function meaningOfCodes({ codes }: ApiErrors): Meaning | undefined {
  return codes
    .map((code) => MEANINGS[code])
    .filter((meaning) => meaning !== undefined)
    .at(-1);
}
