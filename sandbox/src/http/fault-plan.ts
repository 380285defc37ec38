import type { Fault } from "./fault.js";
import type { SimulatorRequest } from "./message.js";
import type { SeededRandom } from "./random.js";
import type { RequestMatch, RequestMatcher } from "./request-match.js";

export interface FaultPlace {
  /** @default every request */
  readonly on?: RequestMatch;
  /** From which matching request on, counted from the injection. @default 1 */
  readonly nth?: number;
  /** How many requests it strikes; Infinity for all. @default 1 */
  readonly times?: number;
  /** Chance for each of them, drawn from the simulator's seed. @default 1 */
  readonly probability?: number;
}

/** A rule under way. */
export interface InjectedFault {
  /** Requests that got the fault so far. */
  readonly fired: number;
  cancel(): void;
}

interface Rule {
  readonly fault: Fault;
  readonly place: FaultPlace;
  readonly matches: (request: SimulatorRequest) => boolean;
  seen: number;
  fired: number;
}

/** The faults to come. Every rule counts every request that it matches; the oldest one that is due strikes. */
export class FaultPlan {
  private rules: Rule[] = [];

  constructor(
    private readonly random: SeededRandom,
    private readonly matcher: RequestMatcher,
  ) {}

  /** Throws for a route key that the API does not have. */
  inject(fault: Fault, place: FaultPlace = {}): InjectedFault {
    const rule: Rule = { fault, place, matches: this.matcher.compile(place.on), seen: 0, fired: 0 };
    this.rules.push(rule);
    return {
      get fired() {
        return rule.fired;
      },
      cancel: () => {
        this.rules = this.rules.filter((other) => other !== rule);
      },
    };
  }

  /** No more faults; a window of stale reads that is open stays open. */
  clear(): void {
    this.rules = [];
  }

  /** The fault for this request, which is counted. Called by the server, once for each request. */
  next(request: SimulatorRequest): Fault | undefined {
    const counted = this.rules.filter((rule) => rule.matches(request));
    for (const rule of counted) rule.seen++;
    const struck = counted.find((rule) => isDue(rule) && this.random.next() < (rule.place.probability ?? 1));
    if (struck === undefined) return undefined;
    struck.fired++;
    return struck.fault;
  }
}

function isDue({ seen, fired, place: { nth = 1, times = 1 } }: Rule): boolean {
  return seen >= nth && fired < times;
}
