import { allProviders } from "../api/providers";
import { isObject } from "../api/schema/schema";
import type { Refusal } from "./refusal-collector";

const LOOKS = "the value looks like an API token (not shown here): put it into a Secret";

/** Error for a token in a resource. It does not show the value, because logs may contain the error. */
export const TOKEN_REFUSED = `${LOOKS}, and refer to that Secret by its name`;

/** The same error for an operator, which has props for its tokens. */
export function operatorTokenRefused(): string {
  const props = allProviders().map(({ prop }) => prop);
  const choice = [props.slice(0, -1).join(", "), ...props.slice(-1)].filter((text) => text !== "").join(" or ");
  return `${LOOKS} and use ${choice} with Credentials.fromSecretName(...)`;
}

/** No provider has shorter tokens. */
const MIN_LENGTH = 20;

/** Whether a text contains an API token of a provider. */
export function holdsToken(text: string): boolean {
  return text.length >= MIN_LENGTH && patterns().some((pattern) => pattern.test(text));
}

let compiled: readonly RegExp[] | undefined;

function patterns(): readonly RegExp[] {
  compiled ??= allProviders().flatMap(({ tokenForms }) => tokenForms.map(tokenPattern));
  return compiled;
}

function tokenPattern(form: string | number): RegExp {
  if (typeof form === "string") return new RegExp(form);
  return new RegExp(`(?:^|[^\\w-])(?=[\\w-]*[a-z])(?=[\\w-]*[A-Z])(?=[\\w-]*\\d)[\\w-]{${form}}(?![\\w-])`);
}

/** The paths of the texts with tokens in plain data. If a key has a token, it is the path of the object. */
export function tokenPaths(value: unknown, path: string): readonly string[] {
  if (typeof value === "string") return holdsToken(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => tokenPaths(item, `${path}[${index}]`));
  if (!isObject(value) || !isPlain(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => {
    if (holdsToken(key)) return [path];
    return tokenPaths(entry, path === "" ? key : `${path}.${key}`);
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * The refusals, with one for each prop that has a token. Refusals that would show a token or that repeat such a prop are
 * left out.
 */
export function withoutTokens(
  refusals: readonly Refusal[],
  props: readonly string[],
  message: string,
): readonly Refusal[] {
  const found = [...new Set(props)].map((prop) => ({ prop, message }));
  const others = refusals
    .filter(({ prop }) => !props.includes(prop))
    .map((refusal) => {
      if (!holdsToken(refusal.message) && !holdsToken(refusal.prop)) return refusal;
      const prop = holdsToken(refusal.prop) ? refusal.prop.replace(/[.[].*/s, "") : refusal.prop;
      return props.some((path) => path.startsWith(prop)) ? undefined : { prop, message };
    });
  return [...found, ...others.filter((refusal) => refusal !== undefined)];
}
