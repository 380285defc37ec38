/** A range of ports, both ends included. */
export class PortRange {
  /**
   * A range from its first and last port.
   *
   * @param first first port, 1 to 65535
   * @param last last port, from `first` to 65535
   */
  public static of(first: number, last: number): PortRange {
    return new PortRange(`${first}-${last}`);
  }

  /**
   * A range from text, such as `30000-32767`. Synthesis fails if the text is not a range; this method does not throw.
   *
   * @param text first and last port, joined by "-"
   */
  public static parse(text: string): PortRange {
    return new PortRange(text);
  }

  private constructor(
    /** The range as in the resource, such as `30000-32767`. */
    public readonly text: string,
  ) {}
}
