import { API_GROUP } from "../names";

/** Kinds whose nodes can have a holder label, with the short name that the label contains. */
export const HOLDER_KINDS = { FloatingIPPool: "fip", RoutedIP: "rip" } as const;

/** A kind whose nodes can have a holder label. */
export type HolderKind = keyof typeof HOLDER_KINDS;

/** A resource whose node can have a holder label. */
export interface HolderResource {
  readonly kind: HolderKind;
  readonly namespace: string;
  readonly name: string;
}

/** Start of every holder label. The admission policy lets the operator write labels with this prefix and no others. */
export const HOLDER_LABEL_PREFIX = `${API_GROUP}/holder-of-`;
/** Value of every holder label. */
export const HOLDER_LABEL_VALUE = "true";

/** Maximum length of the part of a label key after the "/". */
const MAX_NAME_PART = 63;
/** Characters of the hash in a name that is too long. */
const HASH_LENGTH = 16;

/**
 * Key of the label on the node that has an address of the resource: kind, namespace and name, with dots in between. A
 * namespace has no dot, so no two resources have the same key. If that is too long for a label, a hash replaces the end,
 * after a "_", which no name has.
 *
 * @param sha256 the SHA-256 hash of a text, in hexadecimal digits
 */
export function holderLabelKey(resource: HolderResource, sha256: (text: string) => string): string {
  return keyOf(HOLDER_LABEL_PREFIX, resource, sha256);
}

/** Start of the key of every taint of nodes that wait for an address. */
export const UNTIL_ASSIGNED_PREFIX = `${API_GROUP}/until-assigned-`;

/** Key of the taint on nodes that match the resource and have none of its addresses; formed as the label's. */
export function untilAssignedTaintKey(resource: HolderResource, sha256: (text: string) => string): string {
  return keyOf(UNTIL_ASSIGNED_PREFIX, resource, sha256);
}

function keyOf(prefix: string, { kind, namespace, name }: HolderResource, sha256: (text: string) => string): string {
  const text = `${HOLDER_KINDS[kind]}.${namespace}.${name}`;
  const room = MAX_NAME_PART - (prefix.length - API_GROUP.length - 1);
  if (text.length <= room) return `${prefix}${text}`;
  const hash = sha256(text).slice(0, HASH_LENGTH);
  return `${prefix}${text.slice(0, room - HASH_LENGTH - 1)}_${hash}`;
}
