/** `{success, errors, messages, result}`: the frame of every answer. */

import type { JsonObject, JsonValue } from "../http/json.js";
import type { SimulatorAnswer } from "../http/message.js";

export interface ApiMessage {
  readonly code: number;
  readonly message: string;
  /** What exactly is wrong, under a general message. */
  readonly chain?: ApiMessage;
}

export function success(result: JsonValue, extra: JsonObject = {}): SimulatorAnswer {
  return { status: 200, body: { result, success: true, errors: [], messages: [], ...extra } };
}

export function failure(status: number, error: ApiMessage): SimulatorAnswer {
  return { status, body: { result: null, success: false, errors: [asJson(error)], messages: [] } };
}

function asJson({ code, message, chain }: ApiMessage): JsonObject {
  return { code, message, ...(chain === undefined ? {} : { error_chain: [asJson(chain)] }) };
}
