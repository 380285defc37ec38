import { DNS_LABEL_PATTERN, DNS_LABEL_WORDS, DNS_SUBDOMAIN_PATTERN, DNS_SUBDOMAIN_WORDS } from "../labels/label-syntax";
import type { SchemaOf } from "../schema/schema";

/** Longest name of a Kubernetes object. */
export const MAX_NAME_LENGTH = 253;

/** Schema of the name of another object. */
export function nameSchema(description: string, example: string): SchemaOf<string> {
  return {
    type: "string",
    description,
    example,
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: `^${DNS_SUBDOMAIN_PATTERN}$`,
    words: DNS_SUBDOMAIN_WORDS,
  };
}

/** Schema of the name of a namespace or Service. */
export function dnsLabelSchema(description: string, example: string): SchemaOf<string> {
  return {
    type: "string",
    description,
    example,
    minLength: 1,
    maxLength: 63,
    pattern: `^${DNS_LABEL_PATTERN}$`,
    words: DNS_LABEL_WORDS,
  };
}

/** Schema of the key of an entry of a Secret. */
export function secretKeySchema(description: string): SchemaOf<string> {
  return {
    type: "string",
    description,
    example: "token",
    minLength: 1,
    maxLength: 253,
    pattern: "^[-._a-zA-Z0-9]+$",
    words: { is: "a key of a Secret", use: 'use letters, digits, "-", "_" and "."' },
  };
}
