/** Reads fields of a request's body; a wrong type is refused with 422. */

import { isObject, type JsonObject, type JsonValue } from "../http/json.js";
import type { SimulatorRequest } from "../http/message.js";
import { refusal, unprocessable } from "./errors.js";

/** The body, which must be an object: else 400. */
export function bodyOf(request: SimulatorRequest): JsonObject {
  if (!isObject(request.body)) throw refusal(request, 400, "error parsing request body");
  return request.body;
}

/** A text; undefined where the field is absent or null. */
export function textField(request: SimulatorRequest, from: JsonObject, name: string): string | undefined {
  const value = from[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrongType(request, name, "a string", value);
  return value;
}

/** A whole number, also as a text of digits, as the API takes it; undefined where the field is absent or null. */
export function integerField(request: SimulatorRequest, from: JsonObject, name: string): number | undefined {
  const value = from[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) throw wrongType(request, name, "an integer", value);
  return number;
}

export function booleanField(request: SimulatorRequest, from: JsonObject, name: string): boolean | undefined {
  const value = from[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw wrongType(request, name, "a boolean", value);
  return value;
}

/** A list; empty where the field is absent or null. */
export function listField(request: SimulatorRequest, from: JsonObject, name: string): readonly JsonValue[] {
  const value = from[name];
  if (value === undefined || value === null) return [];
  if (!isList(value)) throw wrongType(request, name, "an array", value);
  return value;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function textsField(request: SimulatorRequest, from: JsonObject, name: string): readonly string[] {
  return listField(request, from, name).map((value) => {
    if (typeof value !== "string") throw wrongType(request, name, "an array of strings", value);
    return value;
  });
}

export function integersField(request: SimulatorRequest, from: JsonObject, name: string): readonly number[] {
  return listField(request, from, name).map((value) => {
    if (typeof value !== "number" || !Number.isInteger(value)) {
      throw wrongType(request, name, "an array of integers", value);
    }
    return value;
  });
}

/** 422 where the field is missing. */
export function required<T>(request: SimulatorRequest, name: string, value: T | undefined): T {
  if (value === undefined) throw unprocessable(request, `${name} is required.`);
  return value;
}

function wrongType(request: SimulatorRequest, name: string, expected: string, value: JsonValue): Error {
  return unprocessable(request, `${name} must be ${expected}, not ${JSON.stringify(value)}.`);
}
