/** The DigitalOcean API for the simulator's server: all routes, credentials, scopes, limits, errors. */

import type { Route, ServerError, SimulatorApi } from "../http/api.js";
import type { SimulatorAnswer, SimulatorRequest } from "../http/message.js";
import { allows, bearer, type TokenTable } from "../http/tokens.js";
import { accountRoutes } from "./account.js";
import { actionRoutes } from "./actions.js";
import { byoipRoutes } from "./addresses/byoip.js";
import { reservedIpRoutes } from "./addresses/reserved-ips.js";
import { reservedIpv6Routes } from "./addresses/reserved-ipv6.js";
import { domainRecordRoutes } from "./domains/domain-records.js";
import { domainRoutes } from "./domains/domains.js";
import { dropletActionRoutes } from "./droplets/droplet-actions.js";
import { dropletRoutes } from "./droplets/droplets.js";
import { errorBody, refusal } from "./errors.js";
import { firewallRoutes } from "./firewalls/firewalls.js";
import { projectRoutes } from "./projects/projects.js";
import { tagRoutes } from "./projects/tags.js";
import { RateLimit } from "./rate-limit.js";
import { regionRoutes } from "./regions.js";
import { scopesFor } from "./scopes.js";
import type { World } from "./world.js";

/** Everything that is simulated. */
export const DIGITALOCEAN_ROUTES: readonly Route<World>[] = [
  ...accountRoutes,
  ...actionRoutes,
  ...byoipRoutes,
  ...domainRoutes,
  ...domainRecordRoutes,
  ...dropletRoutes,
  ...dropletActionRoutes,
  ...firewallRoutes,
  ...projectRoutes,
  ...regionRoutes,
  ...reservedIpRoutes,
  ...reservedIpv6Routes,
  ...tagRoutes,
];

const MESSAGES: Readonly<Record<ServerError, string>> = {
  "no-such-route": "The resource you requested could not be found.",
  "malformed-json": "error parsing request body",
  "too-large": "The request body is too large.",
  internal: "The simulator failed to answer; its log says more.",
  injected: "Server Error",
};

export class DigitalOceanApi implements SimulatorApi<World> {
  readonly name = "DigitalOcean";
  readonly routes = DIGITALOCEAN_ROUTES;
  private readonly limit: RateLimit;

  constructor(
    readonly world: World,
    private readonly tokens: TokenTable,
  ) {
    this.limit = new RateLimit(world.settings.limits, () => world.clock.now());
  }

  freeze(world: World): World {
    return { ...world, data: structuredClone(world.data) };
  }

  /** 401 without a known token, then 429, then 403 without the scope. */
  admit(request: SimulatorRequest): void {
    const grant = this.tokens.find(request.headers.authorization);
    if (grant === undefined) throw refusal(request, 401, "Unable to authenticate you.");
    this.limit.count(request, grant.name);
    const scopes = scopesFor(request.route);
    if (scopes.length > 0 && !scopes.some((scope) => allows(grant, scope))) {
      throw refusal(request, 403, "You are not authorized to perform this operation.");
    }
  }

  caller(request: SimulatorRequest): string {
    return this.tokens.nameOf(request.headers.authorization);
  }

  revokeToken(request: SimulatorRequest): void {
    const secret = bearer(request.headers.authorization);
    if (secret !== undefined) this.tokens.revoke(secret);
  }

  error(request: SimulatorRequest, status: number, reason: ServerError): SimulatorAnswer {
    const message = status === 429 ? "API rate limit exceeded." : MESSAGES[reason];
    return { status, body: errorBody(request, status, message) };
  }

  headers(request: SimulatorRequest): Readonly<Record<string, string>> {
    return { ...this.limit.headers(this.caller(request)), "x-request-id": request.id };
  }
}
