/** Reads YAML field by field, and reports all errors at once, each with line, path, value and fix. */

import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { parseDuration } from "./duration.js";

/** Everything that is wrong with a scenario, one line each. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";

  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** One problem, with its place. */
class Problem extends Error {}

/** Thrown where a part can't be read; `attempt` and `finish` put them together. */
export class Report {
  readonly problems: string[] = [];

  /** What `read` returns; undefined, and a problem more, when that can't be had. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problems.push(error.message);
      return undefined;
    }
  }

  finish(): void {
    if (this.problems.length > 0) throw new ScenarioError(this.problems);
  }
}

interface Source {
  readonly name: string;
  readonly lines: LineCounter;
  /** The place of the parent if the field is absent. */
  readonly offset: number;
}

/** The top of a YAML text. @param name the name that messages use. Throws ScenarioError if the text is not YAML. */
export function parseFields(text: string, name: string): Field {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const told = document.errors.map(({ message, pos }) => {
      const { line } = lines.linePos(pos[0]);
      return `${name}:${line}: ${message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "")}`;
    });
    throw new ScenarioError(told);
  }
  return new Field({ name, lines, offset: 0 }, "", document.contents);
}

/** A value with its place. */
export class Field {
  private readonly source: Source;

  constructor(
    source: Source,
    /** `acts[1].steps[2].fail`. */
    readonly path: string,
    private readonly node: unknown,
  ) {
    const offset = isNode(node) ? node.range?.[0] : undefined;
    this.source = { ...source, offset: offset ?? source.offset };
  }

  /** `story.yaml:14`. */
  get place(): string {
    return `${this.source.name}:${this.source.lines.linePos(this.source.offset).line}`;
  }

  get isAbsent(): boolean {
    return this.node === undefined || this.node === null || (isScalar(this.node) && this.node.value === null);
  }

  get isMap(): boolean {
    return isMap(this.node);
  }

  /** Throws with this place in front. */
  fail(problem: string): never {
    throw new Problem(`${this.place}: ${this.path === "" ? "" : `${this.path}: `}${problem}`);
  }

  /** @param fallback for a field that is left out; none: it must be there. */
  text(fallback?: string): string {
    if (this.isAbsent && fallback !== undefined) return fallback;
    if (this.isAbsent) this.fail("is missing: give a text");
    const value = this.plain();
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    return this.fail(`${shown(value)} is no text: give one`);
  }

  integer(min: number, fallback?: number): number {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const value = this.plain();
    if (typeof value === "number" && Number.isInteger(value) && value >= min) return value;
    return this.fail(`${shown(value)} is no whole number: give one from ${min} on`);
  }

  /** ms. */
  duration(fallback?: number): number {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const value = this.plain();
    const ms = typeof value === "string" ? parseDuration(value) : undefined;
    return ms ?? this.fail(`${shown(value)} is no duration: write 90s, 2m or 1h30m`);
  }

  oneOf<T extends string>(values: readonly T[], fallback?: T): T {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const value = String(this.plain());
    const known = values.find((candidate) => candidate === value);
    return known ?? this.fail(`${shown(this.plain())} is not known: use one of ${values.join(", ")}`);
  }

  /** Empty where it is left out. */
  list(): readonly Field[] {
    if (this.isAbsent) return [];
    if (!isSeq(this.node)) return this.fail(`${shown(this.plain())} is no list: put "- " in front of each item`);
    return this.node.items.map((item, index) => new Field(this.source, `${this.path}[${index}]`, item));
  }

  /** Empty where it is left out. @param names those that there may be; none: any */
  fields(names?: readonly string[]): ReadonlyMap<string, Field> {
    if (this.isAbsent) return new Map();
    if (!isMap(this.node)) return this.fail(`${shown(this.plain())} has no fields: write "name: value"`);
    const fields = new Map<string, Field>();
    for (const { key, value } of this.node.items) {
      const name = String(isScalar(key) ? key.value : key);
      const field = new Field(this.source, this.path === "" ? name : `${this.path}.${name}`, value ?? key);
      if (names !== undefined && !names.includes(name)) {
        field.fail(`there is no such field: use ${names.join(", ")}`);
      }
      fields.set(name, value === null ? field.empty() : field);
    }
    return fields;
  }

  /** A field of this one; absent when it is not among them. */
  of(fields: ReadonlyMap<string, Field>, name: string): Field {
    return fields.get(name) ?? new Field(this.source, this.path === "" ? name : `${this.path}.${name}`, undefined);
  }

  /** As plain JavaScript. */
  plain(): unknown {
    return isNode(this.node) ? (this.node.toJSON() as unknown) : this.node;
  }

  private empty(): Field {
    return new Field(this.source, this.path, null);
  }
}

function shown(value: unknown): string {
  return value === undefined || value === null ? "nothing" : JSON.stringify(value);
}
