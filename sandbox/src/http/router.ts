import type { Route } from "./api.js";

export interface RouteMatch<World> {
  readonly route: Route<World>;
  /** `METHOD /path/{with}/braces`: names the route in the journal and in fault rules. */
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
}

export function routeKey<World>(route: Pick<Route<World>, "method" | "path">): string {
  return `${route.method} ${route.path}`;
}

/** Finds routes by method and path. Throws at once when two routes have the same key. */
export class Router<World> {
  private readonly compiled: readonly { readonly route: Route<World>; readonly parts: readonly string[] }[];

  constructor(routes: readonly Route<World>[]) {
    const keys = new Set<string>();
    for (const route of routes) {
      const key = routeKey(route);
      if (keys.has(key)) throw new Error(`route ${key} is declared twice: keep one`);
      keys.add(key);
    }
    this.compiled = routes
      .map((route) => ({ route, parts: route.path.split("/") }))
      .sort((a, b) => braces(a.parts) - braces(b.parts));
  }

  /** @param path without query and prefix. */
  find(method: string, path: string): RouteMatch<World> | undefined {
    const segments = path.split("/");
    for (const { route, parts } of this.compiled) {
      if (route.method !== method) continue;
      const params = matchParts(parts, segments);
      if (params !== undefined) return { route, key: routeKey(route), params };
    }
    return undefined;
  }
}

function braces(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith("{")).length;
}

function matchParts(parts: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (parts.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith("{")) {
      const value = decode(segment);
      if (value === undefined || value === "") return undefined;
      params[part.slice(1, -1)] = value;
    } else if (part !== segment) return undefined;
  }
  return params;
}

/** Undefined for a percent-encoding that can't be. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
