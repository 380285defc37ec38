/**
 * The API's refusals. Cloudflare publishes no list of its codes: these are the ones that clients report. Where a code
 * could not be found, the general 1004 stands in.
 */

import type { ServerError } from "../http/api.js";
import { Refusal, type SimulatorAnswer, type SimulatorRequest } from "../http/message.js";
import { type ApiMessage, failure } from "./envelope.js";

type Path = Pick<SimulatorRequest, "path" | "baseUrl">;

export function refusal(status: number, error: ApiMessage): Refusal {
  return new Refusal(error.message, failure(status, error));
}

export const REFUSALS = {
  missingCredentials: () =>
    refusal(400, { code: 9106, message: "Missing X-Auth-Key, X-Auth-Email or Authorization headers" }),
  malformedToken: () =>
    refusal(400, {
      code: 6003,
      message: "Invalid request headers",
      chain: { code: 6111, message: "Invalid format for Authorization header" },
    }),
  /** Of a token that is asked about itself. */
  invalidToken: () => refusal(401, { code: 1000, message: "Invalid API Token" }),
  unknownToken: () => refusal(403, { code: 9109, message: "Invalid access token" }),
  /** Of zones. */
  forbiddenZone: () => refusal(403, { code: 9109, message: "Unauthorized to access requested resource" }),
  /** Of DNS records. */
  forbiddenRecords: () => refusal(403, { code: 10000, message: "Authentication error" }),
  rateLimited: (limit: number, seconds: number) => refusal(429, tooManyCalls(limit, seconds)),
  unroutable: (request: Path) =>
    refusal(404, {
      code: 7003,
      message: `Could not route to ${pathOf(request)}, perhaps your object identifier is invalid?`,
    }),
  unknownZone: () => refusal(404, { code: 1001, message: "Invalid zone identifier" }),
  unknownRecord: () => refusal(404, { code: 81044, message: "Record does not exist." }),
  recordExists: () => refusal(400, { code: 81057, message: "Record already exists." }),
  identicalRecord: () => refusal(400, { code: 81058, message: "An identical record already exists." }),
  hostTaken: () => refusal(400, { code: 81053, message: "An A, AAAA, or CNAME record with that host already exists." }),
  cnameInTheWay: () => refusal(400, { code: 81054, message: "A CNAME record with that host already exists." }),
  quota: () => refusal(400, { code: 81045, message: "Record quota exceeded." }),
  /** @param code the specific code, listed below the general one. */
  invalid: (code: number, message: string) =>
    refusal(400, { code: 1004, message: "DNS Validation Error", chain: { code, message } }),
  badParameter: (message: string) => refusal(400, { code: 1004, message }),
} as const;

/** What the server itself has to say. */
export function serverError(request: Path, status: number, reason: ServerError): SimulatorAnswer {
  return failure(status, reason === "injected" ? injected(status) : OWN[reason](request));
}

const OWN: Readonly<Record<Exclude<ServerError, "injected">, (request: Path) => ApiMessage>> = {
  "no-such-route": () => ({ code: 7000, message: "No route for that URI" }),
  "malformed-json": () => ({ code: 6007, message: "Malformed JSON in request body" }),
  "too-large": () => ({ code: 1004, message: "Request body is too large" }),
  internal: () => ({ code: 10013, message: "The simulator failed; see its log" }),
};

function injected(status: number): ApiMessage {
  if (status === 429) return tooManyCalls(1_200, 300);
  if (status === 401 || status === 403) return { code: 10000, message: "Authentication error" };
  return { code: 10013, message: "An unknown error has occurred" };
}

function tooManyCalls(limit: number, seconds: number): ApiMessage {
  const message = `More than ${limit} requests per ${seconds} seconds reached. Please wait and consider throttling your request speed`;
  return { code: 10100, message };
}

function pathOf({ path, baseUrl }: Path): string {
  return `${new URL(baseUrl).pathname.replace(/\/$/, "")}${path}`;
}
