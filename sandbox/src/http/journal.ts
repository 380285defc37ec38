/** What was asked of a simulator and what came of it: the ground truth for assertions. */

import type { FaultKind } from "./fault.js";
import type { JsonValue } from "./json.js";
import { isMutating, type SimulatorAnswer, type SimulatorRequest } from "./message.js";
import type { RequestMatch, RequestMatcher } from "./request-match.js";

export interface JournalEntry {
  /** 1, 2, 3, ... in the order of arrival. */
  readonly sequence: number;
  /** ms since the epoch, by the simulator's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly route: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The token's name, never the token. */
  readonly caller: string;
  readonly body: JsonValue | undefined;
  readonly fault: FaultKind | undefined;
  /** How often the API processed it: 0 when lost on the way or refused before its handler, 2 when delivered twice. */
  readonly processed: number;
  /** The API's answer, or a fault's in its place; undefined when there is none (yet). The client may not have got it. */
  readonly status: number | undefined;
  /** The API's answer to a mutating call, and every error; other bodies are not kept. */
  readonly answer: JsonValue | undefined;
}

/** All given ones must hold. */
export interface JournalFilter {
  readonly on?: RequestMatch;
  readonly status?: number;
  /** Anything but GET and HEAD. */
  readonly mutating?: boolean;
  /** Sequence number: only later calls. */
  readonly after?: number;
  readonly caller?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The server's hand on an entry. */
export class OpenEntry {
  constructor(readonly entry: Mutable<JournalEntry>) {}

  processed(answer: SimulatorAnswer): void {
    this.entry.processed++;
    this.answered(answer);
  }

  answered(answer: SimulatorAnswer): void {
    this.entry.status = answer.status;
    if (isMutating(this.entry.method) || answer.status >= 400) this.entry.answer = answer.body;
  }
}

export interface JournalOptions {
  /** ms since the epoch. */
  readonly now: () => number;
  readonly matcher: RequestMatcher;
  /** Entries kept; the oldest go first, and with them what queries can count. */
  readonly limit: number;
}

export class Journal {
  private kept: JournalEntry[] = [];
  private sequence = 0;
  private readonly listeners = new Set<(entry: JournalEntry) => void>();

  constructor(private readonly options: JournalOptions) {}

  get entries(): readonly JournalEntry[] {
    return this.kept;
  }

  /** The sequence number of the last call: pass it as `after` to look at what follows. */
  get mark(): number {
    return this.sequence;
  }

  /** Throws for a route key that the API does not have. */
  calls(filter: JournalFilter = {}): readonly JournalEntry[] {
    const matches = this.options.matcher.compile(filter.on);
    return this.kept.filter(
      (entry) =>
        matches(entry) &&
        (filter.status === undefined || entry.status === filter.status) &&
        (filter.mutating === undefined || isMutating(entry.method) === filter.mutating) &&
        entry.sequence > (filter.after ?? 0) &&
        (filter.caller === undefined || entry.caller === filter.caller),
    );
  }

  /** @see calls */
  count(filter: JournalFilter = {}): number {
    return this.calls(filter).length;
  }

  /** Calls by route key, `METHOD /path` where no route fits. */
  countByRoute(filter: JournalFilter = {}): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { route, method, path } of this.calls(filter)) {
      const key = route ?? `${method} ${path}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  /** One line for each call, for the message of a failed test. */
  text(filter: JournalFilter = {}): string {
    return this.calls(filter)
      .map(({ sequence, method, path, status, fault }) => {
        const damage = fault === undefined ? "" : ` (${fault})`;
        return `${sequence} ${method} ${path} -> ${status ?? "no answer"}${damage}`;
      })
      .join("\n");
  }

  /** Calls the listener for each call as soon as it was processed (or lost), before the next one arrives. Returns a function that removes the listener. */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Called by the server. */
  open(request: SimulatorRequest, caller: string, fault: FaultKind | undefined): OpenEntry {
    const { method, path, query, route, params, body } = request;
    const entry: Mutable<JournalEntry> = {
      ...{ sequence: ++this.sequence, at: this.options.now(), method, path, query, route, params, caller, body, fault },
      ...{ processed: 0, status: undefined, answer: undefined },
    };
    this.kept.push(entry);
    if (this.kept.length > this.options.limit) this.kept = this.kept.slice(-Math.ceil(this.options.limit / 2));
    // Requests are processed in one turn: when it is over, this one's fate is known.
    queueMicrotask(() => {
      for (const listener of this.listeners) listener(entry);
    });
    return new OpenEntry(entry);
  }
}
