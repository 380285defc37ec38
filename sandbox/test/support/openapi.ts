/**
 * Checks requests and answers against an official OpenAPI description. The descriptions are no part of the project:
 * they are looked for in FLIPOP_SPECS, else in `../shared/specs` beside the repository; without them nothing is checked
 * and the tests that exist for it are skipped.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { isSchema, type Schema, type SchemaExceptions, type Strictness, strictCopy } from "./openapi-schema.js";

/** Why a check against an official API description is skipped. */
export const NO_DESCRIPTION = "no official API description beside the repository (../shared/specs)";

export interface ObservedRequest {
  readonly method: string;
  /** With the query, without host and prefix. */
  readonly path: string;
  readonly body?: unknown;
}

export interface ObservedAnswer {
  readonly status: number;
  /** Undefined for an empty body. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A status that the description lacks but the API is known to answer; its body is checked against `schema`. */
export interface ReviewedStatus {
  readonly status: number;
  /** Which `METHOD /path/{as}/described`. */
  readonly on: RegExp;
  /** Name in `components.schemas`. */
  readonly schema: string;
}

export interface OpenApiRules {
  readonly reviewed: readonly ReviewedStatus[];
  readonly exceptions: SchemaExceptions;
}

interface Operation {
  /** `METHOD /path/{as}/described`. */
  readonly key: string;
  readonly method: string;
  readonly parts: readonly string[];
  readonly parameters: readonly Schema[];
  readonly requestBody: Schema | undefined;
  readonly responses: Schema;
  /** Of OAuth, any one of which is enough. */
  readonly scopes: readonly string[];
}

const REPOSITORY = resolve(fileURLToPath(import.meta.url), "../../../..");
const METHODS = ["get", "post", "put", "patch", "delete"];
const warned = new Set<string>();

/** Reads a description; undefined, and one line on stderr, where it is not there. */
export function loadOpenApi(file: string, rules: OpenApiRules): OpenApi | undefined {
  const folder = process.env["FLIPOP_SPECS"] ?? join(REPOSITORY, "../shared/specs");
  const path = join(folder, file);
  if (existsSync(path)) return new OpenApi(JSON.parse(readFileSync(path, "utf8")) as Schema, rules);
  if (!warned.has(file))
    process.stderr.write(`NOT CHECKED against ${file}: set FLIPOP_SPECS to the folder that has it\n`);
  warned.add(file);
  return undefined;
}

export class OpenApi {
  /** Keys of the operations whose answers were checked, documented successes only. */
  readonly hit = new Set<string>();
  readonly operations: readonly Operation[];
  private readonly ajv = addFormats.default(new Ajv({ ...LOOSE, allErrors: true }));
  /** For parameters, which are all texts. */
  private readonly coercing = addFormats.default(new Ajv({ ...LOOSE, coerceTypes: true }));
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(
    private readonly document: Schema,
    private readonly rules: OpenApiRules,
  ) {
    this.ajv.addSchema(document, DOCUMENT);
    this.operations = Object.entries(schemaAt(document, "paths")).flatMap(([path, item]) =>
      METHODS.flatMap((method) => this.operationsOf(path, item as Schema, method)),
    );
  }

  /** Throws unless the operation exists and its parameters and body are as described; unknown fields are errors. */
  checkRequest(request: ObservedRequest): void {
    const operation = this.find(request);
    const [path = "", query = ""] = request.path.split("?");
    this.checkParameters(operation, "path", pathParameters(operation, path));
    this.checkParameters(operation, "query", Object.fromEntries(new URLSearchParams(query)));
    const schema = contentSchema(operation.requestBody);
    if (schema === undefined) {
      if (request.body !== undefined) throw new Error(`${operation.key} takes no body: send none`);
      return;
    }
    if (request.body === undefined) throw new Error(`${operation.key} needs a body`);
    this.check(`${operation.key} request`, schema, request.body, "closed");
  }

  /** Throws unless the answer is one that is described or reviewed, complete and without unknown fields. */
  checkAnswer(request: ObservedRequest, answer: ObservedAnswer): void {
    const operation = this.find(request);
    const documented = operation.responses[String(answer.status)];
    if (isSchema(documented)) this.checkDocumented(operation, this.deref(documented), answer);
    else this.checkReviewed(operation, answer);
    if (isSchema(documented) && answer.status < 300) this.hit.add(operation.key);
  }

  private checkDocumented(operation: Operation, response: Schema, answer: ObservedAnswer): void {
    const what = `${operation.key} -> ${answer.status}`;
    const missing = Object.keys(schemaAt(response, "headers")).filter((name) => answer.headers[name] === undefined);
    if (isSchema(schemaAt(response, "content")["text/plain"])) {
      checkPlain(what, answer);
      return;
    }
    const schema = contentSchema(response);
    const expected = schema === undefined ? missing.filter((name) => name !== "content-type") : missing;
    if (expected.length > 0) throw new Error(`${what} lacks the headers ${expected.join(", ")}`);
    if (schema === undefined) {
      if (answer.body !== undefined) throw new Error(`${what} has a body: it must be empty`);
      return;
    }
    if (!answer.headers["content-type"]?.startsWith("application/json")) throw new Error(`${what} is not JSON`);
    this.check(what, schema, answer.body, "complete");
  }

  private checkReviewed({ key }: Operation, { status, body }: ObservedAnswer): void {
    const rule = this.rules.reviewed.find((candidate) => candidate.status === status && candidate.on.test(key));
    if (rule === undefined) throw new Error(`${key} -> ${status} is neither described nor reviewed`);
    this.check(`${key} -> ${status}`, { $ref: `#/components/schemas/${rule.schema}` }, body, "complete");
  }

  /** As described, and in the stricter form. */
  private check(what: string, schema: Schema, value: unknown, strictness: Strictness): void {
    this.run(what, `${what} as described`, () => absolute(schema), value);
    this.run(`${what} (${strictness})`, `${what} ${strictness}`, () => this.strict(schema, strictness), value);
  }

  private strict(schema: Schema, strictness: Strictness): Schema {
    const { exceptions } = this.rules;
    return strictCopy(schema, { resolve: (ref) => this.resolve(ref), strictness, exceptions, parent: "" });
  }

  private run(what: string, cacheKey: string, schema: () => Schema, value: unknown): void {
    const validate = this.compiled.get(cacheKey) ?? this.ajv.compile(schema());
    this.compiled.set(cacheKey, validate);
    if (validate(value)) return;
    const errors = this.ajv.errorsText(validate.errors, { dataVar: "body", separator: "\n  " });
    throw new Error(`${what}:\n  ${errors}\n  in ${JSON.stringify(value)?.slice(0, 2_000)}`);
  }

  private checkParameters(operation: Operation, place: "path" | "query", values: Record<string, string>): void {
    const parameters = operation.parameters.filter((parameter) => parameter["in"] === place);
    const names = parameters.map((parameter) => String(parameter["name"]));
    const unknown = Object.keys(values).filter((name) => !names.includes(name));
    if (unknown.length > 0) throw new Error(`${operation.key} has no ${place} parameter ${unknown.join(", ")}`);
    for (const parameter of parameters) {
      const name = String(parameter["name"]);
      const value = values[name];
      if (value === undefined && parameter["required"] !== true) continue;
      const validate = this.parameterCheck(operation, name, parameter["schema"]);
      if (!validate({ value })) {
        throw new Error(`${operation.key}: ${name}=${value}: ${this.coercing.errorsText(validate.errors)}`);
      }
    }
  }

  private parameterCheck({ key }: Operation, name: string, schema: unknown): ValidateFunction {
    const cacheKey = `${key} parameter ${name}`;
    const known = this.compiled.get(cacheKey);
    if (known !== undefined) return known;
    const made = this.coercing.compile({ type: "object", properties: { value: schema }, required: ["value"] });
    this.compiled.set(cacheKey, made);
    return made;
  }

  private find({ method, path }: ObservedRequest): Operation {
    const segments = (path.split("?")[0] ?? "").split("/");
    const fitting = this.operations.filter((one) => one.method === method && fits(one.parts, segments));
    const [best] = fitting.sort((a, b) => braces(a) - braces(b));
    if (best === undefined) throw new Error(`${method} ${path} is not described`);
    return best;
  }

  private operationsOf(path: string, item: Schema, method: string): Operation[] {
    const operation = item[method];
    if (!isSchema(operation)) return [];
    const parameters = [...listAt(item, "parameters"), ...listAt(operation, "parameters")];
    const body = operation["requestBody"];
    const security = listAt(operation, "security").flatMap((one) => Object.values(one).flat());
    return [
      {
        ...{ key: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), parts: path.split("/") },
        parameters: parameters.map((parameter) => this.deref(parameter)),
        requestBody: isSchema(body) ? this.deref(body) : undefined,
        responses: schemaAt(operation, "responses"),
        scopes: security.map(String),
      },
    ];
  }

  private deref(value: Schema): Schema {
    return typeof value["$ref"] === "string" ? this.deref(this.resolve(value["$ref"])) : value;
  }

  private resolve(ref: string): Schema {
    return ref
      .replace(/^#\//, "")
      .split("/")
      .reduce((found, key) => schemaAt(found, key.replaceAll("~1", "/").replaceAll("~0", "~")), this.document);
  }
}

/** OpenAPI 3.0 has keywords that JSON Schema has not, and patterns that need no `u` flag. */
const LOOSE = { strict: false, unicodeRegExp: false };
const DOCUMENT = "https://flipop.invalid/openapi";

/** References of a part that is compiled on its own point into the whole description. */
function absolute(schema: Schema): Schema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT}#/`);
  return JSON.parse(text) as Schema;
}

function contentSchema(holder: Schema | undefined): Schema | undefined {
  const schema = schemaAt(schemaAt(holder ?? {}, "content"), "application/json")["schema"];
  return isSchema(schema) ? schema : undefined;
}

function checkPlain(what: string, { headers, body }: ObservedAnswer): void {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("text/plain") || typeof body !== "string") throw new Error(`${what} is not plain text: ${type}`);
}

function pathParameters({ parts }: Operation, path: string): Record<string, string> {
  const segments = path.split("/").map(decodeURIComponent);
  return Object.fromEntries(
    parts.flatMap((part, index) => (part.startsWith("{") ? [[part.slice(1, -1), segments[index] ?? ""]] : [])),
  );
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  return (
    parts.length === segments.length && parts.every((part, index) => part.startsWith("{") || part === segments[index])
  );
}

function braces({ parts }: Operation): number {
  return parts.filter((part) => part.startsWith("{")).length;
}

function schemaAt(holder: Schema, key: string): Schema {
  const value = holder[key];
  return isSchema(value) ? value : {};
}

function listAt(holder: Schema, key: string): readonly Schema[] {
  const value = holder[key];
  return Array.isArray(value) ? value.filter(isSchema) : [];
}
