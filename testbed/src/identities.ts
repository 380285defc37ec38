import { randomBytes } from "node:crypto";

/** A user of the API server. A suite creates the RBAC objects for its permissions. */
export interface Identity {
  /** User name, such as `flipop` or `system:serviceaccount:flipop:operator`. */
  readonly name: string;
  readonly groups?: readonly string[];
}

/** An identity with its bearer token. */
export interface TokenIdentity extends Identity {
  readonly token: string;
}

/** The identity with all permissions. */
export const ADMIN = "admin";

/** How many identities without groups each control plane has: `test-user-0`, `test-user-1`, ... */
export const SPARE_IDENTITIES = 10;

/**
 * All identities of a control plane. The API server reads the token file only at its start, so there are spare
 * identities for suites that share a running control plane.
 */
export function withTokens(identities: readonly Identity[]): Map<string, TokenIdentity> {
  const spare = Array.from({ length: SPARE_IDENTITIES }, (_, index) => ({ name: `test-user-${index}` }));
  const all: Identity[] = [{ name: ADMIN, groups: ["system:masters"] }, ...spare, ...identities];
  return new Map(all.map((identity) => [identity.name, { ...identity, token: randomBytes(16).toString("hex") }]));
}

/** The API server's token file: a line `token,user,uid,"group,group"` for each identity. */
export function tokenFile(identities: Iterable<TokenIdentity>): string {
  return Array.from(identities, tokenLine).join("");
}

function tokenLine({ name, token, groups = [] }: TokenIdentity): string {
  const fields = [token, name, name, groups.join(",")];
  return `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(",")}\n`;
}
