/** Bearer tokens of a simulated API: who may do what, and who may no longer. */

export interface TokenGrant {
  /** Stands for the token in the journal. */
  readonly name: string;
  readonly secret: string;
  /** `thing:read`, `thing:create`, ...; absent: all. */
  readonly scopes?: readonly string[];
}

export class TokenTable {
  private readonly grants = new Map<string, TokenGrant>();
  private readonly revoked = new Set<string>();

  constructor(grants: readonly TokenGrant[]) {
    for (const grant of grants) this.add(grant);
  }

  add(grant: TokenGrant): void {
    this.grants.set(grant.secret, grant);
    this.revoked.delete(grant.secret);
  }

  /** From now on the token is unknown. Does nothing for a token that already is. */
  revoke(secret: string): void {
    this.revoked.add(secret);
  }

  /** The grant of an `Authorization: Bearer` header; undefined where it is missing, unknown or revoked. */
  find(authorization: string | undefined): TokenGrant | undefined {
    const secret = bearer(authorization);
    return secret === undefined || this.revoked.has(secret) ? undefined : this.grants.get(secret);
  }

  /** The token's name, also of a revoked one; `anonymous` without a token, `unknown` for a wrong one. */
  nameOf(authorization: string | undefined): string {
    const secret = bearer(authorization);
    return secret === undefined ? "anonymous" : (this.grants.get(secret)?.name ?? "unknown");
  }
}

/** The token of an `Authorization` header. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

/** Whether a grant covers a scope. */
export function allows(grant: TokenGrant, scope: string): boolean {
  return grant.scopes === undefined || grant.scopes.includes(scope);
}
