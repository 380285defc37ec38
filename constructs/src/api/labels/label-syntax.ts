/**
 * Syntax of Kubernetes' label keys, label values and names (RFC 1123), as regular expressions for RE2 and JavaScript.
 */

/** A non-empty label value, and the name part of a key: at most 63 characters. */
export const LABEL_NAME_PATTERN = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

/** Maximum length of a DNS subdomain, and thus of a label key's prefix. */
export const MAX_PREFIX_LENGTH = 253;

/**
 * A label key: an optional DNS subdomain and "/", then a name of at most 63 characters. The pattern does not limit the
 * prefix's length.
 */
export const LABEL_KEY_PATTERN = `(${SUBDOMAIN}/)?${LABEL_NAME_PATTERN}`;
/** A label value: empty, or a name of at most 63 characters. */
export const LABEL_VALUE_PATTERN = `(${LABEL_NAME_PATTERN})?`;
/** A namespace or Secret-key-safe DNS label of at most 63 characters. */
export const DNS_LABEL_PATTERN = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
/** The name of most Kubernetes objects. */
export const DNS_SUBDOMAIN_PATTERN = SUBDOMAIN;

/** `DNS_LABEL_PATTERN` in words. */
export const DNS_LABEL_WORDS = {
  is: "a DNS label",
  use: 'use at most 63 lower-case letters, digits and "-", with a letter or digit at each end',
} as const;
/** `DNS_SUBDOMAIN_PATTERN` in words. */
export const DNS_SUBDOMAIN_WORDS = {
  is: "the name of an object",
  use: 'use lower-case letters, digits, "-" and ".", with a letter or digit at each end',
} as const;

const KEY = new RegExp(`^${LABEL_KEY_PATTERN}$`);
const VALUE = new RegExp(`^${LABEL_VALUE_PATTERN}$`);

/** Why `key` is not a label key; undefined if it is one. */
export function labelKeyProblem(key: string): string | undefined {
  if (key.includes("/") && key.indexOf("/") > MAX_PREFIX_LENGTH) {
    return `the prefix of label key "${key}" has more than ${MAX_PREFIX_LENGTH} characters: shorten it`;
  }
  if (KEY.test(key)) return undefined;
  return `"${key}" is not a label key: write [prefix/]name, with a name of at most 63 letters, digits, "-", "_" and "."`;
}

/** Why `value` is not a label value; undefined if it is one. */
export function labelValueProblem(value: string): string | undefined {
  if (VALUE.test(value)) return undefined;
  return `"${value}" is not a label value: use at most 63 letters, digits, "-", "_" and "."`;
}
