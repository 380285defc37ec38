/** Who may do what to which zone. */

import { createHash } from "node:crypto";
import type { Route } from "../http/api.js";
import type { SimulatorRequest } from "../http/message.js";
import { allows, bearer, type TokenGrant, TokenTable } from "../http/tokens.js";
import type { CloudflareWorld, ZoneData } from "./data.js";
import { success } from "./envelope.js";
import { REFUSALS } from "./errors.js";

/** `Zone > Zone > Read`, `Zone > DNS > Read` and `Zone > DNS > Edit` of the dashboard; edit includes read. */
export type Scope = "zone:read" | "dns:read" | "dns:edit";

export interface CloudflareToken extends TokenGrant {
  /** @default all */
  readonly scopes?: readonly Scope[];
  /** Names of the zones that it is for. @default all */
  readonly zones?: readonly string[];
}

const VERIFY = "/user/tokens/verify";
const VERIFY_ROUTE = `GET ${VERIFY}`;

/** What a token may ask about itself. It needs no scope. */
export function tokenRoutes(tokens: Tokens): readonly Route<CloudflareWorld>[] {
  const message = { code: 10_000, message: "This API Token is valid and active" };
  const handle = (request: SimulatorRequest) =>
    success({ id: tokens.idOf(request), status: "active" }, { messages: [message] });
  return [{ method: "GET", path: VERIFY, handle }];
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

  /** The token's id: 32 hexadecimal digits that tell nothing of its secret. */
  idOf(request: Asking): string {
    return createHash("sha256").update(this.nameOf(request)).digest("hex").slice(0, 32);
  }

  /** Throws the refusal of a request without a valid token. */
  check({ headers, route }: Asking & Pick<SimulatorRequest, "route">): void {
    if (headers.authorization === undefined) throw REFUSALS.missingCredentials();
    if (!/^Bearer +[\w-]+$/i.test(headers.authorization)) throw REFUSALS.malformedToken();
    if (this.table.find(headers.authorization) !== undefined) return;
    throw route === VERIFY_ROUTE ? REFUSALS.invalidToken() : REFUSALS.unknownToken();
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

  /** Whether the token is for some zones only: answers do not reveal whether others exist. */
  isRestricted({ headers }: Asking): boolean {
    return this.zones.get(bearer(headers.authorization) ?? "") !== undefined;
  }
}
