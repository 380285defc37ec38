/** A range of ports, both ends included. */
export class PortRange {
  /**
   * A range by its ends.
   *
   * @param first first port, 1 to 65535
   * @param last last port, from `first` to 65535
   */
  public static of(first: number, last: number): PortRange {
    return new PortRange(`${first}-${last}`);
  }

  /**
   * A range as text, such as `30000-32767`. Text that is no range is refused at synthesis, not here.
   *
   * @param text first and last port, joined by "-"
   */
  public static parse(text: string): PortRange {
    return new PortRange(text);
  }

  private constructor(
    /** The range as it stands in the resource, such as `30000-32767`. */
    public readonly text: string,
  ) {}
}
