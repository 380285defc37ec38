/** The API's refusals: `{id, message, request_id}`. */

import type { JsonObject } from "../http/json.js";
import { Refusal, type SimulatorRequest } from "../http/message.js";

type Named = Pick<SimulatorRequest, "id">;

const IDS: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  412: "precondition_failed",
  413: "request_too_large",
  422: "unprocessable_entity",
  429: "too_many_requests",
  500: "server_error",
  502: "bad_gateway",
  503: "service_unavailable",
  504: "gateway_timeout",
};

/** The body of an error. */
export function errorBody(request: Named, status: number, message: string): JsonObject {
  return { id: IDS[status] ?? "server_error", message, request_id: request.id };
}

export function refusal(request: Named, status: number, message: string): Refusal {
  return new Refusal(message, { status, body: errorBody(request, status, message) });
}

export function notFound(request: Named): Refusal {
  return refusal(request, 404, "The resource you requested could not be found.");
}

/** 422: most refusals; they differ in the message only. */
export function unprocessable(request: Named, message: string): Refusal {
  return refusal(request, 422, message);
}
