import type { SimulatorRequest } from "./message.js";

/**
 * Which requests are meant: a route's key (`POST /v2/things/{id}`), a pattern on `METHOD /path/as/sent` (without the
 * query), or a question of your own.
 */
export type RequestMatch = string | RegExp | ((request: Pick<SimulatorRequest, MatchField>) => boolean);

type MatchField = "method" | "path" | "route" | "params" | "query" | "body";

/** Matches requests of an API whose routes it knows, so that a mistyped key is an error and not a silent "never". */
export class RequestMatcher {
  constructor(private readonly routeKeys: ReadonlySet<string>) {}

  /** Throws for a route key that the API does not have. Undefined matches all. */
  compile(match: RequestMatch | undefined): (request: Pick<SimulatorRequest, MatchField>) => boolean {
    if (match === undefined) return () => true;
    if (typeof match === "function") return match;
    if (match instanceof RegExp) return ({ method, path }) => match.test(`${method} ${path}`);
    if (!this.routeKeys.has(match)) {
      throw new Error(`there is no route "${match}": use one of ${[...this.routeKeys].sort().join(", ")}`);
    }
    return ({ route }) => route === match;
  }
}
