/**
 * Schemas of custom resources, typed by the interface that they describe: `SchemaOf<PoolSpec>` compiles only if it has
 * exactly the properties of `PoolSpec`, with the right types and optional marks. `openapi.ts` turns them into OpenAPI
 * v3 for a CustomResourceDefinition; `validate.ts` checks values against them.
 */

/** A JSON object of any content, such as a Job's spec. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is an object with keys, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A rule across or within fields, in CEL for the API server and in TypeScript for all other code. A test on the real
 * server compares the two.
 */
export interface Rule<T> {
  /** CEL over `self` (and `oldSelf` for a transition rule), as in `x-kubernetes-validations`. */
  readonly cel: string;
  /** The mistake and its fix, for a message without a value. */
  readonly message?: string;
  /** CEL that returns the message with the actual value. The server falls back to `message`. */
  readonly messageCel?: string;
  /** Other possible results of `messageCel`, for the reference page. */
  readonly otherMessages?: readonly string[];
  /** The same check on a value of the right shape; returns the message if the check fails. */
  readonly check: (self: T, oldSelf?: T) => string | undefined;
  /** Where in a value that fails the check, such as `[1]`. @default the value itself */
  readonly at?: (self: T) => string;
}

interface SchemaBase<T> {
  /** Meaning of the field, in one or two sentences; `kubectl explain` shows it. */
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
  /** Unit of the number, for messages. */
  readonly unit?: "seconds";
  readonly default?: number;
}

/** A pattern in words: `"X" is not {is}: {use}`. */
export interface PatternWords {
  /** Noun for a text that matches, such as "a namespace". */
  readonly is: string;
  /** How to write such a text, such as "use lower-case letters". */
  readonly use: string;
}

/** A string; `enum` names each value of a union, so that a missing or extra value does not compile. */
export interface StringSchema<T extends string> extends SchemaBase<T> {
  readonly type: "string";
  readonly format?: "date-time";
  readonly enum?: string extends T ? never : { readonly [K in T]: true };
  /** RE2 syntax; for the expressions used here, JavaScript has the same semantics. */
  readonly pattern?: string;
  /** `pattern` in words: a noun for such a text, and how to write it. */
  readonly words?: PatternWords;
  readonly minLength?: number;
  /** Every string has a maximum length, because the server's CEL cost estimate needs it. */
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
  /** Atomic: a merge replaces the whole object, as a reference requires. */
  readonly mapType?: "atomic";
  /** The server adds the object where it is missing, then the defaults of its properties. */
  readonly default?: Readonly<Record<string, never>>;
}

// The schema's type, not only its value, includes whether a property is optional.
type PropertyOf<T, K extends keyof T> = SchemaOf<Exclude<T[K], undefined>> &
  (Record<never, never> extends Pick<T, K> ? { readonly optional: true } : { readonly optional?: never });

/** The schema of values of type `T`. The tuples prevent distribution over unions: a boolean or an enum is one field. */
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

/** A schema without its value's type, for code that walks any schema. */
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
  readonly default?: Readonly<Record<string, never>>;
}
