/**
 * Schemas of custom resources, typed by the interface they describe: `SchemaOf<PoolSpec>` compiles only while it has
 * every property of `PoolSpec`, no other, each of the right type and rightly marked optional.
 * `openapi.ts` turns them into OpenAPI v3 for a CustomResourceDefinition; `validate.ts` checks values against them.
 */

/** A JSON object of any content, such as a Job's spec. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is an object with keys, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A rule across or within fields, told twice: in CEL for the API server, and in TypeScript for everybody else.
 * A test on the real server holds the two against each other.
 */
export interface Rule<T> {
  /** CEL over `self` (and `oldSelf` for a transition rule), as in `x-kubernetes-validations`. */
  readonly cel: string;
  /** What is wrong and how to fix it, where the message needs no value. */
  readonly message?: string;
  /** CEL that yields the message with the value seen. `message` is then the fallback of the server. */
  readonly messageCel?: string;
  /** Other messages that `messageCel` may yield, for the reference page. */
  readonly otherMessages?: readonly string[];
  /** The same check on a value of the right shape: the message where it fails. */
  readonly check: (self: T, oldSelf?: T) => string | undefined;
}

interface SchemaBase<T> {
  /** What the field means, in one or two sentences; `kubectl explain` shows it. */
  readonly description: string;
  /** An example value for the reference page. */
  readonly example?: unknown;
  readonly rules?: readonly Rule<T>[];
}

/** true or false. */
export interface BooleanSchema extends SchemaBase<boolean> {
  readonly type: "boolean";
  readonly default?: boolean;
}

/** A number, or an integer of the given format. */
export interface NumberSchema extends SchemaBase<number> {
  readonly type: "integer" | "number";
  readonly format?: "int32" | "int64";
  readonly minimum?: number;
  readonly maximum?: number;
  /** What it counts, for messages. */
  readonly unit?: "seconds";
  readonly default?: number;
}

/** A pattern in words: `"X" is not {is}: {use}`. */
export interface PatternWords {
  /** What a text of the pattern is, such as "a namespace". */
  readonly is: string;
  /** How to write one, such as "use lower-case letters". */
  readonly use: string;
}

/** A string; `enum` names each value of a union, so that one too few or too many does not compile. */
export interface StringSchema<T extends string> extends SchemaBase<T> {
  readonly type: "string";
  readonly format?: "date-time";
  readonly enum?: string extends T ? never : { readonly [K in T]: true };
  /** RE2, which JavaScript reads the same way for the expressions used here. */
  readonly pattern?: string;
  /** What `pattern` asks for, in words: what such a text is, and how to write it. */
  readonly words?: PatternWords;
  readonly minLength?: number;
  /** Every string has a bound: the server's CEL cost estimate needs it. */
  readonly maxLength?: number;
  readonly default?: T;
}

/** A list. `map` lists are keyed by the `keys` properties of their items. */
export interface ArraySchema<E> extends SchemaBase<readonly E[]> {
  readonly type: "array";
  readonly items: SchemaOf<E>;
  readonly maxItems: number;
  readonly listType: "atomic" | "set" | "map";
  readonly keys?: readonly (keyof E & string)[];
}

/** An object whose keys are data, such as addresses. */
export interface MapSchema<V> extends SchemaBase<{ readonly [key: string]: V }> {
  readonly type: "map";
  readonly values: SchemaOf<V>;
  readonly maxProperties: number;
}

/** An object of any content: the server keeps unknown fields. */
export interface OpenObjectSchema extends SchemaBase<JsonObject> {
  readonly type: "open";
}

/** An object with known properties. */
export interface ObjectSchema<T> extends SchemaBase<T> {
  readonly type: "object";
  readonly properties: { readonly [K in keyof T]-?: PropertyOf<T, K> };
  /** Atomic: replaced whole by a merge, as a reference must be. */
  readonly mapType?: "atomic";
}

// Whether a property is optional is part of the schema's type, not only of its value.
type PropertyOf<T, K extends keyof T> = SchemaOf<Exclude<T[K], undefined>> &
  (Record<never, never> extends Pick<T, K> ? { readonly optional: true } : { readonly optional?: never });

/** The schema of values of type `T`. The tuples keep unions whole: a boolean or an enum is one field. */
export type SchemaOf<T> = [T] extends [boolean]
  ? BooleanSchema
  : [T] extends [number]
    ? NumberSchema
    : [T] extends [string]
      ? StringSchema<T>
      : [T] extends [readonly (infer E)[]]
        ? ArraySchema<E>
        : string extends keyof T
          ? unknown extends T[keyof T]
            ? OpenObjectSchema
            : MapSchema<T[keyof T]>
          : ObjectSchema<T>;

/** A schema whose type is no longer known, for code that walks any schema. */
export type AnySchema =
  | BooleanSchema
  | NumberSchema
  | AnyStringSchema
  | AnyArraySchema
  | AnyMapSchema
  | OpenObjectSchema
  | AnyObjectSchema;

interface Walked {
  readonly description: string;
  readonly example?: unknown;
  readonly optional?: boolean;
  readonly rules?: readonly Rule<never>[];
}

export interface AnyStringSchema extends Walked {
  readonly type: "string";
  readonly format?: string;
  readonly enum?: { readonly [value: string]: true };
  readonly pattern?: string;
  readonly words?: PatternWords;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string;
}

export interface AnyArraySchema extends Walked {
  readonly type: "array";
  readonly items: AnySchema;
  readonly maxItems: number;
  readonly listType: "atomic" | "set" | "map";
  readonly keys?: readonly string[];
}

export interface AnyMapSchema extends Walked {
  readonly type: "map";
  readonly values: AnySchema;
  readonly maxProperties: number;
}

export interface AnyObjectSchema extends Walked {
  readonly type: "object";
  readonly properties: { readonly [name: string]: AnySchema & { readonly optional?: boolean } };
  readonly mapType?: "atomic";
}
