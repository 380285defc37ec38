/** Who may do what to which zone. */

import type { SimulatorRequest } from "../http/message.js";
import { allows, bearer, type TokenGrant, TokenTable } from "../http/tokens.js";
import type { ZoneData } from "./data.js";
import { REFUSALS } from "./errors.js";

/** `Zone > Zone > Read`, `Zone > DNS > Read` and `Zone > DNS > Edit` of the dashboard; edit includes read. */
export type Scope = "zone:read" | "dns:read" | "dns:edit";

export interface CloudflareToken extends TokenGrant {
  /** @default all */
  readonly scopes?: readonly Scope[];
  /** Names of the zones that it is for. @default all */
  readonly zones?: readonly string[];
}

type Asking = Pick<SimulatorRequest, "headers">;

export class Tokens {
  private readonly table: TokenTable;
  private readonly zones = new Map<string, readonly string[] | undefined>();

  constructor(tokens: readonly CloudflareToken[]) {
    this.table = new TokenTable([]);
    for (const token of tokens) this.add(token);
  }

  add(token: CloudflareToken): void {
    this.table.add(token);
    this.zones.set(token.secret, token.zones);
  }

  revoke(secret: string): void {
    this.table.revoke(secret);
  }

  /** The token's name, for the journal. */
  nameOf({ headers }: Asking): string {
    return this.table.nameOf(headers.authorization);
  }

  /** Throws the refusal of a request without a valid token. */
  check({ headers }: Asking): void {
    if (headers.authorization === undefined) throw REFUSALS.missingCredentials();
    if (!/^Bearer +[\w-]+$/i.test(headers.authorization)) throw REFUSALS.malformedToken();
    if (this.table.find(headers.authorization) === undefined) throw REFUSALS.unknownToken();
  }

  /** Whether the request's token has a right on a zone. */
  may({ headers }: Asking, scope: Scope, zone: Pick<ZoneData, "name">): boolean {
    const grant = this.table.find(headers.authorization);
    const secret = bearer(headers.authorization);
    if (grant === undefined || secret === undefined) return false;
    const zones = this.zones.get(secret);
    if (zones !== undefined && !zones.includes(zone.name)) return false;
    return allows(grant, scope) || (scope === "dns:read" && allows(grant, "dns:edit"));
  }

  /** Whether the token is for some zones only: it is not told whether others exist. */
  isRestricted({ headers }: Asking): boolean {
    return this.zones.get(bearer(headers.authorization) ?? "") !== undefined;
  }
}
