import type { Chart } from "cdk8s";

/** Props that can't be used, in a chart of namespace `web`. */
export interface BadProps {
  readonly name: string;
  /** Makes construct `bad`. */
  readonly make: (chart: Chart) => unknown;
  /** What synthesis says of construct `test/bad`. */
  readonly says: string;
}
