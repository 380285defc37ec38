/** Reads JSON that somebody else wrote: every field is checked before it gets any further. */

/** The answer is not what the API's description promises. `path` says where in it. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

/** A value in an answer, and where it stands. */
export class Answer {
  private constructor(
    private readonly value: unknown,
    private readonly path: string,
  ) {}

  /** @throws MalformedAnswer when the text is no JSON. */
  static parse(text: string): Answer {
    try {
      return new Answer(JSON.parse(text), "");
    } catch {
      throw new MalformedAnswer(text.trim() === "" ? "an empty answer" : "an answer that is not JSON");
    }
  }

  static of(value: unknown): Answer {
    return new Answer(value, "");
  }

  /** A member of an object; one that is missing is there as `undefined`. */
  at(key: string): Answer {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) throw this.not("an object");
    const members: Readonly<Record<string, unknown>> = { ...this.value };
    return new Answer(members[key], this.path === "" ? key : `${this.path}.${key}`);
  }

  get missing(): boolean {
    return this.value === undefined;
  }

  /** Missing or null. */
  get empty(): boolean {
    return this.value === undefined || this.value === null;
  }

  string(): string {
    if (typeof this.value !== "string") throw this.not("a string");
    return this.value;
  }

  /** A string that passes a test; `what` says which, for the message. */
  stringThat(holds: (text: string) => boolean, what: string): string {
    const text = this.string();
    if (!holds(text)) throw this.not(what);
    return text;
  }

  oneOf<T extends string>(values: readonly T[]): T {
    const found = values.find((value) => value === this.value);
    if (found === undefined) throw this.not(`one of ${values.join(", ")}`);
    return found;
  }

  /** A whole number, 0 or more, that a double holds exactly. */
  natural(): number {
    const { value } = this;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw this.not("a whole number");
    return value;
  }

  boolean(): boolean {
    if (typeof this.value !== "boolean") throw this.not("true or false");
    return this.value;
  }

  items(): readonly Answer[] {
    if (!Array.isArray(this.value)) throw this.not("a list");
    return this.value.map((item: unknown, index) => new Answer(item, `${this.path}[${index}]`));
  }

  private not(wanted: string): MalformedAnswer {
    const where = this.path === "" ? "the answer" : `"${this.path}"`;
    return new MalformedAnswer(`${where} is ${kindOf(this.value)}, expected ${wanted}`);
  }
}

/** Never the value itself: an answer may hold what does not belong into logs. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `another ${typeof value}`;
}
