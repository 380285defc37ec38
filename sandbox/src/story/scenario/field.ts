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

/** One problem of a field, given by its place and path. */
class Problem extends Error {
  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(problem);
  }
}

/** All problems of a scenario. A field adds its problem and goes on; a part that cannot go on throws, up to `attempt`. */
export class Report {
  readonly problems: string[] = [];

  /** One for each field: what stands in for a wrong value may be wrong as well. @param field its place and path */
  add(field: string, problem: string): void {
    if (this.problems.some((known) => known.startsWith(`${field}: `))) return;
    this.problems.push(`${field}: ${problem}`);
  }

  /** What `read` returns; undefined, and a problem more, when that can't be had. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.add(error.field, error.message);
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
  readonly report: Report;
  /** The place of the parent if the field is absent. */
  readonly offset: number;
}

/** The top of a YAML text. @param name the name that messages use. Throws ScenarioError if the text is not YAML. */
export function parseFields(text: string, name: string, report: Report): Field {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const told = document.errors.map(({ message, pos }) => {
      const { line } = lines.linePos(pos[0]);
      return `${name}:${line}: ${message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "")}`;
    });
    throw new ScenarioError(told);
  }
  return new Field({ name, lines, report, offset: 0 }, "", document.contents);
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
    throw new Problem(this.label, problem);
  }

  /** Reports the problem; what follows reads a value that stands in for the wrong one. */
  wrong<T>(problem: string, standIn: T): T {
    this.source.report.add(this.label, problem);
    return standIn;
  }

  private get label(): string {
    return this.path === "" ? this.place : `${this.place}: ${this.path}`;
  }

  /** @param fallback for a field that is left out; none: it must be there. */
  text(fallback?: string): string {
    if (this.isAbsent && fallback !== undefined) return fallback;
    if (this.isAbsent) return this.wrong("is missing: give a text", "");
    const value = this.plain();
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    return this.wrong(`${shown(value)} is no text: give one`, "");
  }

  integer(min: number, fallback?: number): number {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const value = this.plain();
    if (typeof value === "number" && Number.isInteger(value) && value >= min) return value;
    return this.wrong(`${shown(value)} is no whole number: give one from ${min} on`, min);
  }

  /** ms. */
  duration(fallback?: number): number {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const value = this.plain();
    const ms = typeof value === "string" ? parseDuration(value) : undefined;
    return ms ?? this.wrong(`${shown(value)} is no duration: write 90s, 2m or 1h30m`, 0);
  }

  oneOf<T extends string>(values: readonly T[], fallback?: T): T {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const value = String(this.plain());
    const known = values.find((candidate) => candidate === value);
    const problem = `${shown(this.plain())} is not known: use one of ${values.join(", ")}`;
    return known ?? (values[0] === undefined ? this.fail(problem) : this.wrong(problem, values[0]));
  }

  /** Empty where it is left out. */
  list(): readonly Field[] {
    if (this.isAbsent) return [];
    if (!isSeq(this.node)) return this.wrong(`${shown(this.plain())} is no list: put "- " in front of each item`, []);
    return this.node.items.map((item, index) => new Field(this.source, `${this.path}[${index}]`, item));
  }

  /** Empty where it is left out. @param names those that there may be; none: any */
  fields(names?: readonly string[]): ReadonlyMap<string, Field> {
    if (this.isAbsent) return new Map();
    if (!isMap(this.node)) return this.wrong(`${shown(this.plain())} has no fields: ${fieldForm(names)}`, new Map());
    const fields = new Map<string, Field>();
    for (const { key, value } of this.node.items) {
      const name = String(isScalar(key) ? key.value : key);
      const field = new Field(this.source, this.path === "" ? name : `${this.path}.${name}`, value ?? key);
      if (names !== undefined && !names.includes(name)) {
        field.wrong(`there is no such field: use ${names.join(", ")}`, undefined);
      } else fields.set(name, value === null ? field.empty() : field);
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

function fieldForm(names: readonly string[] = []): string {
  return `write "name: value"${names.length === 0 ? "" : ` with a name of ${names.join(", ")}`}`;
}
