import { defined, type JsonObject } from "./json.js";

/** One reason of a refusal. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** What a Status says about its subject. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural if the storage refused the object, the kind if the object is invalid. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

interface StatusSpec {
  readonly code: number;
  readonly message: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  /** For a 410 on a page of a list: where to go on, without consistency. */
  readonly continueToken?: string;
}

/** A refusal, with the Status that the API server answers. */
export class ApiStatus extends Error {
  override readonly name = "ApiStatus";
  readonly code: number;

  constructor(private readonly spec: StatusSpec) {
    super(spec.message);
    this.code = spec.code;
  }

  /** Seconds for the Retry-After header. */
  get retryAfterSeconds(): number | undefined {
    return this.spec.details?.retryAfterSeconds;
  }

  /** The Status object. */
  body(): JsonObject {
    const { message, reason, details, code, continueToken } = this.spec;
    const metadata = continueToken === undefined ? {} : { continue: continueToken };
    return defined({
      kind: "Status",
      apiVersion: "v1",
      metadata,
      status: "Failure",
      message,
      reason,
      details: details && withoutEmpty(details),
      code,
    });
  }
}

function withoutEmpty(details: StatusDetails): JsonObject {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined && value !== ""));
}

/** Names a resource in messages: `pods`, `leases.coordination.k8s.io`. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** `plural.group`, or the plural alone in the core group. */
export function qualified(name: string, group: string): string {
  return group === "" ? name : `${name}.${group}`;
}

function about({ group, plural }: Subject, name: string, causes?: readonly StatusCause[]): StatusDetails {
  return { name, group, kind: plural, ...(causes && { causes }) };
}

/** 404 for an object. */
export function notFound(subject: Subject, name: string): ApiStatus {
  const message = `${qualified(subject.plural, subject.group)} "${name}" not found`;
  return new ApiStatus({ code: 404, reason: "NotFound", message, details: about(subject, name) });
}

/** 404 for a resource that the server does not have. */
export function noSuchResource(): ApiStatus {
  const message = "the server could not find the requested resource";
  return new ApiStatus({ code: 404, reason: "NotFound", message, details: {} });
}

export function alreadyExists(subject: Subject, name: string, beingDeleted: boolean): ApiStatus {
  const prefix = beingDeleted ? "object is being deleted: " : "";
  const message = `${prefix}${qualified(subject.plural, subject.group)} "${name}" already exists`;
  return new ApiStatus({ code: 409, reason: "AlreadyExists", message, details: about(subject, name) });
}

/** 409; `why` follows the name of the object. */
export function conflict(subject: Subject, name: string, why: string): ApiStatus {
  const message = `Operation cannot be fulfilled on ${qualified(subject.plural, subject.group)} "${name}": ${why}`;
  return new ApiStatus({ code: 409, reason: "Conflict", message, details: about(subject, name) });
}

/** 409 for a write that is based on an older version. */
export function modified(subject: Subject, name: string): ApiStatus {
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(subject, name, why);
}

/** 403 by a rule of the server, not because a permission is missing. */
export function forbidden(subject: Subject, name: string, why: string, causes?: readonly StatusCause[]): ApiStatus {
  const message = `${qualified(subject.plural, subject.group)} "${name}" is forbidden: ${why}`;
  return new ApiStatus({ code: 403, reason: "Forbidden", message, details: about(subject, name, causes) });
}

export function badRequest(message: string): ApiStatus {
  return new ApiStatus({ code: 400, reason: "BadRequest", message });
}

/** 500: what the server answers where it did not foresee a mistake. */
export function internalError(message: string): ApiStatus {
  return new ApiStatus({ code: 500, message });
}

export function methodNotAllowed(): ApiStatus {
  const message = "the server does not allow this method on the requested resource";
  return new ApiStatus({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

export function unsupportedMediaType(message: string): ApiStatus {
  return new ApiStatus({ code: 415, reason: "UnsupportedMediaType", message });
}

export function unauthorized(): ApiStatus {
  return new ApiStatus({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

/** 410: what was asked for is no longer remembered. */
export function expired(message: string, continueToken?: string): ApiStatus {
  return new ApiStatus({
    code: 410,
    reason: "Expired",
    message,
    ...(continueToken !== undefined && { continueToken }),
  });
}

/** 504 for a resource version that is not reached yet. */
export function tooLarge(wanted: number, current: number): ApiStatus {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  return new ApiStatus({ code: 504, reason: "Timeout", message, details: { causes, retryAfterSeconds: 1 } });
}

/** 422 for a JSON patch that can't be carried out, a failed `test` included. */
export function patchRefused(): ApiStatus {
  const message = "the server rejected our request due to an error in our request";
  return new ApiStatus({ code: 422, reason: "Invalid", message, details: {} });
}
