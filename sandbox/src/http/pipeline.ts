/** The way of a request through a simulator: fault, admission, handler, answer. */

import type { Clock } from "flipop-operator/clock";
import type { Logger } from "flipop-operator/logging";
import type { ServerError, SimulatorApi } from "./api.js";
import { type Fault, isBeforeProcessing } from "./fault.js";
import type { FaultPlan } from "./fault-plan.js";
import type { Journal, OpenEntry } from "./journal.js";
import { type AnswerListener, isMutating, Refusal, type SimulatorAnswer, type SimulatorRequest } from "./message.js";
import type { RouteMatch } from "./router.js";

export interface PipelineOptions<World> {
  readonly api: SimulatorApi<World>;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  readonly logger: Logger;
  readonly onAnswer?: AnswerListener;
}

/** What the server finds wrong by itself. */
type Spoiled = Exclude<ServerError, "injected">;

/** A request with what the server already knows of it. */
export interface Arrival<World> {
  readonly request: SimulatorRequest;
  readonly match: RouteMatch<World> | undefined;
  /** Why it can't be processed at all. */
  readonly spoiled?: Spoiled;
}

/** An answer (undefined where the request was lost before the API saw it) and the faults that strike it on the way back. */
export interface Departure {
  readonly answer: SimulatorAnswer | undefined;
  readonly fault: Fault | undefined;
}

const SERVER_ERROR_STATUS: Readonly<Record<Spoiled, number>> = {
  "no-such-route": 404,
  "malformed-json": 400,
  "too-large": 413,
  internal: 500,
};

export class Pipeline<World> {
  /** Handlers that threw something else than a refusal: mistakes of the simulator. */
  readonly bugs: Error[] = [];
  private stale: { readonly world: World; readonly until: number } | undefined;

  constructor(private readonly options: PipelineOptions<World>) {}

  /** For `ms` from now, reads show the world as it is now. Replaces a window that is open. */
  freezeReads(ms: number): void {
    const { api, clock } = this.options;
    this.stale = { world: api.freeze(api.world), until: clock.monotonic() + ms };
  }

  /** Synchronous on purpose: no other request comes in between. */
  process(arrival: Arrival<World>): Departure {
    const { api, faults, journal } = this.options;
    const { request } = arrival;
    const fault = faults.next(request);
    const entry = journal.open(request, api.caller(request), fault?.kind);
    if (fault !== undefined && isBeforeProcessing(fault))
      return this.depart(entry, request, this.damage(request, fault));
    this.prepare(request, fault);
    const answer = this.run(arrival, entry, fault);
    const damage = fault?.kind === "status" ? this.damage(request, fault) : { answer, fault };
    return this.depart(entry, request, damage);
  }

  private prepare(request: SimulatorRequest, fault: Fault | undefined): void {
    if (fault?.kind === "stale-reads") this.freezeReads(fault.ms);
    if (fault?.kind === "revoke-token") this.options.api.revokeToken(request);
  }

  private run(arrival: Arrival<World>, entry: OpenEntry, fault: Fault | undefined): SimulatorAnswer {
    const first = this.runOnce(arrival, entry);
    if (fault?.kind !== "duplicate") return first;
    const second = this.runOnce(arrival, entry);
    return fault.answer === "first" ? first : second;
  }

  private runOnce({ request, match, spoiled }: Arrival<World>, entry: OpenEntry): SimulatorAnswer {
    const { api } = this.options;
    try {
      api.admit(request);
      if (spoiled !== undefined) return this.serverError(request, spoiled);
      if (match === undefined) return this.serverError(request, "no-such-route");
      const answer = match.route.handle(request, this.worldFor(request));
      entry.processed(answer);
      return answer;
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      return this.bug(request, error);
    }
  }

  private worldFor(request: SimulatorRequest): World {
    const { stale, options } = this;
    if (stale !== undefined && options.clock.monotonic() >= stale.until) this.stale = undefined;
    return this.stale !== undefined && !isMutating(request.method) ? this.stale.world : options.api.world;
  }

  private bug(request: SimulatorRequest, error: unknown): SimulatorAnswer {
    const { api, logger } = this.options;
    this.bugs.push(error instanceof Error ? error : new Error(String(error)));
    logger.error({ simulator: api.name, route: request.route, error }, "simulator failed to answer");
    return this.serverError(request, "internal");
  }

  private serverError(request: SimulatorRequest, reason: Spoiled): SimulatorAnswer {
    return this.options.api.error(request, SERVER_ERROR_STATUS[reason], reason);
  }

  /** What a fault answers in the API's place; the rest is done on the wire. */
  private damage(request: SimulatorRequest, fault: Fault): Departure {
    if (fault.kind !== "status") return { answer: undefined, fault };
    const error = this.options.api.error(request, fault.status, "injected");
    const { retryAfterSeconds, afterMs: ms } = fault;
    const wait = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
    const answer = { ...error, headers: { ...error.headers, ...wait } };
    return { answer, fault: ms === undefined ? undefined : { kind: "delay", ms } };
  }

  private depart(entry: OpenEntry, request: SimulatorRequest, { answer, fault }: Departure): Departure {
    if (answer === undefined) return { answer, fault };
    const headers = { ...this.options.api.headers(request, answer), ...answer.headers };
    const complete = { ...answer, headers };
    entry.answered(complete);
    this.options.onAnswer?.(request, complete);
    return { answer: complete, fault };
  }
}
