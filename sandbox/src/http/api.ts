/** What a simulated API gives to the server: routes over a world, and how it words what the server must say for it. */

import type { SimulatorAnswer, SimulatorRequest } from "./message.js";

/** Runs in one turn, never awaits: a request is processed whole or not at all. Throws `Refusal` to answer an error. */
export type Handler<World> = (request: SimulatorRequest, world: World) => SimulatorAnswer;

export interface Route<World> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/v2/things/{id}/parts/{part}`; a part in braces stands for one segment. Fixed segments win over braces. */
  readonly path: string;
  readonly handle: Handler<World>;
}

/** What the server itself must answer. */
export type ServerError = "no-such-route" | "malformed-json" | "too-large" | "internal" | "injected";

export interface SimulatorApi<World> {
  /** In logs and errors of the server. */
  readonly name: string;
  readonly routes: readonly Route<World>[];
  readonly world: World;

  /** A copy of the world that later requests don't change: stale reads are answered from it. Only GETs see it. */
  freeze(world: World): World;

  /** Before every handler: credentials, scopes, rate limits. Throws `Refusal`. */
  admit(request: SimulatorRequest): void;

  /** A name for the caller, never its secret: the journal keeps it. */
  caller(request: SimulatorRequest): string;

  /** Makes the request's token invalid from now on. */
  revokeToken(request: SimulatorRequest): void;

  /** An error in the API's own shape. `status` is what the server or a fault asks for. */
  error(request: SimulatorRequest, status: number, reason: ServerError): SimulatorAnswer;

  /** Headers that every answer of the API carries, errors included (rate limits, request id). */
  headers(request: SimulatorRequest, answer: SimulatorAnswer): Readonly<Record<string, string>>;
}
