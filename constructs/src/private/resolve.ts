import { type ApiObject, App, ResolutionContext } from "cdk8s";
import { isLate } from "./prop-types";

type Known = Map<unknown, unknown>;

/** What the resolvers of an app made of texts and numbers. A resolver may run a program for each token. */
const KNOWN = new WeakMap<App, Known>();

/** The resolvers of the AWS CDK and CDKTF return a text that begins like this for a value that is not deployed yet. */
const FAILED = "Failed fetching value for output";

/**
 * The value as cdk8s would write it: without Lazy values and tokens of other CDKs, at any depth of lists and plain
 * objects. Checks need it, and texts that are composed of values: a resolver knows only the token alone.
 *
 * @throws Error if a resolver fails
 */
export function resolved(value: unknown, object: ApiObject, key: readonly string[]): unknown {
  if (value === undefined || value === null) return value;
  const app = App.of(object);
  const known = knownOf(app);
  if (known.has(value)) return known.get(value);
  const replacement = replacementOf(value, object, key);
  if (!replacement) return resolvedParts(value, object, key);
  const result = resolved(replacement.value, object, key);
  if (typeof result === "string" && result.startsWith(FAILED)) throw new Error(result);
  // The app may still change what a Lazy produces.
  if (typeof value !== "object" && typeof value !== "function") known.set(value, result);
  return result;
}

interface Replacement {
  readonly value: unknown;
}

/** What the first resolver that knows the value makes of it; undefined for a plain value. */
function replacementOf(value: unknown, object: ApiObject, key: readonly string[]): Replacement | undefined {
  const { resolvers } = App.of(object) as Partial<Pick<App, "resolvers">>;
  if (!resolvers) return produced(value);
  const context = new ResolutionContext(object, [...key], value);
  for (const resolver of resolvers) {
    resolver.resolve(context);
    if (context.replaced) return { value: context.replacedValue };
  }
  return undefined;
}

/** Old releases of cdk8s have no resolvers, and resolve only Lazy values and objects that resolve themselves. */
function produced(value: unknown): Replacement | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const method of ["produce", "resolve"]) {
    const call: unknown = Reflect.get(value, method);
    if (typeof call === "function") return { value: Reflect.apply(call, value, []) };
  }
  return undefined;
}

function resolvedParts(value: unknown, object: ApiObject, key: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => resolved(item, object, [...key, `${index}`]));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, resolved(part, object, [...key, name])]),
  );
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && value.constructor === Object;
}

function knownOf(app: App): Known {
  const known = KNOWN.get(app);
  if (known) return known;
  const created: Known = new Map();
  KNOWN.set(app, created);
  // A synthesis is synchronous, so no later one needs these results.
  queueMicrotask(() => KNOWN.delete(app));
  return created;
}

/** How the AWS CDK and CDKTF write a token into a text, and into a list of texts. */
const TOKEN_TEXT = /[$#]\{(Tf)?Token\[/;
/** They write a token as a number below this one. */
const TOKEN_NUMBERS = -1e288;

/** Whether the value is a Lazy, or a token of any CDK. */
export function isToken(value: unknown): boolean {
  if (typeof value === "number") return value < TOKEN_NUMBERS;
  return typeof value === "string" ? TOKEN_TEXT.test(value) : isLate(value);
}

/** @throws Error if the value is, or holds, a token that no resolver of the app knows */
export function withoutForeignTokens<T>(value: T): T {
  if (isToken(value)) {
    const fix = "give the App a resolver for it (its property resolvers), or use a plain value";
    throw new Error(`it is a token of another CDK, which no resolver of this app knows: ${fix}`);
  }
  if (Array.isArray(value)) for (const item of value) withoutForeignTokens(item);
  else if (isPlainObject(value)) for (const part of Object.values(value)) withoutForeignTokens(part);
  return value;
}
