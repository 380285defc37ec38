import { checkArguments } from "../private/arguments";
import type { Shapes } from "../private/prop-shapes";
import { PART } from "../private/prop-types";
import type { Site } from "../private/refusal-collector";

const PORT = { part: PART.number, required: true } as const;

/**
 * A range of ports, both ends included.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { ClassImplementation, ClusterRoutedIPClass, PortRange, RoutedIPIssuer } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "classes", { namespace: "flipop" });
 * const issuer = new RoutedIPIssuer(chart, "issuer", { region: "nyc3" });
 * new ClusterRoutedIPClass(chart, "public", {
 *   metadata: { name: "public" },
 *   implementation: ClassImplementation.issuer(issuer),
 *   // The firewall is open for these ports already.
 *   nodePorts: PortRange.of(30000, 31000),
 * });
 */
export class PortRange {
  /**
   * A range from its first and last port.
   *
   * @param first first port, 1 to 65535
   * @param last last port, from `first` to 65535
   */
  public static of(first: number, last: number): PortRange {
    return new PortRange({ first, last }, { first: PORT, last: PORT });
  }

  /**
   * A range from text, such as `30000-32767`. Synthesis fails if the text is not a range; this method does not throw.
   *
   * @param text first and last port, joined by "-"
   */
  public static parse(text: string): PortRange {
    return new PortRange({ text }, { text: { part: PART.text, required: true } });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "PortRange";

  private constructor(
    private readonly given: Given,
    private readonly shapes: Shapes,
  ) {}

  /** The range as in the resource, such as `30000-32767`. */
  public get text(): string {
    return textOf(this.given);
  }

  /**
   * The range for a spec.
   *
   * @internal
   */
  public _write(site: Site): string {
    return textOf(checkArguments(site, this.given, this.shapes));
  }
}

interface Given {
  readonly first?: number;
  readonly last?: number;
  readonly text?: string;
}

function textOf({ first, last, text = `${first}-${last}` }: Given): string {
  return text;
}
