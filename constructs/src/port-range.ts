import { checkArguments } from "./private/arguments";
import type { Site } from "./private/draft";
import { PART } from "./private/part";
import type { Shapes } from "./private/props";

const PORT = { part: PART.number, required: true } as const;

/** A range of ports, both ends included. */
export class PortRange {
  /**
   * A range from its first and last port.
   *
   * @param first first port, 1 to 65535
   * @param last last port, from `first` to 65535
   */
  public static of(first: number, last: number): PortRange {
    return new PortRange(`${first}-${last}`, { first, last }, { first: PORT, last: PORT });
  }

  /**
   * A range from text, such as `30000-32767`. Synthesis fails if the text is not a range; this method does not throw.
   *
   * @param text first and last port, joined by "-"
   */
  public static parse(text: string): PortRange {
    return new PortRange(text, { text }, { text: { part: PART.text, required: true } });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "PortRange";

  private constructor(
    private readonly range: string,
    private readonly given: object,
    private readonly shapes: Shapes,
  ) {}

  /** The range as in the resource, such as `30000-32767`. */
  public get text(): string {
    return this.range;
  }

  /**
   * The range for a spec.
   *
   * @internal
   */
  public _write(site: Site): string {
    checkArguments(site, this.given, this.shapes);
    return this.range;
  }
}
